import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { trimEndOf } from '../../base/characters.js';
import { CliError, EXIT } from './cli.errors.js';

/** Variables of the environment. */
export type Env = Record<string, string | undefined>;

/** The address of a running service, and the credentials for it. */
export interface ServiceConnection {
  url: string;
  /** Where the address was found, in words. */
  foundIn: string;
  /** Other addresses at which a service may run on this machine. */
  besides: readonly string[];
  tenantId: string | null;
  apiKey: string | null;
  operatorToken: string | null;
}

interface CredentialsFile {
  tenant_id?: string;
  api_key?: string;
  scim_base_url?: string;
  operator_token?: string;
}

/** The root of the installation: both `src/cli` and `dist/cli` are two folders below it. */
const INSTALLATION = path.resolve(import.meta.dirname, '../../..');

/**
 * Puts together where the service is and what opens it: TALENT_BRIDGE_URL, TALENT_BRIDGE_API_KEY and OPERATOR_TOKEN,
 * else `credentials.json` and `operator-token` in the data folder, else BASE_URL, else the address of a fresh start.
 */
export function findConnection(env: Env): ServiceConnection {
  const dataDir = dataDirOf(env);
  const file = readCredentials(path.join(dataDir, 'credentials.json'));
  const ownKey = env['TALENT_BRIDGE_API_KEY'];
  const local = `http://localhost:${env['PORT'] ?? '3000'}`;
  const places: [url: string | undefined, foundIn: string][] = [
    [env['TALENT_BRIDGE_URL'], 'TALENT_BRIDGE_URL'],
    [file.scim_base_url?.replace(/\/scim\/v2\/?$/, ''), path.join(dataDir, 'credentials.json')],
    [env['BASE_URL'], 'BASE_URL'],
    [local, `the default: no TALENT_BRIDGE_URL, no BASE_URL and no credentials.json in ${dataDir}`],
  ];
  const known = places.flatMap(([url, foundIn]) => (url === undefined ? [] : [{ url: trimEndOf(url, '/'), foundIn }]));
  const { url, foundIn } = known[0]!;
  return {
    url,
    foundIn,
    besides: [...new Set([...known.map((one) => one.url), 'http://localhost:3000'])].filter((other) => other !== url),
    apiKey: ownKey ?? file.api_key ?? null,
    // A key from the environment can be any tenant's; the file says whose its own is.
    tenantId: ownKey === undefined ? (file.tenant_id ?? null) : null,
    operatorToken: env['OPERATOR_TOKEN'] ?? file.operator_token ?? readText(path.join(dataDir, 'operator-token')),
  };
}

/**
 * Returns the data folder: DATA_DIR, else the nearest `.data` of the current folder and those above it, else the one of the
 * installation. So a command finds a service that was started by `npm start`, in whichever folder the command is typed.
 */
export function dataDirOf(env: Env, from = process.cwd()): string {
  if (env['DATA_DIR']) return path.resolve(from, env['DATA_DIR']);
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, '.data');
    if (['credentials.json', 'operator-token'].some((file) => existsSync(path.join(candidate, file)))) return candidate;
    if (folder === path.dirname(folder)) return path.join(INSTALLATION, '.data');
  }
}

function readCredentials(file: string): CredentialsFile {
  const text = readText(file);
  if (text === null) return {};
  try {
    return JSON.parse(text) as CredentialsFile;
  } catch {
    throw new CliError(`${file} is not valid JSON.`, EXIT.usage);
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new CliError(`${file} cannot be read (${code ?? 'unknown'}).`, EXIT.usage);
  }
}
