import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { VERSION } from '../../src/base/log/logger.js';
import { COMMANDS, runCli } from '../../src/cli/program.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { send } from '../support/http.js';
import { long } from '../support/rounds.js';

let edge: TestApp;
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  edge = await sharedApp();
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-cli-'));
  writeFileSync(
    path.join(dataDir, 'credentials.json'),
    JSON.stringify({
      tenant_id: edge.tenant.tenantId,
      api_key: edge.tenant.apiKey,
      scim_base_url: `${edge.url}/scim/v2`,
      scim_token: edge.tenant.scimToken,
      operator_token: edge.operatorToken,
    }),
  );
  env = { DATA_DIR: dataDir };
});
afterAll(async () => {
  await edge.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function cli(line: string | string[], otherEnv: Record<string, string> = env) {
  let out = '';
  let err = '';
  const args = typeof line === 'string' ? line.split(' ') : line;
  const code = await runCli(args, otherEnv, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err, json: args.includes('--json') && out !== '' ? JSON.parse(out) : undefined };
}
const me = (token: string) => send('GET', `${edge.url}/api/v1/me`, token);

it('knows every command of the list', () => {
  expect(COMMANDS.map(({ noun, verb }) => `${noun} ${verb}`.trim()).sort()).toEqual(
    expect.arrayContaining([
      'api-key create', 'api-key revoke', 'changes dismiss', 'changes list', 'changes resend', 'changes retry',
      'directory create', 'directory guard', 'directory live', 'directory preview', 'directory rotate-token',
      'held discard', 'held list', 'held release', 'keys rotate', 'migrate', 'platform import', 'platform pause',
      'platform resume', 'platform set', 'platform test', 'seats limit', 'seats show', 'seats verify', 'status',
      'tenant create', 'tenant list',
    ]), // prettier-ignore
  );
});

it('names its version, and the option that has an unknown option as a value', async () => {
  expect((await cli('--version')).out.trim()).toBe(VERSION);
  const { code, err } = await cli('directory create --name Okta --preview');
  expect(code).toBe(2);
  expect(err).toContain("unknown option '--preview'");
  expect(err).toContain('(Did you mean --state preview?)');
});

describe('a new tenant', () => {
  long('is made, gets a directory and a key, and is used by its id', async () => {
    const tenant = (
      await cli(['tenant', 'create', '--name', 'From the terminal', '--time_zone', 'Europe/Berlin', '--json'])
    ).json;
    expect(Object.keys(tenant)).toEqual(['tenant_id', 'name', 'api_key']);
    expect((await me(tenant.api_key)).body.tenant).toEqual({ id: tenant.tenant_id, name: 'From the terminal' });
    expect((await cli('tenant list --json')).json.map(({ tenant_id }: { tenant_id: string }) => tenant_id)).toContain(
      tenant.tenant_id,
    );

    const directory = (
      await cli(`directory create --tenant ${tenant.tenant_id} --name Okta --profile okta --guard off --json`)
    ).json;
    expect(directory).toMatchObject({
      tenant_id: tenant.tenant_id,
      profile: 'okta',
      state: 'live',
      scim_base_url: expect.stringMatching(/\/scim\/v2$/),
      scim_token: expect.stringMatching(/^tbs_/),
    });
    expect((await send('GET', `${edge.url}/scim/v2/Users`, directory.scim_token)).status).toBe(200);

    const rotated = (await cli(`directory rotate-token --tenant ${tenant.tenant_id} --overlap-seconds 0 --json`)).json;
    expect(rotated.directory_id).toBe(directory.directory_id);
    expect((await send('GET', `${edge.url}/scim/v2/Users`, directory.scim_token)).status).toBe(401);
    expect((await send('GET', `${edge.url}/scim/v2/Users`, rotated.scim_token)).status).toBe(200);

    const key = (
      await cli(`api-key create --tenant ${tenant.tenant_id} --name Zapier --scopes users:read,seats:read --json`)
    ).json;
    expect((await me(key.api_key)).body.api_key.scopes).toEqual(['users:read', 'seats:read']);
    expect((await cli(`api-key revoke ${key.api_key_id} --tenant ${tenant.tenant_id}`)).code).toBe(0);
    expect((await me(key.api_key)).status).toBe(401);
  });

  it('leaves no key behind that still opens', async () => {
    const tenant = (await cli('tenant create --name Clean --json')).json;
    await cli(`directory create --tenant ${tenant.tenant_id} --name D --json`);
    const keys = (await send('GET', `${edge.url}/api/v1/api-keys`, tenant.api_key)).body.data as {
      name: string;
      revoked_at: string | null;
    }[];
    expect(keys.filter(({ name }) => name === 'cli').map(({ revoked_at }) => revoked_at)).toEqual([expect.any(String)]);
  });
});

describe('an export of the ledger', () => {
  let lines: string[];
  let file: string;
  const nowhere = { DATA_DIR: path.join(os.tmpdir(), 'bridge-cli-none'), TALENT_BRIDGE_URL: 'http://127.0.0.1:9' };
  const check = (changed: string[], ...more: string[]) => {
    writeFileSync(file, `${changed.join('\n')}\n`);
    return cli(['seats', 'verify', '--file', file, ...more, '--json'], nowhere);
  };
  const hashOf = (line: string) => (JSON.parse(line) as { hash: string }).hash;

  beforeAll(async () => {
    file = path.join(dataDir, 'ledger.ndjson');
    for (const limit of ['7', '8', 'none']) await cli(`seats limit --limit ${limit}`);
    await cli('seats verify');
    const exported = await send('GET', `${edge.url}/api/v1/seats/events?format=ndjson`, edge.tenant.apiKey);
    lines = exported.text.trim().split('\n');
    expect(lines.length).toBeGreaterThan(2);
  });

  it('is checked without the service, and named at the place of a change or cut', async () => {
    const last = lines.at(-1)!;
    const verdict = { ok: true, entries: lines.length, head: hashOf(last) };
    expect((await check(lines)).json).toMatchObject(verdict);
    expect((await check(lines, '--head', hashOf(lines[0]!))).json).toMatchObject(verdict);

    const changed = lines.with(1, lines[1]!.replace(/"limit":\d+/, '"limit":9000'));
    expect(changed).not.toEqual(lines);
    expect(await check(changed)).toMatchObject({ code: 1, json: { ok: false, sequence: 2 } });
    expect((await check(changed)).err).toMatch(/^Not ok\. Line 2 of the chain does not fit: the entry was changed\. /);
    // A file without its last lines is a whole chain.
    expect((await check(lines.slice(0, -1))).json).toMatchObject({ ok: true, note: expect.stringContaining('--head') });
    expect((await check(lines, '--head', hashOf(last))).json).not.toHaveProperty('note');
    expect(await check(lines.toSpliced(1, 1))).toMatchObject({ code: 1, err: expect.stringContaining('sequence 2') });
    expect(await check(lines.slice(0, -1), '--head', hashOf(last))).toMatchObject({
      code: 1,
      err: expect.stringContaining('does not pass through the head'),
    });
  });

  it.each([
    ['no JSON', ['sequence,kind'], /line 1: not JSON/],
    ['another list', ['{"id":"x"}'], /line 1: not an entry/],
    ['no object', ['null'], /line 1: not an entry/],
  ])('refuses %s', async (_, content, message) => {
    expect(await check(content)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  });

  it('reports a missing file, and a head without one', async () => {
    expect(await cli('seats verify --file /nowhere/x.ndjson', nowhere)).toMatchObject({
      code: 2,
      err: expect.stringContaining('ENOENT'),
    });
    expect(await cli('seats verify --head 00', nowhere)).toMatchObject({ code: 2 });
  });
});

describe('the tenant of the credentials file', () => {
  it('needs no name', async () => {
    expect((await cli('seats show --json')).json).toMatchObject({ limit: null, used: 0 });
    expect((await cli('seats limit --limit 5 --policy wait --json')).json).toMatchObject({ limit: 5 });
    expect((await cli('seats limit --policy directory=allow --json')).json.limit).toBe(5);
    expect((await cli('seats limit --limit none --json')).json.limit).toBeNull();
    expect((await cli('seats verify --json')).code).toBe(0);
    expect((await cli('held list --json')).json).toEqual([]);
    expect((await cli('changes list --json')).json).toEqual([]);
    expect((await cli('directory list --json')).json).toHaveLength(1);
    expect((await cli('held release --all --dry-run --json')).json).toEqual({ count: 0 });
    expect((await cli('held release --all --wait --json')).json).toMatchObject({
      kind: 'held.release',
      state: 'done',
      result: { released: 0, left_out: 0 },
    });
  });

  it('its directory is guarded, put into preview and back', async () => {
    expect((await cli('directory guard --percent 5 --json')).json.guard).toMatchObject({ percent: 5 });
    expect((await cli('directory guard --policy on --percent 7 --json')).json.guard).toMatchObject({ percent: 7 });
    expect((await cli('directory guard --policy off --json')).json.guard).toBe('off');
    expect((await cli('directory preview --json')).json.state).toBe('preview');
    expect((await cli('directory live --json')).json.state).toBe('live');
  });

  it('its platform is set, paused and resumed', async () => {
    expect((await cli('platform show --json')).json.state).toBe('no_platform_yet');
    const set = await cli('platform set --base-url http://127.0.0.1:9 --api-key secret-key --rate 5 --json');
    expect([set.err, set.json]).toEqual(['', expect.objectContaining({ base_url: 'http://127.0.0.1:9', rate: 5 })]);
    expect(set.out).not.toContain('secret-key');
    expect((await cli('platform pause --json')).json.state).toBe('paused');
    expect((await cli('platform resume --json')).json.state).toBe('ok');
    expect((await cli('platform test --json')).json.ok).toBe(false);
  });

  it('shows its status', async () => {
    expect((await cli('status --json')).json).toMatchObject({
      up: true,
      ready: true,
      tenant_id: edge.tenant.tenantId,
      seats_used: 0,
      held: 0,
    });
    expect((await cli('status')).out).toMatch(/^ready +true$/m);
  });

  it('seals anew by keys rotate', async () => {
    expect((await cli('keys rotate --json')).json).toMatchObject({ resealed: { 'destinations.key_sealed': 0 } });
  });
});

describe('the environment', () => {
  it('overrides the file', async () => {
    const other = await edge.newTenant();
    const own = { TALENT_BRIDGE_URL: `${edge.url}/`, TALENT_BRIDGE_API_KEY: other.apiKey, DATA_DIR: dataDir };
    expect((await cli('status --json', own)).json.tenant_id).toBe(other.tenantId);
  });
});

describe('an error', () => {
  it.each<[string, string | string[], number, RegExp]>([
    ['an unknown command', 'tenant destroy', 2, /unknown command/],
    ['an unknown option', 'tenant list --nmae x', 2, /unknown option/],
    ['a missing option', 'tenant create', 2, /--name/],
    ['a missing argument', 'api-key revoke', 2, /missing required argument/],
    ['no number', 'seats limit --limit many', 2, /--limit must be a whole number/],
    ['nothing to set', 'seats limit', 2, /--limit, --policy/],
    ['a refusal of the service', 'api-key create --name k --scopes everything', 1, /scopes must hold only/],
    ['something that is not there', 'api-key revoke key_x', 1, /No such API key/],
    ['a value that no option has', 'directory guard --policy maybe', 2, /Allowed choices are on, off/],
    ['figures of a guard that is off', 'directory guard --policy off --percent 5', 2, /--policy off has no figures/],
    ['an option given twice', 'seats limit --limit 5 --limit 6', 2, /given twice/],
    ['a file and JSON at once', 'seats events --format csv --json', 2, /cannot be used with option '--json'/],
    ['an export and a head of the service', 'seats verify --file x --sequence 3', 2, /cannot be used with/],
    ['a user and all', 'held release usr_x --all', 2, /not both/],
    ['a dry run of one user', 'held release usr_x --dry-run', 2, /--reason or --directory/],
    ['nothing to look for', 'user find', 2, /Say what to look for/],
    ['nothing to change', 'directory set', 2, /Say what to change, such as --default-role; "directory set --help"/],
    [
      'a range that ends before it begins',
      'seats usage --from 2026-10-02 --to 2026-10-01',
      1,
      /--to must be a day after --from, by/,
    ],
    ['a misspelt option', 'tenant create --nam X', 2, /unknown option '--nam'\n\(Did you mean --name\?\)/],
    ['a state that no change has', 'changes list --state sent', 2, /Allowed choices are waiting, pending/],
    ['another tenant that is not there', 'seats show --tenant ten_x', 1, /No such tenant/],
    ['neither one nor all', 'held release', 2, /--all/],
    ['a migration without a database', 'migrate', 2, /DATABASE_URL/],
  ])('%s', async (_, line, code, message) => {
    const result = await cli(line);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toMatch(message);
    expect(result.err).not.toMatch(/at .*\.ts|node_modules/);
  });

  it('without a service', async () => {
    const result = await cli('status', { ...env, TALENT_BRIDGE_URL: 'http://127.0.0.1:9' });
    const words =
      /^No answer from http:\/\/127\.0\.0\.1:9 \(.+\)\. The address is from TALENT_BRIDGE_URL\. A service answers at /;
    expect([result.code, result.err]).toEqual([3, expect.stringMatching(words)]);
    const nowhere = await cli('status', { DATA_DIR: path.join(dataDir, 'none'), PORT: '9' });
    expect(nowhere.err).toMatch(/the default: no TALENT_BRIDGE_URL, no BASE_URL and no credentials\.json in .+none/);
  });

  it('without a credential, and with a wrong one', async () => {
    const empty = { DATA_DIR: path.join(dataDir, 'none'), TALENT_BRIDGE_URL: edge.url };
    expect(await cli('seats show', empty)).toMatchObject({
      code: 4,
      err: expect.stringMatching(/TALENT_BRIDGE_API_KEY/),
    });
    expect(await cli('tenant list', empty)).toMatchObject({ code: 4, err: expect.stringMatching(/OPERATOR_TOKEN/) });
    expect(await cli('seats show', { ...empty, TALENT_BRIDGE_API_KEY: 'tbk_wrong' })).toMatchObject({ code: 4 });
  });

  it('is not raised by help, which explains each noun', async () => {
    const help = (await cli('--help')).out;
    for (const { noun } of COMMANDS) expect(help).toMatch(new RegExp(`^  ${noun} .*\\w{4}`, 'm'));
    expect(await cli('--help')).toMatchObject({ code: 0, out: expect.stringMatching(/tenant/) });
    expect(await cli('directory create --help')).toMatchObject({ code: 0, out: expect.stringMatching(/--profile/) });
  });
});

it('a name cannot move the cursor of the terminal that shows it', async () => {
  await edge.db.query(`update tenants set name = E'a\\u001b[2Jb' where id = $1`, [edge.tenant.tenantId]);
  expect((await cli('tenant list')).out).not.toContain('\u001b');
});

describe('seats, as finance reads them', () => {
  const today = new Date().toISOString().slice(0, 10);

  it('have words for unknown, unlimited and preliminary values', async () => {
    const now = (await cli('seats show')).out;
    expect(now).toMatch(/^limit +none$/m);
    expect(now).toMatch(/^policy +directory=\w+,api=\w+,sign_in=\w+$/m);
    expect(now).toMatch(/^final +(yes: no line can change|no: the ledger is sealed up to 20)/m);
    const before = (await cli('seats show --as-of 2020-10-31')).out;
    for (const name of ['limit', 'used', 'overage']) expect(before).toMatch(new RegExp(`^${name} +unknown$`, 'm'));
    expect(before).not.toMatch(/[{}]|false|true/);
    expect((await cli('seats limit --limit none')).out).toMatch(/^limit +none$/m);
    const day = (await cli('seats usage --from 2020-10-31 --to 2020-11-01')).out;
    expect(day).toMatch(/2020-10-31 +unknown +unknown +unknown +unknown +unknown +/);
  });

  it('show holders as unknown before the ledger', async () => {
    expect((await cli('seats holders --as-of 2020-10-31')).out).toMatch(/^unknown: the ledger has no line/);
    expect((await cli('seats holders --as-of 2020-10-31 --json')).out).toBe('null\n');
    expect((await cli('seats holders')).out).toBe('(none)\n');
  });

  long('are written as files for Excel on request', async () => {
    for (const command of ['show', 'holders', 'events', `usage --from ${today} --to 2099-01-01`]) {
      const { out, code } = await cli(`seats ${command} --excel`);
      expect([command, code, out.charCodeAt(0)]).toEqual([command, 0, 0xfeff]);
      if (command !== 'show') expect((await cli(`seats ${command} --format csv`)).out).toBe(out.slice(1));
    }
    expect(await cli('seats events --excel --format ndjson')).toMatchObject({ code: 2 });
  });

  it('refuse a day after today, and name the option', async () => {
    for (const command of ['show', 'holders']) {
      const { code, err } = await cli(`seats ${command} --as-of 2099-10-31`);
      expect([code, err]).toEqual([1, expect.stringMatching(/--as-of must not be after today .*leave --as-of out/)]);
    }
    expect((await cli('seats show --as-of soon')).err).toContain('--as-of must be a date such as 2026-10-31');
  });

  it('are compared with the users, with a row for each difference', async () => {
    expect((await cli('seats reconcile')).out).toBe('(none)\n');
    const made = await send('POST', `${edge.url}/api/v1/users`, edge.tenant.apiKey, {
      email: 'lost@x.example',
      first_name: 'L',
      last_name: 'Ost',
    });
    const { id } = made.body as { id: string };
    await edge.db.query(`update users set seat = 'none' where tenant_id = $1 and id = $2`, [edge.tenant.tenantId, id]);
    expect((await cli('seats reconcile')).out).toMatch(new RegExp(`${id} +a holder by the ledger, and not in force`));
    const verified = await cli('seats verify');
    expect([verified.code, verified.err]).toEqual([
      1,
      expect.stringMatching(/^Not ok\. The chain is whole, but the lines about usr_\w+ add up to 1, .*seats reconcile/),
    ]);
    expect(verified.out).not.toMatch(/[{}[\]]/);
    expect((await cli('seats reconcile --repair')).out).toMatch(/^repaired +1$/m);
    expect((await cli('seats verify')).code).toBe(0);
  });
});
