import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { Config } from '../config/config.js';

/** The version of this service, from its package. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Returns the fields of every line that identify the process. */
export function processFields({ role }: Pick<Config, 'role'>): { role: string; version: string; process: string } {
  return { role, version: VERSION, process: `${os.hostname()}:${process.pid}` };
}
