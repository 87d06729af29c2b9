import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { OPERATIONS } from '../../src/cli/api/operations.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { commandLine, type Ran } from '../support/cli.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh, madeGroup, madeUser, user } from '../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const cli = (...args: string[]): Promise<Ran> => commandLine(service, house.apiKey, 100)(...args);
const person = (more: object = {}) => {
  const name = fresh('person');
  return {
    userName: `${name}@co.example`,
    externalId: fresh('K-'),
    name: { givenName: 'Bo', familyName: name },
    ...more,
  };
};
const ids = ({ json }: { json: { id: string }[] }) => json.map(({ id }) => id);

describe('event list', () => {
  it('lists events newest first, by name, and as the feed behind a position', async () => {
    const id = await madeUser(house.scim, user(person().userName, person()));
    const newest = await cli('event', 'list', '--event', 'user.created', '--limit', '1', '--json');
    expect(newest.json[0].data).toMatchObject({ id });
    const [{ id: position }] = newest.json;
    await house.scim.delete(`/Users/${id}`);
    const feed = await cli('event', 'list', '--after', position, '--json');
    expect(feed.code).toBe(0);
    expect(feed.json.next_after >= position).toBe(true);
    const table = await cli('event', 'list', '--limit', '2');
    expect([table.code, table.out]).toEqual([0, expect.stringContaining('user.deleted')]);
  });

  it('refuses a name that no event has, and a filter beside a position', async () => {
    expect((await cli('event', 'list', '--event', 'user.made')).code).toBe(2);
    expect((await cli('event', 'list', '--after', '', '--since', '2026-01-01')).code).toBe(2);
  });
});

describe('user find', () => {
  it('finds a user by the beginning of each name, without regard to case', async () => {
    const { userName, externalId, name } = person();
    const id = await madeUser(house.scim, user(userName, { externalId, name }));
    for (const text of [
      userName,
      userName.slice(0, 8).toUpperCase(),
      externalId,
      name.familyName,
      `Bo ${name.familyName}`,
    ]) {
      expect([text, ids(await cli('user', 'find', text, '--json'))]).toEqual([text, expect.arrayContaining([id])]);
    }
    expect((await cli('user', 'find', '%', '--json')).json).toEqual([]);
    expect((await cli('user', 'find', userName, '--status', 'inactive', '--json')).json).toEqual([]);
    expect(ids(await cli('user', 'find', userName, '--directory', house.directoryId, '--json'))).toEqual([id]);
    expect((await cli('user', 'find', userName, '--held', 'bogus')).err).toContain('--held must be one of');
  });

  it('finds a held user by the written values, and names the user with the e-mail', async () => {
    const email = `${fresh('shared')}@co.example`;
    const first = await madeUser(house.scim, user(fresh(), { emails: [{ value: email }] }));
    const written = fresh('Writtenname');
    const second = await madeUser(
      house.scim,
      user(fresh('second'), { emails: [{ value: email }], name: { givenName: written, familyName: 'X' } }),
    );
    expect(ids(await cli('user', 'find', email, '--held', 'any', '--json'))).toEqual([second]);
    expect(ids(await cli('user', 'find', written, '--json'))).toEqual([second]);
    const shown = await cli('user', 'show', second, '--json');
    expect(shown.json).toMatchObject({
      user: { id: second, held: 'email_taken' },
      requested: { email, status: 'active' },
      held: { reason: 'email_taken', releasable: false, conflicts: [{ field: 'email', value: email, user_id: first }] },
    });
    const words = await cli('user', 'show', second);
    expect(words.out).toMatch(new RegExp(`conflict +${first} has the email ${email}, managed by`));
    expect(words.out).toMatch(/why +Another active user has the e-mail address/);
  });

  long('accepts id, e-mail, external_id or userName of a user', async () => {
    const email = `${fresh('mail')}@co.example`;
    const [userName, externalId] = [fresh('login'), fresh('K-')];
    const id = await madeUser(house.scim, user(userName, { externalId, emails: [{ value: email }] }));
    for (const named of [id, email.toUpperCase(), externalId, userName.toUpperCase()]) {
      expect((await cli('user', 'show', named, '--json')).json.user.id).toBe(id);
    }
    const unknown = await cli('user', 'show', userName.slice(0, 4));
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('No user has')]);
    expect((await cli('user', 'show', 'usr_unknown')).code).toBe(1);
    const held = (await cli('user', 'show', id, '--json')).json;
    expect(held.held).toBeNull();
  });
});

