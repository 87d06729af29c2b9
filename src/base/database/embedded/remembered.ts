import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What is remembered between starts, in `<dataDir>/database.json` (mode 0600). */
export interface Remembered {
  port: number;
  password: string;
  /** The data directory of the server. */
  folder: string;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'database.json');

/** What the last start has left, or null. */
export async function recall(dataDir: string): Promise<Remembered | null> {
  try {
    const found = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as Remembered;
    return { ...found, folder: path.resolve(dataDir, found.folder) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A folder inside is written by its relative name: the installation can be moved with all that is in it. */
export async function remember(dataDir: string, { port, password, folder }: Remembered): Promise<void> {
  const inside = path.relative(dataDir, folder);
  const name = inside.startsWith('..') || path.isAbsolute(inside) ? folder : inside;
  await writeFile(fileIn(dataDir), JSON.stringify({ port, password, folder: name }), { mode: 0o600 });
}
