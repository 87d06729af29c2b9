import { readFile, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';

/** The state between starts, in `<dataDir>/database.json` (mode 0600). */
export interface Remembered {
  port: number;
  /** The password of the owner, a superuser. */
  password: string;
  /** The password of the service's plain role. */
  servicePassword: string;
  /** The data directory of the server. */
  folder: string;
}

type OlderRemembered = Omit<Remembered, 'servicePassword'> & Partial<Remembered>;

const fileIn = (dataDir: string): string => path.join(dataDir, 'database.json');

/** Returns the state of the last start, or null. */
export async function recall(dataDir: string): Promise<Remembered | null> {
  try {
    const found = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as OlderRemembered;
    const { port, password, servicePassword } = found;
    const remembered = { port, password, folder: path.resolve(dataDir, found.folder) };
    if (servicePassword !== undefined) return { ...remembered, servicePassword };
    // A version with a single role has written the file.
    const complete = { ...remembered, servicePassword: randomBytes(24).toString('base64url') };
    await remember(dataDir, complete);
    return complete;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Stores the state. A folder inside is stored by its relative name, so that the installation can be moved. */
export async function remember(
  dataDir: string,
  { port, password, servicePassword, folder }: Remembered,
): Promise<void> {
  const inside = path.relative(dataDir, folder);
  const name = inside.startsWith('..') || path.isAbsolute(inside) ? folder : inside;
  await writeFile(fileIn(dataDir), JSON.stringify({ port, password, servicePassword, folder: name }), { mode: 0o600 });
}