describe('directory', () => {
  long('is shown, set and deleted; its rules, groups and pending members are listed', async () => {
    const named = fresh('Dir');
    const made = (await cli('directory', 'create', '--name', named, '--json')).json as { directory_id: string };
    const id = made.directory_id;
    expect((await cli('directory', 'show', named, '--json')).json).toMatchObject({ id, users: 0, pending_members: 0 });
    const set = ['--default-role', 'none', '--on-match', 'refuse', '--map-external-id', 'employeeNumber'];
    expect((await cli('directory', 'set', id, ...set, '--json')).json).toMatchObject({
      default_role: null,
      on_match: 'refuse',
      attribute_map: { external_id: 'employeeNumber' },
    });
    expect((await cli('directory', 'set', id, '--map-external-id', 'none', '--json')).json.attribute_map).toEqual({});
    expect((await cli('directory', 'show', 'no such')).err).toContain('No directory is called no such');
    const ofHouse = house.directoryId;
    const member = await madeUser(house.scim);
    const group = await madeGroup(house.scim, [member, 'not-there-yet']);
    const groups = (await cli('directory', 'groups', ofHouse, '--json')).json;
    expect(groups).toEqual([expect.objectContaining({ id: group, members: 1, pending_members: 1 })]);
    expect((await cli('directory', 'pending', ofHouse, '--json')).json).toEqual([
      expect.objectContaining({ group_id: group, member_id: 'not-there-yet' }),
    ]);
    expect((await cli('directory', 'rules', ofHouse, '--set', `${group}=Admin`, '--json')).json).toEqual([
      expect.objectContaining({ group_id: group, role: 'Admin' }),
    ]);
    expect((await cli('directory', 'rules', ofHouse, '--json')).json).toHaveLength(1);
    expect((await cli('directory', 'rules', ofHouse, '--set', 'none', '--json')).json).toEqual([]);
    expect((await cli('directory', 'rules', ofHouse, '--set', 'Admin')).code).toBe(2);
    expect((await cli('directory', 'delete', id, '--json')).json).toEqual({ directory_id: id, deleted: true });
    expect((await cli('directory', 'show', id)).code).toBe(1);
  });
});

