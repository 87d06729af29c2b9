import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../../config/child-environment.js';
import type { Binaries } from './binaries.js';
import type { Remembered } from './remembered.js';

/**
 * Starts the server and waits until it is ready.
 *
 * @param isReady returns whether the server of this data directory accepts connections
 * @throws {Error} with the end of the server's log when it does not start within 30 seconds
 */
export async function launch(
  binaries: Binaries,
  remembered: Remembered,
  logFile: string,
  settings: string[],
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + 30_000;
  let exited = true;
  let code: number | null = null;
  while (Date.now() < deadline) {
    if (exited) {
      exited = false;
      // The server's errors go to a file, because a pipe would end with this process. Detached, so that Ctrl-C does not
      // reach it before the service has drained.
      const log = await open(logFile, 'a', 0o600);
      const child = spawn(binaries.postgres, serverArguments(remembered, settings), {
        ...binaries.runAs,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        cwd: '/',
        env: childEnvironment(),
      });
      child.on('error', (error) => {
        throw error;
      });
      child.on('exit', (status) => {
        // Right after a crash the old lock file can still exist: the start is repeated until the deadline.
        exited = true;
        code = status;
      });
      child.unref();
      await log.close();
    }
    if (await isReady()) return;
    await sleep(exited ? 200 : 15);
  }
  const tail = (await readFile(logFile, 'utf8')).slice(-2000);
  throw new Error(`PostgreSQL did not start (last exit code ${String(code)}); the end of ${logFile}:\n${tail}`);
}

function serverArguments({ port, folder }: Remembered, settings: string[]): string[] {
  const all = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=256MB',
    'max_connections=120',
    'max_wal_size=2GB',
    'checkpoint_timeout=15min',
    'log_min_messages=warning',
    ...settings,
  ];
  return ['-D', folder, ...all.flatMap((setting) => ['-c', setting])];
}
