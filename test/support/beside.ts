import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../../src/base/database/embedded/embedded-postgres.js';
import type { TestApp } from './app.js';
import { eventually, send } from './http.js';

const MAIN = path.resolve(import.meta.dirname, '../../dist/main.js');

/** A process of the built service. */
export interface Beside {
  url: string;
  stop(): Promise<void>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

/** What two processes share. */
type Home = Pick<TestApp, 'databaseUrl' | 'dataDir'> & { baseUrl: string };

/**
 * Starts the built service as a process of the operating system, on the database of a service that runs already.
 *
 * @param main the program of another version, in place of the present one
 */
export async function startBeside(
  service: TestApp | Home,
  env: Record<string, string> = {},
  main = MAIN,
): Promise<Beside> {
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      BASE_URL: 'app' in service ? service.app.config.baseUrl : service.baseUrl,
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataDir,
      SANDBOX: 'off',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'silent',
      ALLOW_PRIVATE_DESTINATIONS: 'on',
      ...env,
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    () => send('GET', `${url}/readyz`, null).then(({ status }) => status, () => 0),
    (status) => status === 200,
    30_000,
  ); // prettier-ignore
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
