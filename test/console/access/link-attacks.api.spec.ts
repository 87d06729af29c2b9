import { mintToken } from '../../../src/base/crypto/tokens.js';
import { Logger } from '../../../src/base/log/logger.js';
import { startApp, type TestApp } from '../../support/app.js';
import { ConsoleBrowser, consoleLink, secretOf } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { client } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let house: House;
const lines: string[] = [];
beforeAll(async () => {
  service = await startApp({ LOG_LEVEL: 'info' });
  const found: unknown = service.app.nest.get(Logger);
  (found as { destination: { write(line: string): boolean } }).destination.write = (line) => lines.push(line) > 0;
  house = await newHouse(service);
});
afterAll(() => service.close());

const open = (link: string, browser = new ConsoleBrowser(service)) => browser.ask('POST', '/console/session', { link });

it('answers used, expired, foreign and invented links alike', async () => {
  const used = secretOf(await consoleLink(service, 'admin', house.tenantId));
  expect((await open(used)).status).toBe(201);
  const expired = secretOf(await consoleLink(service, 'admin', house.tenantId));
  await service.db.query(`update console_links set expires_at = now() where used_at is null`);
  const ownerLink = mintToken('tbl', house.tenantId).token;
  const invented = [mintToken('tbe', house.tenantId).token, mintToken('tbe', '').token, mintToken('tbe', 'ten_01k0000000abcdefghjkmnpqrs').token]; // prettier-ignore
  const other = `${used.slice(0, -1)}${used.endsWith('0') ? '1' : '0'}`;
  const answers = [];
  for (const link of [used, expired, ownerLink, ...invented, other, 'x', 'x'.repeat(400)]) {
    const { status, body, headers } = await open(link);
    const { request_id: _, ...rest } = body;
    answers.push({ status, rest, cookies: headers.getSetCookie() });
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 400, rest: { code: 'console_link_over' }, cookies: [] });
});

it('lets one of many concurrent uses of a link succeed', async () => {
  const link = secretOf(await consoleLink(service, 'operator'));
  const seen = await Promise.all(Array.from({ length: 8 }, () => open(link)));
  expect(seen.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
});

it('gives a browser a new cookie in place of one that was set before', async () => {
  const attacker = new ConsoleBrowser(service);
  await open(secretOf(await consoleLink(service, 'auditor', house.tenantId)), attacker);
  const fixed = attacker.tab.jar.get('__Host-console')!;
  const victim = new ConsoleBrowser(service);
  victim.tab.jar.set('__Host-console', fixed);
  await open(secretOf(await consoleLink(service, 'admin', house.tenantId)), victim);
  expect(victim.tab.jar.get('__Host-console')).not.toBe(fixed);
  expect((await victim.ask('GET', '/me')).body.session.role).toBe('admin');
  const { rows } = await service.db.query(
    `select 1 from console_sessions where link_role = 'auditor' and revoked_at is null`,
  );
  expect(rows).toEqual([]);
});

long('stores neither the secret of a link nor that of a session, and shows them in no log', async () => {
  const secret = secretOf(await consoleLink(service, 'admin', house.tenantId));
  const browser = new ConsoleBrowser(service);
  await open(secret, browser);
  const tokens = [secret, browser.tab.jar.get('__Host-console')!].map((token) => token.split('_').at(-1)!.slice(0, 43));
  const { rows: tables } = await service.db.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = quote_ident(current_schema())::regnamespace and relkind in ('r', 'p')`,
  );
  expect(tables.length).toBeGreaterThan(50);
  for (const { name } of tables) {
    const { rows } = await service.db.query<{ hit: boolean }>(
      `select exists (select 1 from ${name} t where to_jsonb(t)::text like any ($1)) as hit`,
      [tokens.map((token) => `%${token}%`)],
    );
    expect([name, rows[0]!.hit]).toEqual([name, false]);
  }
  const audit = (await house.api.get('/audit?limit=200')).text;
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  const log = (await operator.get('/installation/audit')).text;
  expect(lines.some((line) => line.includes('/api/v1/console/session'))).toBe(true);
  for (const text of [audit, log, lines.join('\n')]) {
    for (const token of tokens) expect(text.includes(token)).toBe(false);
  }
});
