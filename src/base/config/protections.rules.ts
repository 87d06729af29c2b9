import ipaddr from 'ipaddr.js';
import type { Environment } from './environment.js';

export function keysIn(text: string): Buffer[] {
  return text.split(',').map((part) => Buffer.from(part.slice(part.indexOf(':') + 1).trim(), 'base64'));
}

/**
 * Whether a secret was visibly not made at random: it has few different bytes, repeats a pattern, or its bytes rise or fall by
 * the same step. 16 random hex digits pass, with one exception in a million.
 */
export function isWeak(secret: Uint8Array): boolean {
  if (new Set(secret).size < Math.min(8, secret.length / 4)) return true;
  return isPeriodic(secret) || isPeriodic(secret.slice(1).map((byte, i) => byte - secret[i]!));
}

function isPeriodic(bytes: Uint8Array): boolean {
  for (let period = 1; period <= bytes.length / 2; period++) {
    if (bytes.every((byte, i) => i < period || byte === bytes[i - period])) return true;
  }
  return false;
}

interface Protection {
  /** For the operator: when the setting lifts a protection, and which one. */
  readonly when: string;
  /** @param text undefined when the setting is absent */
  lifts(text: string | undefined): boolean;
}

const DAYS_30 = 30 * 86_400;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Networks that are not part of the public Internet and have no address of this machine or of a cloud's metadata. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'].map((text) =>
  ipaddr.parseCIDR(text),
);

const weak: Protection = {
  when: 'a key that was not made at random: few different characters, or a pattern that repeats',
  lifts: (text) => text !== undefined && keysIn(text).some(isWeak),
};
const weakToken: Protection = {
  when: 'a token that was not made at random: few different characters, or a pattern that repeats',
  lifts: (text) => text !== undefined && isWeak(Buffer.from(text)),
};
const longSession: Protection = {
  when: 'more than 30 days: a stolen session is valid for as long',
  lifts: (text) => text !== undefined && Number(text.slice(0, -1)) * SECONDS[text.at(-1)!]! > DAYS_30,
};

/**
 * Whether a setting can lift a protection; null when no value can. A new variable needs its line here. In production the
 * service starts with such a value only when `ALLOW_UNSAFE` names the variable.
 */
export const PROTECTIONS: Readonly<Record<keyof Environment, Protection | null>> = {
  PORT: null,
  DATABASE_URL: {
    when: 'absent, because the embedded database is for trials',
    lifts: (text) => text === undefined,
  },
  MIGRATION_DATABASE_URL: null,
  DATABASE_POOL: null,
  DATA_DIR: null,
  // An http address of the service itself is never accepted in production.
  BASE_URL: null,
  API_BASE_URL: null,
  APP_URL: null,
  PLATFORM_API_BASE_URL: {
    when: 'plain http: users and the platform’s key can be read on the way',
    lifts: (text) => text !== undefined && !/^https:/i.test(text),
  },
  PLATFORM_API_KEY: null,
  PLATFORM_FORWARDING: null,
  SANDBOX: null,
  SANDBOX_PORT: null,
  ENCRYPTION_KEY: weak,
  CHAIN_SIGNING_KEY: weak,
  OPERATOR_TOKEN: weakToken,
  ROLE: null,
  LOG_LEVEL: null,
  TRUST_PROXY: {
    when: 'a network wider than /8 (IPv6: /16): a caller inside it chooses the address that limits count',
    lifts: (text) => networksIn(text).some(([ip, bits]) => bits < (ip.kind() === 'ipv4' ? 8 : 16)),
  },
  RATE_LIMIT: {
    when: '`off`, or more than 10000: one caller can take the whole process',
    lifts: (text) => text === 'off' || Number(text ?? 0) > 10_000,
  },
  RATE_LIMIT_TENANT: {
    when: 'more than 40000: one tenant can take the whole process',
    lifts: (text) => Number(text ?? 0) > 40_000,
  },
  STORAGE_LIMIT_TENANT: {
    when: '`off`, or more than 1 TiB: one tenant can fill the disk of all',
    lifts: (text) => text === 'off' || (text?.endsWith('TiB') === true && Number(text.slice(0, -3)) > 1),
  },
  ALLOW_PRIVATE_DESTINATIONS: {
    when: 'on: each tenant can have the service call private addresses, also by plain http',
    lifts: (text) => text === 'true' || text === 'on',
  },
  ALLOW_DESTINATION_NETWORKS: {
    when: `a network that is not inside ${PRIVATE.map(([ip, bits]) => `${ip.toString()}/${bits}`).join(', ')}`,
    lifts: (text) => networksIn(text).some((network) => !PRIVATE.some((part) => isInside(network, part))),
  },
  ALLOW_UNSAFE: null,
  WEBHOOK_RETRIES: null,
  DNS_SERVERS: null,
  SESSION_IDLE: longSession,
  SESSION_ABSOLUTE: longSession,
  RETENTION_LOGS: null,
  RETENTION_ATTEMPTS: null,
  RETENTION_EVENTS: null,
  RETENTION_BODIES: null,
  ATS_OAUTH_CLIENTS: null,
  // Never accepted in production.
  ATS_SIMULATORS: null,
  INTERVIEW_API_BASE_URL: {
    when: 'plain http: names of candidates and the engine’s key can be read on the way',
    lifts: (text) => text !== undefined && !/^https:/i.test(text),
  },
  INTERVIEW_API_KEY: null,
  SCIM_PAGINATION: null,
  METRICS_PORT: null,
  METRICS_TOKEN: weakToken,
  NODE_ENV: null,
};

