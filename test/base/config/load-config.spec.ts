import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../../src/base/config/config.js';
import { loadConfig } from '../../../src/base/config/load-config.js';
import { parseToken } from '../../../src/base/crypto/tokens.js';

const KEY = Buffer.from('0123456789abcdef0123456789abcdeX').toString('base64');
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-config-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const problems = (env: Record<string, string>): string[] => {
  try {
    loadConfig({ DATA_DIR: dataDir, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.variable).sort();
    throw error;
  }
  return [];
};

describe('accepted input', () => {
  it('starts with nothing set at all', () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    expect(config).toMatchObject({
      port: 3000,
      databaseUrl: null,
      databasePool: 16,
      baseUrl: 'http://localhost:3000',
      apiBaseUrl: 'http://localhost:3000',
      appUrl: 'http://localhost:3000',
      platform: { forwarding: true },
      sandbox: { enabled: 'auto', port: 3001 },
      role: 'all',
      logLevel: 'info',
      trustProxy: [],
      rateLimit: 100,
      allowPrivateDestinations: false,
      session: { idleSeconds: 3600, absoluteSeconds: 43_200 },
      production: false,
    });
  });

  it('reads every variable', () => {
    const config = loadConfig({
      DATA_DIR: dataDir,
      PORT: '8080',
      DATABASE_URL: 'postgres://u:p@db/x',
      MIGRATION_DATABASE_URL: 'postgres://o:p@db/x',
      DATABASE_POOL: '4',
      BASE_URL: 'https://one.example/',
      API_BASE_URL: 'https://api.example',
      APP_URL: 'https://app.example/app/',
      PLATFORM_API_BASE_URL: 'https://platform.example/',
      PLATFORM_API_KEY: 'secret',
      PLATFORM_FORWARDING: 'off',
      SANDBOX: 'on',
      SANDBOX_PORT: '8081',
      ENCRYPTION_KEY: `new:${KEY},old:${KEY}`,
      CHAIN_SIGNING_KEY: `now:${KEY},then:${KEY}`,
      OPERATOR_TOKEN: 'x'.repeat(40),
      ROLE: 'api',
      LOG_LEVEL: 'warn',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      RATE_LIMIT: 'off',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      SESSION_IDLE: '90s',
      SESSION_ABSOLUTE: '1d',
      RETENTION_LOGS: '1',
      RETENTION_BODIES: '2',
      RETENTION_ATTEMPTS: '3',
      RETENTION_EVENTS: '4',
      METRICS_PORT: '9464',
      METRICS_TOKEN: 'm'.repeat(16),
      NODE_ENV: 'test',
    });
    expect(config).toMatchObject({
      port: 8080,
      databaseUrl: 'postgres://u:p@db/x',
      databasePool: 4,
      baseUrl: 'https://one.example',
      appUrl: 'https://app.example/app',
      platform: { baseUrl: 'https://platform.example', apiKey: 'secret', forwarding: false },
      sandbox: { enabled: 'on', port: 8081 },
      operatorToken: 'x'.repeat(40),
      role: 'api',
      trustProxy: ['10.0.0.0/8', '::1'],
      rateLimit: null,
      allowPrivateDestinations: true,
      session: { idleSeconds: 90, absoluteSeconds: 86_400 },
      retention: { logsDays: 1, bodiesDays: 2, attemptsDays: 3, eventsDays: 4 },
      metrics: { port: 9464, token: 'm'.repeat(16) },
      production: false,
    });
    expect(config.encryptionKeys.map(({ id }) => id)).toEqual(['new', 'old']);
    expect(config.chainKeys.map(({ id }) => id)).toEqual(['now', 'then']);
    expect(config.migrationDatabaseUrl).toBe('postgres://o:p@db/x');
  });

  it('derives the key that signs heads from the encryption key, so that all processes have the same one', () => {
    const [one, other] = [
      loadConfig({ DATA_DIR: dataDir, ENCRYPTION_KEY: KEY }),
      loadConfig({ DATA_DIR: dataDir, ENCRYPTION_KEY: KEY }),
    ];
    expect(one.chainKeys).toEqual(other.chainKeys);
    expect(one.chainKeys[0]!.key).toHaveLength(32);
    expect(one.chainKeys[0]!.key.equals(one.encryptionKeys[0]!.key)).toBe(false);
  });

  it('takes an empty value as absent', () => {
    expect(loadConfig({ DATA_DIR: dataDir, PORT: '', BASE_URL: ' ' }).port).toBe(3000);
  });

  it('cannot be changed afterwards', () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.platform, { forwarding: false })).toThrow(TypeError);
  });

  it('makes the key and the operator token once, readable by their user alone', () => {
    const first = loadConfig({ DATA_DIR: dataDir });
    const second = loadConfig({ DATA_DIR: dataDir });
    expect(second.encryptionKeys).toEqual(first.encryptionKeys);
    expect(second.operatorToken).toBe(first.operatorToken);
    expect(parseToken(first.operatorToken)?.kind).toBe('tbo');
    for (const name of ['encryption-key', 'operator-token']) {
      expect(statSync(path.join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(path.join(dataDir, 'operator-token'), 'utf8').trim()).toBe(first.operatorToken);
  });

  it('keeps the name of an unnamed key when a newer one is put before it', () => {
    const alone = loadConfig({ DATA_DIR: dataDir, ENCRYPTION_KEY: KEY }).encryptionKeys[0]!;
    const { id } = alone;
    const [, old] = loadConfig({
      DATA_DIR: dataDir,
      ENCRYPTION_KEY: `new:${Buffer.alloc(32, 8).toString('base64')},${id}:${KEY}`,
    }).encryptionKeys;
    expect(old).toEqual(alone);
  });
});

