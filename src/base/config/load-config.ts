import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { getMetadataStorage, validateSync } from 'class-validator';
import 'reflect-metadata';
import { trimEndOf } from '../characters.js';
import type { EncryptionKey } from '../crypto/seal.js';
import { mintToken } from '../crypto/tokens.js';
import { Config, ConfigError, type Role } from './config.js';
import { Environment } from './environment.js';
import { PROTECTIONS, unknownVariables } from './protections.rules.js';
import { SECRETS, withSecretFiles, type SettingProblem, keptSecret } from './secret-files.js';

export const VARIABLES = [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Environment, '', false, false)
      .map(({ propertyName }) => propertyName as keyof Environment),
  ),
];

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Reads the settings from the environment. Where the encryption key or the operator token is missing, makes it under `DATA_DIR`
 * (in production the key has to be given).
 *
 * @throws {ConfigError} with all problems, each by its variable and rule
 */
export function loadConfig(given: Record<string, string | undefined>): Config {
  const { env, problems } = withSecretFiles(given);
  const read = new Environment();
  for (const name of VARIABLES) {
    const text = env[name]?.trim();
    if (text) read[name] = text;
  }
  for (const { variable, nearest } of unknownVariables(given, KNOWN)) {
    problems.push({ variable, rule: `is not a setting of this version; the nearest is ${nearest}` });
  }
  problems.push(...problemsIn(read));
  if (problems.length > 0) throw new ConfigError(problems);
  return configOf(read);
}

const KNOWN = [
  ...VARIABLES,
  ...SECRETS.map((name) => `${name}_FILE`),
  'SANDBOX_DATABASE_URL',
  'TALENT_BRIDGE_URL',
  'TALENT_BRIDGE_API_KEY',
];

function problemsIn(read: Environment): SettingProblem[] {
  const problems = validateSync(read, { skipMissingProperties: true }).map((error) => ({
    variable: error.property,
    rule: Object.values(error.constraints ?? {}).join('; '),
  }));
  if (read.NODE_ENV === 'production') {
    const wrong = new Set(problems.map(({ variable }) => variable));
    problems.push(...problemsInProduction(read), ...unsafeProblems(read, wrong));
  }
  if (read.METRICS_PORT !== undefined && read.METRICS_PORT !== '0' && read.METRICS_PORT === (read.PORT ?? '3000')) {
    problems.push({ variable: 'METRICS_PORT', rule: 'must be another port than PORT' });
  }
  if ((read.INTERVIEW_API_BASE_URL === undefined) !== (read.INTERVIEW_API_KEY === undefined)) {
    problems.push({ variable: 'INTERVIEW_API_KEY', rule: 'must be set with INTERVIEW_API_BASE_URL, and only with it' });
  }
  return problems;
}

/** Names of the settings whose value lifts a protection. Values that break their rule (`wrong`) are not compared. */
function liftedIn(read: Environment, wrong: ReadonlySet<string> = new Set()): (keyof Environment)[] {
  return LIFTING.filter((name) => !wrong.has(name) && PROTECTIONS[name]!.lifts(read[name]));
}

function unsafeProblems(read: Environment, wrong: ReadonlySet<string>): SettingProblem[] {
  if (wrong.has('ALLOW_UNSAFE')) return [];
  const allowed = listOf(read.ALLOW_UNSAFE);
  const problems = liftedIn(read, wrong)
    .filter((name) => !allowed.includes(name))
    .map((variable): SettingProblem => {
      const { when } = PROTECTIONS[variable]!;
      return { variable, rule: `lifts a protection (${when}); change it, or accept it with ALLOW_UNSAFE=${variable}` };
    });
  if (allowed.some((name) => !LIFTING.includes(name as keyof Environment))) {
    problems.push({ variable: 'ALLOW_UNSAFE', rule: `must name only settings that can lift a protection: ${LIFTING.join(', ')}` }); // prettier-ignore
  }
  return problems;
}

const LIFTING = VARIABLES.filter((name) => PROTECTIONS[name] !== null);

