import { open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_START_MS = 120_000;

/**
 * Runs `work` while no other process of this installation does the same: of two first starts at once, the second
 * finds the server that the first one made. A lock whose process is gone is taken over.
 */
export async function whileLocked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = path.join(folder, 'database.lock');
  while (!(await take(file))) await sleep(50);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    const lock = await open(file, 'wx', 0o600);
    await lock.writeFile(String(process.pid));
    await lock.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isLeft(file)) await rm(file, { force: true });
  return false;
}

/** Whether the lock's process is gone. Numbers are given out again, so an old lock is nobody's, whatever runs. */
async function isLeft(file: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(file)).mtimeMs;
    const text = await readFile(file, 'utf8');
    if (text === '') return age > 1_000; // its process is about to write its number, or ended there
    return age > LONGEST_START_MS || text === String(process.pid) || !isAlive(Number(text));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // it has just been given back
    throw error;
  }
}

/** Whether a process of this number runs; one of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
