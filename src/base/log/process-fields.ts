import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { Config } from '../config/config.js';

/** The version of this service, as its package says. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** What each line of the log says about its process. */
export function processFields({ role }: Pick<Config, 'role'>): { role: string; version: string; process: string } {
  return { role, version: VERSION, process: `${os.hostname()}:${process.pid}` };
}