type Network = ReturnType<typeof ipaddr.parseCIDR>;

function networksIn(text: string | undefined): Network[] {
  return (text?.split(',') ?? []).map((part) => {
    const one = part.trim();
    if (one.includes('/')) return ipaddr.parseCIDR(one);
    const ip = ipaddr.parse(one);
    return [ip, ip.kind() === 'ipv4' ? 32 : 128] as Network;
  });
}

function isInside([ip, bits]: Network, [outer, outerBits]: Network): boolean {
  return ip.kind() === outer.kind() && bits >= outerBits && ip.match(outer, outerBits);
}

/** First parts of names that other programs use too: there only a name close to a known one is a mistake. */
const SHARED = new Set(['API', 'APP', 'BASE', 'DATA', 'DNS', 'LOG', 'NODE']);
/** Variables of other programs with a first part of ours: those of a desktop session, of Kubernetes and of Docker. */
const FOREIGN = /^SESSION_MANAGER$|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$/;
const TYPING_ERRORS = 2;

/**
 * Returns the unknown variables of the environment that begin like a setting of the service, each with the nearest setting.
 *
 * @param known all names that the service and its command line read
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { variable: string; nearest: string }[] {
  const names = new Set(known);
  const families = new Set(known.map(familyOf).filter((family) => family !== null));
  return Object.entries(env).flatMap(([variable, value]) => {
    const family = familyOf(variable);
    if (names.has(variable) || family === null || !families.has(family)) return [];
    if (FOREIGN.test(variable) || /^(?:tcp|udp):\/\//.test(value ?? '')) return [];
    const [nearest, distance] = nearestOf(variable, SHARED.has(family) ? known.filter((name) => familyOf(name) === family) : known); // prettier-ignore
    return SHARED.has(family) && distance > TYPING_ERRORS ? [] : [{ variable, nearest }];
  });
}

/** The part before the first underscore; null without one. */
function familyOf(name: string): string | null {
  const end = name.indexOf('_');
  return end > 0 ? name.slice(0, end) : null;
}

function nearestOf(name: string, known: readonly string[]): [string, number] {
  return known
    .map((one): [string, number] => [one, distanceBetween(name, one)])
    .reduce((best, one) => (one[1] < best[1] ? one : best));
}

/** The number of characters to insert, remove or replace (Levenshtein). */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