describe('seats, audit, roles and tasks', () => {
  it('lists holders, events and usage, for readers, scripts and as files', async () => {
    const email = `${fresh('seat')}@co.example`;
    const id = await madeUser(house.scim, user(email, { name: { givenName: 'See', familyName: 'Tee' } }));
    const holder = ((await cli('seats', 'holders', '--json')).json as { user_id: string }[]).find(
      (h) => h.user_id === id,
    );
    expect(holder).toMatchObject({ name: 'See Tee', email, external_id: email, role: 'User' });
    const events = (await cli('seats', 'events', '--user-id', email, '--kind', 'claim', '--json')).json;
    expect(events).toEqual([expect.objectContaining({ user_id: id, channel: 'scim', kind: 'claim' })]);
    expect((await cli('seats', 'events', '--until', '2020-01-01', '--json')).json).toEqual([]);
    expect((await cli('seats', 'events', '--format', 'ndjson')).out).toContain(id);
    const today = new Date();
    const [from, to] = [0, 1].map((days) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10));
    const usage = await cli('seats', 'usage', '--from', from!, '--to', to!, '--json');
    expect(usage.json.data).toEqual([expect.objectContaining({ day: from, end: expect.any(Number) })]);
    expect((await cli('seats', 'usage', '--from', from!, '--to', to!, '--format', 'csv')).out).toMatch(/^day,peak,/);
    expect((await cli('seats', 'usage', '--from', from!)).code).toBe(2);
    const usual = (await cli('seats', 'usage', '--json')).json.data as { day: string }[];
    expect(usual).toHaveLength(30);
    expect(usual.at(-1)!.day).toBe(from);
  });

  it('lists the audit log by filter', async () => {
    await cli('role', 'create', 'Sourcer', '--takes-seat', 'no');
    const rows = (await cli('audit', 'list', '--action', 'role.created', '--json')).json;
    expect(rows[0]).toMatchObject({ action: 'role.created', target_type: 'role' });
    expect((await cli('audit', 'list', '--action', 'role.created')).out).toMatch(/key .*role\.created/);
    expect((await cli('audit', 'list', '--format', 'csv')).out).toMatch(/^id,at,/);
  });

  it('lists the audit log by the action that the help has as its example, with the fields that changed', async () => {
    const { about } = OPERATIONS.find(({ call }) => call === 'GET /audit')!.query.find(
      ({ name }) => name === 'action',
    )!;
    const example = /such as `([\w.]+)`/.exec(about)![1]!;
    const name = fresh('Renamed');
    const { directory_id: id } = (await cli('directory', 'create', '--name', fresh('Okta'), '--json')).json;
    expect((await cli('audit', 'list', '--action', example, '--target-id', id, '--json')).json).toHaveLength(1);
    await cli('directory', 'set', id, '--name', name);
    const wide = commandLine(service, house.apiKey, 400);
    const { out } = await wide('audit', 'list', '--action', 'directory.changed', '--target-id', id);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`  name ${name}$`));
    expect((await cli('directory', 'delete', id)).code).toBe(0);
  });

  it('keeps the catalogue of roles', async () => {
    expect((await cli('role', 'create', 'Guest', '--takes-seat', 'no', '--json')).json).toMatchObject({
      takes_seat: false,
    });
    expect((await cli('role', 'set', 'Guest', '--takes-seat', 'yes', '--json')).json).toMatchObject({
      takes_seat: true,
    });
    expect((await cli('role', 'show', 'Guest', '--json')).json).toMatchObject({ name: 'Guest', users: 0 });
    const names = (await cli('role', 'list', '--json')).json.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Guest', 'User']));
    expect((await cli('role', 'delete', 'Guest', '--json')).json).toEqual({ name: 'Guest', deleted: true });
    expect((await cli('role', 'create', 'Guest')).code).toBe(2);
    expect((await cli('role', 'create', 'Guest', '--takes-seat', 'maybe')).err).toContain(
      'Allowed choices are yes, no',
    );
  });

  it('draws a bar for a task', async () => {
    const add = (state: string, done: number, total: number | null) =>
      service.db.query(
        `insert into tasks (tenant_id, id, kind, payload, state, done, total, created_by, finished_at)
         values ($1, $2, 'platform.import', '{}', $3, $4, $5, '{"kind":"system","id":"test"}', now())`,
        [house.tenantId, fresh('tsk_'), state, done, total],
      );
    await add('failed', 50, 200);
    await add('done', 3, 3);
    await add('failed', 7, null);
    const { out } = await cli('task', 'list');
    expect(out).toContain('██░░░░░░░░ 25 % 50/200');
    expect(out).toContain('██████████ 100 % 3/3');
    expect(out).toMatch(/failed +7 /);
  });

  it('stops a task', async () => {
    const id = fresh('tsk_');
    await service.db.query(
      `insert into tasks (tenant_id, id, kind, payload, state, done, total, created_by, lease_until)
       values ($1, $2, 'platform.import', '{}', 'running', 1, 4, '{"kind":"system","id":"test"}', now() + interval '1 hour')`,
      [house.tenantId, id],
    );
    expect((await cli('task', 'cancel', id)).out).toContain('cancelled');
    expect((await cli('task', 'cancel', 'tsk_nothing')).code).toBe(1);
  });
});

