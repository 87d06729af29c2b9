import { randomBytes } from 'node:crypto';
import { VARIABLES } from '../../../src/base/config/load-config.js';
import { PROTECTIONS, isWeak, keysIn, unknownVariables } from '../../../src/base/config/protections.rules.js';
import { long } from '../../support/rounds.js';

describe('protections', () => {
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
});

describe('keys', () => {
  test('reads the bytes of each key of a list, with and without a name', () => {
    const [one, two] = [Buffer.from('first key'), Buffer.from('second key')];
    expect(keysIn(`k1:${one.toString('base64')}, ${two.toString('base64')}`)).toEqual([one, two]);
  });

  test.each([
    ['has one byte again and again', Buffer.alloc(32, 7)],
    ['has few different bytes', Buffer.from('abababacabababacabababacabababac')],
    ['repeats a pattern', Buffer.from('0123456789abcdef0123456789abcdef')],
    ['rises by one step', Buffer.from(Array.from({ length: 32 }, (_, i) => 10 + i))],
    ['falls by one step', Buffer.from(Array.from({ length: 32 }, (_, i) => 200 - 3 * i))],
  ])('calls a secret weak when it %s', (_why, secret) => {
    expect(isWeak(secret)).toBe(true);
  });

  test.each(['9f86d081884c7d65', 'c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2'])(
    'calls %s random',
    (text) => {
      expect(isWeak(Buffer.from(text))).toBe(false);
    },
  );
});

describe('unknown variables', () => {
  const KNOWN = ['PORT', 'ROLE', 'LOG_LEVEL', 'BASE_URL', 'API_BASE_URL', 'SESSION_IDLE', 'RETENTION_LOGS', 'SANDBOX_PORT', 'DATABASE_URL', 'ALLOW_PRIVATE_DESTINATIONS', 'NODE_ENV']; // prettier-ignore

  it.each([
    ['ALLOW_PRIVATE_DESTINATION', 'ALLOW_PRIVATE_DESTINATIONS'],
    ['SESSION_IDEL', 'SESSION_IDLE'],
    ['RETENTION_LOG_DAYS', 'RETENTION_LOGS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['API_BASE_URI', 'API_BASE_URL'],
  ])('names %s, and %s as the nearest', (variable, nearest) => {
    expect(unknownVariables({ PATH: '/bin', [variable]: 'x' }, KNOWN)).toEqual([{ variable, nearest }]);
  });

  it.each([
  ['a known setting', { SESSION_IDLE: '60m', PORT: '3000' }],
  ['variables of the system and of other programs', { PATH: '/bin', HOME: '/', LANG: 'C', npm_config_cache: '/x', CI: 'true' }],
  ['other variables with a first part that many programs use', { NODE_OPTIONS: '', API_KEY: 'k', LOG_FORMAT: 'json', BASE_DIR: '/', APP_ENV: 'x' }],
  ['the session of a desktop', { SESSION_MANAGER: 'local/x' }],
  ['addresses that Kubernetes sets', { DATABASE_SERVICE_HOST: '10.0.0.1', DATABASE_SERVICE_PORT: '5432', DATABASE_PORT: 'tcp://10.0.0.1:5432', DATABASE_PORT_5432_TCP_ADDR: '10.0.0.1' }],
])('accepts %s', (_, env) => {
  expect(unknownVariables(env, KNOWN)).toEqual([]);
}); // prettier-ignore
});
