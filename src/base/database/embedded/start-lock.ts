import { open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_START_MS = 120_000;

/**
 * Runs `work` while no other process of this installation does: of two first starts at once, the second one finds the
 * server of the first. Takes over a lock whose process is gone.
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

/**
 * Returns whether the process of the lock is gone. Process numbers are reused, so an old lock is invalid, with any
 * process at the number.
 */
async function isLeft(file: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(file)).mtimeMs;
    const text = await readFile(file, 'utf8');
    if (text === '') return age > 1_000; // The process is about to write its number, or ended there.
    return age > LONGEST_START_MS || text === String(process.pid) || !isAlive(Number(text));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // The lock has just been released.
    throw error;
  }
}

/** Returns whether a process with this number runs; one of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
