import path from 'node:path';
import { REFUSAL_REASONS } from '../../src/auth/sign-in/sign-in.errors.js';
import { VARIABLES, loadConfig } from '../../src/base/config/load-config.js';
import { optionOf } from '../../src/cli/command/command.js';
import { COMMANDS } from '../../src/cli/program.js';
import { referencePages } from '../../src/cli/reference/pages.js';
import { EVENT_NAMES } from '../../src/engine/events/catalogue.js';
import { PROBLEM_CODES } from '../../src/operations/docs/problem-codes.js';
import { SCOPES } from '../../src/tenancy/tenants/scopes.js';
import { read } from './documents.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const pages = referencePages(read('src/base/config/environment.ts'));

it.each(Object.keys(pages))('docs/reference/%s is what the code says (else: npm run docs:reference)', (name) => {
  expect(read(`docs/reference/${name}`)).toBe(pages[name]);
});

it('has every setting once, in the order of the code, with default, meaning and values', () => {
  const rows = [...pages['settings.md']!.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual([...VARIABLES]);
});

it('has the defaults of the code', () => {
  const config = loadConfig({ ENCRYPTION_KEY: KEY, OPERATOR_TOKEN: 'o'.repeat(40) });
  const documented = (name: string) =>
    new RegExp(`^\\| \`${name}\` \\| \`?([^\`|]+?)\`? \\|`, 'm').exec(pages['settings.md']!)?.[1];
  const hours = (seconds: number) => `${seconds / 3600}h`;
  const real: Record<string, string> = {
    PORT: String(config.port),
    DATABASE_POOL: String(config.databasePool),
    DATA_DIR: path.relative(process.cwd(), config.dataDir),
    BASE_URL: config.baseUrl.replace(String(config.port), '<PORT>'),
    PLATFORM_FORWARDING: config.platform.forwarding ? 'on' : 'off',
    SANDBOX: config.sandbox.enabled,
    SANDBOX_PORT: String(config.sandbox.port),
    ROLE: config.role,
    LOG_LEVEL: config.logLevel,
    RATE_LIMIT: String(config.rateLimit),
    ALLOW_PRIVATE_DESTINATIONS: String(config.allowPrivateDestinations),
    SESSION_IDLE: `${config.session.idleSeconds / 60}m`,
    SESSION_ABSOLUTE: hours(config.session.absoluteSeconds),
    RETENTION_LOGS: String(config.retention.logsDays),
    RETENTION_BODIES: String(config.retention.bodiesDays),
    RETENTION_ATTEMPTS: String(config.retention.attemptsDays),
    RETENTION_EVENTS: String(config.retention.eventsDays),
  };
  expect(Object.fromEntries(Object.keys(real).map((name) => [name, documented(name)]))).toEqual(real);
  expect([config.apiBaseUrl, config.appUrl]).toEqual([config.baseUrl, config.baseUrl]);
});

it('has every error code, event, scope and reason of a refused sign-in', () => {
  for (const code of Object.keys(PROBLEM_CODES)) expect(pages['errors.md']).toContain(`\n## ${code}\n`);
  for (const event of EVENT_NAMES) expect(pages['events.md']).toContain(`\n## ${event}\n`);
  for (const scope of SCOPES) expect(pages['scopes.md']).toContain(`\n| \`${scope}\` | `);
  for (const reason of REFUSAL_REASONS) expect(pages['sign-in-reasons.md']).toContain(`\n| \`${reason}\` | `);
});

it('has every command with its options, and a line for each noun', () => {
  for (const { noun, verb, options = [] } of COMMANDS) {
    const heading = verb === '' ? `\n## ${noun}\n` : `\n### ${noun} ${verb}\n`;
    const section = pages['cli.md']!.split(heading)[1]?.split('\n#')[0];
    expect([noun, verb, section]).toEqual([noun, verb, expect.any(String)]);
    for (const { name } of options) expect(section).toContain(`\`${optionOf(name)}`);
  }
});

it('has no row without a meaning', () => {
  for (const text of Object.values(pages)) expect(text).not.toMatch(/\| +\||undefined/);
});
