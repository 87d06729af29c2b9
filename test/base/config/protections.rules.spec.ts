import { randomBytes } from 'node:crypto';
import { PROTECTIONS } from '../../../src/base/config/protections.rules.js';
import { VARIABLES } from '../../../src/base/config/variables.js';
import { long } from '../../support/rounds.js';

const key = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const good = key(randomBytes(32));

/** Values that lift the protection of a setting, and values that do not. */
const CASES: Record<string, { lifts: (string | undefined)[]; keeps: (string | undefined)[] }> = {
  DATABASE_URL: { lifts: [undefined], keeps: ['postgres://u:p@db/x'] },
  PLATFORM_API_BASE_URL: {
    lifts: ['http://platform.example.com', 'HTTP://10.0.0.1'],
    keeps: [undefined, 'https://platform.example.com'],
  },
  INTERVIEW_API_BASE_URL: {
    lifts: ['http://interviews.example.com'],
    keeps: [undefined, 'https://interviews.example.com'],
  },
  ENCRYPTION_KEY: {
    lifts: [
      key(Buffer.alloc(32)),
      `a:${good},b:${key(Buffer.alloc(32, 'passwort'))}`,
      key(Buffer.from([...Array(32).keys()])),
    ],
    keeps: [undefined, good, `new:${good}`, key(Buffer.from('0123456789abcdef0123456789abcdeX'))],
  },
  CHAIN_SIGNING_KEY: { lifts: [key(Buffer.alloc(32, 7))], keeps: [undefined, good] },
  OPERATOR_TOKEN: {
    lifts: ['o'.repeat(40), 'changeme'.repeat(5), 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz'],
    keeps: [undefined, randomBytes(24).toString('hex'), `tbo_${randomBytes(24).toString('base64url')}`],
  },
  TRUST_PROXY: {
    lifts: ['0.0.0.0/1,128.0.0.0/1', '::/1', '10.0.0.1, 2000::/3'],
    keeps: [undefined, '10.0.0.0/8', '::1, 2400:cb00::/32', '192.0.2.1'],
  },
  RATE_LIMIT: { lifts: ['off', '10001'], keeps: [undefined, '100', '10000'] },
  STORAGE_LIMIT_TENANT: { lifts: ['off', '2TiB'], keeps: [undefined, '20GiB', '1TiB'] },
  RATE_LIMIT_TENANT: { lifts: ['40001'], keeps: [undefined, '400'] },
  ALLOW_PRIVATE_DESTINATIONS: { lifts: ['true', 'on'], keeps: [undefined, 'false', 'off'] },
  ALLOW_DESTINATION_NETWORKS: {
    lifts: ['0.0.0.0/0', '::/0', '127.0.0.1', '10.1.0.0/16, 169.254.169.254', '10.0.0.0/7', '::1'],
    keeps: [undefined, '10.0.0.0/8', '192.168.4.0/24, fd12::/16', '172.20.0.5'],
  },
  SESSION_IDLE: { lifts: ['31d', '721h'], keeps: [undefined, '30d', '60m'] },
  SESSION_ABSOLUTE: { lifts: ['100000h', '31d'], keeps: [undefined, '720h'] },
  METRICS_TOKEN: { lifts: ['m'.repeat(16), 'secretsecretsecret'], keeps: [undefined, 'a-token-for-prometheus'] },
};

it('declares for each setting whether it lifts a protection, and has cases for each that can', () => {
  expect(Object.keys(PROTECTIONS).sort()).toEqual([...VARIABLES].sort());
  expect(Object.keys(CASES).sort()).toEqual(VARIABLES.filter((name) => PROTECTIONS[name] !== null).sort());
});

describe.each(Object.entries(CASES))('%s', (name, { lifts, keeps }) => {
  const protection = PROTECTIONS[name as keyof typeof PROTECTIONS]!;
  it.each(lifts)('lifts a protection with %s', (text) => expect(protection.lifts(text)).toBe(true));
  it.each(keeps)('lifts none with %s', (text) => expect(protection.lifts(text)).toBe(false));
});

long('calls no random key weak', () => {
  for (let i = 0; i < 2_000; i++) {
    expect(PROTECTIONS.ENCRYPTION_KEY!.lifts(key(randomBytes(32)))).toBe(false);
    expect(PROTECTIONS.OPERATOR_TOKEN!.lifts(randomBytes(16).toString('hex'))).toBe(false);
  }
});
