import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
  const text = await readFile(file, 'utf8').catch(() => String(process.pid)); // it has just been given back
  // Empty: its process is between making and writing it, or ended there; the next look tells.
  if (text === '' ? await stillEmpty(file) : !isAlive(Number(text))) await rm(file, { force: true });
  return false;
}

async function stillEmpty(file: string): Promise<boolean> {
  await sleep(1_000);
  return (await readFile(file, 'utf8').catch(() => '-')) === '';
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