describe('changes', () => {
  const refusing = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(422, { 'content-type': 'application/json' }).end('{"detail":"no such cost centre"}');
    });
  });
  beforeAll(() => new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => refusing.close(resolve)));

  long('are shown as pending while they wait, and with the platform’s words when it refused them', async () => {
    const own = await newHouse(service);
    const run = commandLine(service, own.apiKey, 100);
    const email = `${fresh('chg')}@co.example`;
    const id = await madeUser(own.scim, user(email));
    const [change] = (await run('changes', 'list', '--user-id', email, '--state', 'waiting', '--json')).json;
    expect(change).toMatchObject({ user_id: id, state: 'pending', kind: 'created' });
    const { port } = refusing.address() as AddressInfo;
    await run('platform', 'set', '--base-url', `http://127.0.0.1:${port}`, '--api-key', 'secret-key');
    await eventually(
      () => own.api.get(`/changes/${change.id}`),
      ({ body }) => body.state === 'parked',
    );
    const shown = await run('changes', 'show', change.id);
    expect(shown.out).toMatch(/platform_says +.*no such cost centre/);
    expect(shown.out).toMatch(/call_1 .* POST \/v1\/users → 422 refused \(\d+ ms\): .*no such cost centre/);
    expect((await run('changes', 'show', change.id, '--json')).json.attempts).toHaveLength(1);
  });
});

describe('names in place of ids', () => {
  long('takes names of directories, groups and users in options', async () => {
    const own = await newHouse(service);
    const run = commandLine(service, own.apiKey, 100);
    const email = `${fresh()}@co.example`;
    const id = await madeUser(own.scim, user(email));
    const group = await madeGroup(own.scim, [id]);
    const { display_name: groupName } = (await own.api.get(`/directories/${own.directoryId}/groups`)).body.data[0];
    const ruled = await run('directory', 'rules', 'Directory', '--set', `${groupName}=Observer`, '--json');
    expect([ruled.code, ruled.json]).toMatchObject([0, [{ group_id: group, role: 'Observer' }]]);
    const next = await run('directory', 'create', '--name', 'Next', '--takes-over', 'directory', '--json');
    expect(next.code).toBe(0);
    expect((await own.api.get('/directories')).body.data[0].takes_over).toBe(own.directoryId);
    expect(ids(await run('user', 'find', '--directory', 'Directory', '--json'))).toEqual([id]);
    const unknown = await run('directory', 'create', '--name', 'X', '--takes-over', 'Okta');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('No directory is called Okta')]);
  });

  it('names the option in a refusal, and not the place in the request', async () => {
    const refused = await cli('directory', 'rules', '--set', 'grp_nobody=User');
    expect(refused.err).toContain('--set (entry 1, group_id) must be a group of this directory');
    const misspelt = await cli('directory', 'create', '--nam', 'X');
    expect([misspelt.code, misspelt.err]).toEqual([2, expect.stringContaining("unknown option '--nam'")]);
    const missing = await cli('directory', 'create');
    expect([missing.code, missing.err]).toEqual([2, '--name is required.\n']);
  });
});

describe('dangerous commands', () => {
  it('name the users of a deleted directory, and ask for their number', async () => {
    const own = await newHouse(service);
    const run = commandLine(service, own.apiKey, 100);
    for (let n = 0; n < 2; n++) await madeUser(own.scim, user(`${fresh()}@co.example`));
    const asked = await run('directory', 'delete', 'Directory');
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/has 2 users and 0 groups.+--confirm 2/)]);
    expect((await run('directory', 'delete', 'Directory', '--confirm', '3')).err).toContain('is not that number');
    expect((await own.api.get('/directories')).body.data).toHaveLength(1);
    expect((await run('directory', 'delete', 'Directory', '--confirm', '2')).code).toBe(0);
  });

  it('count the users that another address of the platform sends again', async () => {
    const own = await newHouse(service);
    const run = commandLine(service, own.apiKey, 100);
    const at = (port: string) => ['platform', 'set', '--base-url', `http://127.0.0.1:${port}`, '--api-key', 'k'];
    expect((await run(...at('9'), '--json')).json).toMatchObject({ sends_again: 0, connected: true });
    await madeUser(own.scim, user(`${fresh()}@co.example`));
    expect((await run(...at('10'), '--dry-run', '--json')).json).toEqual({ sends_again: 1, changed: false });
    const asked = await run(...at('10'));
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/sends all 1 users again.+--confirm 1/)]);
    expect((await own.api.get('/platform')).body.base_url).toBe('http://127.0.0.1:9');
    const moved = await run(...at('10'), '--confirm', '1', '--json');
    expect(moved.json).toMatchObject({ base_url: 'http://127.0.0.1:10', sends_again: 1 });
    expect(moved.json.message).not.toBe('Changes are forwarded.');
  });
});
