import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../base/make-folder.js';

/** The generation of the database, stored outside of it. */
export interface GenerationMark {
  readonly installation: string;
  readonly generation: number;
  readonly at: string;
}

/** The file `DATA_DIR/database-generation`. */
export class KeptMark {
  private readonly file: string;

  constructor(private readonly dataDir: string) {
    this.file = path.join(dataDir, 'database-generation');
  }

  /** Returns the mark of an earlier process; null: none, or not readable. */
  async read(): Promise<GenerationMark | null> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return markIn(text);
  }

  /** Replaces the mark; a process that ends during the write leaves the old one. */
  async write(mark: GenerationMark): Promise<void> {
    makeFolder(this.dataDir, 0o755);
    const draft = `${this.file}.${process.pid}`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(mark)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.file);
  }
}

function markIn(text: string): GenerationMark | null {
  try {
    const { installation, generation, at } = JSON.parse(text) as Partial<GenerationMark>;
    if (typeof installation !== 'string' || !Number.isSafeInteger(generation)) return null;
    return { installation, generation: generation!, at: String(at) };
  } catch {
    return null;
  }
}