function configOf(read: Environment): Config {
  const production = read.NODE_ENV === 'production';
  const port = Number(read.PORT ?? 3000);
  const dataDir = resolve(read.DATA_DIR ?? '.data');
  const encryptionKeys = keysOf(
    read.ENCRYPTION_KEY ?? keptSecret(dataDir, 'encryption-key', () => randomBytes(32).toString('base64')),
  );
  const baseUrl = address(read.BASE_URL) ?? `http://localhost:${port}`;
  return new Config({
    port,
    databaseUrl: read.DATABASE_URL ?? null,
    migrationDatabaseUrl: read.MIGRATION_DATABASE_URL ?? null,
    databasePool: Number(read.DATABASE_POOL ?? 16),
    dataDir,
    baseUrl,
    apiBaseUrl: address(read.API_BASE_URL) ?? baseUrl,
    appUrl: address(read.APP_URL) ?? baseUrl,
    platform: {
      ...(read.PLATFORM_API_BASE_URL ? { baseUrl: address(read.PLATFORM_API_BASE_URL)! } : {}),
      ...(read.PLATFORM_API_KEY ? { apiKey: read.PLATFORM_API_KEY } : {}),
      forwarding: read.PLATFORM_FORWARDING !== 'off',
    },
    sandbox: {
      enabled: production ? 'off' : ((read.SANDBOX ?? 'auto') as 'auto' | 'on' | 'off'),
      port: Number(read.SANDBOX_PORT ?? 3001),
    },
    encryptionKeys,
    chainKeys: read.CHAIN_SIGNING_KEY ? keysOf(read.CHAIN_SIGNING_KEY) : encryptionKeys.map(chainKeyOf),
    operatorToken: read.OPERATOR_TOKEN ?? keptSecret(dataDir, 'operator-token', () => mintToken('tbo', '').token),
    role: (read.ROLE ?? 'all') as Role,
    logLevel: read.LOG_LEVEL ?? 'info',
    trustProxy: listOf(read.TRUST_PROXY),
    announcesPagination: read.SCIM_PAGINATION !== 'off',
    rateLimit: read.RATE_LIMIT === 'off' ? null : Number(read.RATE_LIMIT ?? 100),
    tenantRateLimit: read.RATE_LIMIT_TENANT === undefined ? null : Number(read.RATE_LIMIT_TENANT),
    tenantStorageLimit: bytesOf(read.STORAGE_LIMIT_TENANT ?? '20GiB'),
    allowPrivateDestinations: read.ALLOW_PRIVATE_DESTINATIONS === 'true' || read.ALLOW_PRIVATE_DESTINATIONS === 'on',
    destinationNetworks: listOf(read.ALLOW_DESTINATION_NETWORKS),
    dnsServers: listOf(read.DNS_SERVERS),
    webhookRetries: pauses(read.WEBHOOK_RETRIES ?? '5s,5m,30m,2h,5h,10h,14h,20h,24h'),
    ats: atsOf(read),
    interviewEngine: interviewEngineOf(read),
    session: {
      idleSeconds: seconds(read.SESSION_IDLE ?? '60m'),
      absoluteSeconds: seconds(read.SESSION_ABSOLUTE ?? '12h'),
    },
    retention: {
      logsDays: Number(read.RETENTION_LOGS ?? 180),
      bodiesDays: Number(read.RETENTION_BODIES ?? 30),
      attemptsDays: Number(read.RETENTION_ATTEMPTS ?? 90),
      eventsDays: Number(read.RETENTION_EVENTS ?? 90),
    },
    metrics: {
      port: read.METRICS_PORT === undefined ? null : Number(read.METRICS_PORT),
      token: read.METRICS_TOKEN ?? null,
    },
    production,
    unsafe: production ? liftedIn(read) : [],
  });
}

/** Of a size such as `20GiB`; null for `off`. */
function bytesOf(text: string): number | null {
  const power = ['MiB', 'GiB', 'TiB'].indexOf(text.slice(-3)) + 2;
  return text === 'off' ? null : Number(text.slice(0, -3)) * 1024 ** power;
}

function atsOf(read: Environment): Config['ats'] {
  return {
    clients: listOf(read.ATS_OAUTH_CLIENTS).map((text) => {
      const [provider = '', id = '', secret = ''] = text.split(':');
      return { provider, id, secret };
    }),
    simulators: Object.fromEntries(listOf(read.ATS_SIMULATORS).map((text) => text.split('=', 2) as [string, string])),
  };
}

function interviewEngineOf(read: Environment): Config['interviewEngine'] {
  const baseUrl = address(read.INTERVIEW_API_BASE_URL);
  return baseUrl === undefined ? null : { baseUrl, apiKey: read.INTERVIEW_API_KEY! };
}

function problemsInProduction(read: Environment): SettingProblem[] {
  const rules: [keyof Environment, boolean, string][] = [
    ['ENCRYPTION_KEY', !read.ENCRYPTION_KEY, 'must be set when NODE_ENV is production'],
    ['BASE_URL', !read.BASE_URL?.startsWith('https://'), 'must be an https address when NODE_ENV is production'],
    ['API_BASE_URL', isHttp(read.API_BASE_URL), 'must be an https address when NODE_ENV is production'],
    ['APP_URL', isHttp(read.APP_URL), 'must be an https address when NODE_ENV is production'],
    ['ATS_SIMULATORS', read.ATS_SIMULATORS !== undefined, 'must be absent when NODE_ENV is production'],
    ['SANDBOX', read.SANDBOX === 'on', 'must be off or absent when NODE_ENV is production'],
  ];
  return rules.filter(([, wrong]) => wrong).map(([variable, , rule]) => ({ variable, rule }));
}

function isHttp(text: string | undefined): boolean {
  return text !== undefined && !text.startsWith('https://');
}

function address(text: string | undefined): string | undefined {
  return text === undefined ? undefined : trimEndOf(text, '/');
}

function listOf(text: string | undefined): string[] {
  return text?.split(',').map((part) => part.trim()) ?? [];
}

function pauses(text: string): number[] {
  return text === 'none' ? [] : listOf(text).map((pause) => seconds(pause) * 1_000);
}

function seconds(duration: string): number {
  return Number(duration.slice(0, -1)) * UNITS[duration.at(-1)!]!;
}

// A key without an id gets its fingerprint as id, so that the id stays when a newer key is put before it.
function keysOf(text: string): EncryptionKey[] {
  return text.split(',').map((part) => {
    const [left, right] = part.trim().split(':');
    const key = Buffer.from(right ?? left!, 'base64');
    return { id: right === undefined ? keyFingerprint(key) : left!, key };
  });
}

// HKDF derives a separate key for this purpose. The derived key does not reveal the encryption key.
function chainKeyOf({ id, key }: EncryptionKey): EncryptionKey {
  return { id, key: Buffer.from(hkdfSync('sha256', key, '', 'talent-bridge chain heads', 32)) };
}

/** The id of a key that has none in the settings: the first 8 hex digits of its SHA-256. */
function keyFingerprint(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