describe('secrets from files', () => {
  const file = (text: string) => {
    const name = path.join(dataDir, 'secret');
    writeFileSync(name, text);
    return name;
  };

  it('reads a secret from the file that its variable with _FILE names', () => {
    const config = loadConfig({ DATA_DIR: dataDir, OPERATOR_TOKEN_FILE: file(`${'y'.repeat(40)}\n`) });
    expect(config.operatorToken).toBe('y'.repeat(40));
  });

  it('refuses an empty file, a file beside the variable itself, and a wrong content by the name of the setting', () => {
    expect(problems({ METRICS_TOKEN_FILE: file('\n') })).toEqual(['METRICS_TOKEN_FILE']);
    const both = { OPERATOR_TOKEN: 'x'.repeat(40), OPERATOR_TOKEN_FILE: file('y'.repeat(40)) };
    expect(problems(both)).toEqual(['OPERATOR_TOKEN_FILE']);
    expect(problems({ DATABASE_URL_FILE: file('mysql://x') })).toEqual(['DATABASE_URL']);
  });
});

describe('refused settings', () => {
  const WRONG: [variable: string, value: string][] = [
    ['PORT', '80a'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_POOL', '1'],
    ['BASE_URL', 'ftp://x'],
    ['BASE_URL', 'https://user:pw@x'],
    ['API_BASE_URL', 'https://x?y'],
    ['APP_URL', 'nothing'],
    ['PLATFORM_API_BASE_URL', '//x'],
    ['PLATFORM_API_KEY', 'two words'],
    ['PLATFORM_FORWARDING', 'maybe'],
    ['METRICS_PORT', '3000'],
    ['METRICS_PORT', 'x'],
    ['METRICS_TOKEN', 'short'],
    ['METRICS_TOKEN', 'with a blank in it'],
    ['SANDBOX', 'yes'],
    ['SANDBOX_PORT', '-1'],
    ['ENCRYPTION_KEY', 'short'],
    ['ENCRYPTION_KEY', Buffer.alloc(16).toString('base64')],
    ['ENCRYPTION_KEY', `a:${KEY},a:${KEY}`],
    ['ENCRYPTION_KEY', `${KEY},${KEY}`],
    ['OPERATOR_TOKEN', 'short'],
    ['ROLE', 'boss'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.1, ::/0'],
    ['ALLOW_UNSAFE', 'all of them'],
    ['RETENTION_LOG', '30'],
    ['ALLOW_PRIVATE_DESTINATION', 'true'],
    ['ENCRYPTION_KEY_FILE', '/no/such/file'],
    ['RATE_LIMIT', '0'],
    ['ALLOW_PRIVATE_DESTINATIONS', 'perhaps'],
    ['SESSION_IDLE', '60'],
    ['SESSION_ABSOLUTE', '0h'],
    ['RETENTION_LOGS', '0'],
    ['NODE_ENV', 'prod'],
  ];
  it.each(WRONG)('%s = %s', (variable, value) => {
    expect(problems({ [variable]: value })).toEqual([variable]);
  });

  it('reports all problems together, and never a value', () => {
    const env = { PORT: 'port-value', ROLE: 'role-value', ENCRYPTION_KEY: 'key-value', TRUST_PROXY: 'proxy-value' };
    expect(problems(env)).toEqual(['ENCRYPTION_KEY', 'PORT', 'ROLE', 'TRUST_PROXY']);
    try {
      loadConfig(env);
    } catch (error) {
      expect((error as Error).message).not.toMatch(/-value/);
      expect((error as Error).message).toContain('ROLE must be one of: all, api, worker');
    }
  });

  describe('in production', () => {
    const right = {
      NODE_ENV: 'production',
      ENCRYPTION_KEY: KEY,
      BASE_URL: 'https://bridge.example',
      DATABASE_URL: 'postgres://u:p@db/x',
    };

    it('accepts safe settings, and serves no sandbox', () => {
      expect(problems(right)).toEqual([]);
      expect(loadConfig({ ...right, DATA_DIR: dataDir })).toMatchObject({ sandbox: { enabled: 'off' }, unsafe: [] });
    });

    it('accepts a value that lifts a protection when ALLOW_UNSAFE names its variable, and keeps the name', () => {
      const lifting = { ...right, ALLOW_PRIVATE_DESTINATIONS: 'on', SESSION_IDLE: '31d' };
      expect(problems(lifting)).toEqual(['ALLOW_PRIVATE_DESTINATIONS', 'SESSION_IDLE']);
      expect(problems({ ...lifting, ALLOW_UNSAFE: 'SESSION_IDLE' })).toEqual(['ALLOW_PRIVATE_DESTINATIONS']);
      const allowed = { ...lifting, ALLOW_UNSAFE: 'SESSION_IDLE, ALLOW_PRIVATE_DESTINATIONS', DATA_DIR: dataDir };
      expect([...loadConfig(allowed).unsafe].sort()).toEqual(['ALLOW_PRIVATE_DESTINATIONS', 'SESSION_IDLE']);
      expect(problems({ ...right, ALLOW_UNSAFE: 'PORT' })).toEqual(['ALLOW_UNSAFE']);
      expect(loadConfig({ DATA_DIR: dataDir, ALLOW_PRIVATE_DESTINATIONS: 'on' }).unsafe).toEqual([]);
    });

    it.each([
      ['ENCRYPTION_KEY', ''],
      ['BASE_URL', ''],
      ['BASE_URL', 'http://bridge.example'],
      ['API_BASE_URL', 'http://api.bridge.example'],
      ['APP_URL', 'http://app.bridge.example'],
      ['RATE_LIMIT', 'off'],
      ['SANDBOX', 'on'],
      ['ATS_SIMULATORS', 'lever=http://localhost:1'],
      ['DATABASE_URL', ''],
      ['PLATFORM_API_BASE_URL', 'http://platform.example'],
      ['ALLOW_DESTINATION_NETWORKS', '0.0.0.0/0'],
      ['ENCRYPTION_KEY', Buffer.alloc(32).toString('base64')],
    ])('refuses %s=%s', (name, value) => {
      expect(problems({ ...right, [name]: value })).toEqual([name]);
    });
  });
});
