import { SignInLog } from '../../../src/auth/sign-in/log/sign-in-log.js';
import { candidate } from '../../support/candidates.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, type Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, madeGroup, madeUser, replace, user } from '../../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service, { name: 'Okta EU' });
});
afterAll(() => service.close());

const find = (text: string, { apiKey } = house): Promise<Answer> =>
  client(`${service.url}/api/v1`, apiKey).get(`/search?q=${encodeURIComponent(text)}`);
const found = async (text: string, at = house) => (await find(text, at)).body.data;
const idsOf = async (text: string) => (await found(text)).map(({ id }: { id: string }) => id);
const named = (givenName: string, familyName: string, name = `${fresh()}@example.com`) =>
  madeUser(house.scim, user(name, { name: { givenName, familyName } }));

describe('200', () => {
  it('finds users, directories and groups by the beginning of a name, in any case', async () => {
    const id = await named('Oktavia', 'Other', 'oktavia@example.com');
    const group = await madeGroup(house.scim, [], { displayName: 'OKTA Admins' });
    const none = { parent_id: null };
    expect(await found('okta')).toEqual([
      { kind: 'user', id, title: 'Oktavia Other', detail: 'oktavia@example.com', ...none, state: 'active' },
      { kind: 'directory', id: house.directoryId, title: 'Okta EU', detail: 'tolerant', ...none },
      { kind: 'group', id: group, title: 'OKTA Admins', detail: 'Okta EU', parent_id: house.directoryId },
    ]);
    expect(await found('nothing has this name')).toEqual([]);
  });

  it('puts an exact e-mail before users whose e-mail begins with it, a user in force before one who left, and the exact name of a group first', async () => {
    const exact = await madeUser(house.scim, user('jo@example.co'));
    const longer = await madeUser(house.scim, user('jo@example.com'));
    expect(await idsOf('JO@example.co')).toEqual([exact, longer]);
    await house.scim.patch(`/Users/${exact}`, replace('active', false));
    expect(await idsOf('JO@example.co')).toEqual([longer, exact]);
    const second = await madeGroup(house.scim, [], { displayName: 'Design team' });
    const first = await madeGroup(house.scim, [], { displayName: 'Design' });
    expect(await idsOf('design')).toEqual([first, second]);
  });

  long('finds a record of each kind by its id', async () => {
    const id = await named('By', 'Id');
    const group = await madeGroup(house.scim, [id]);
    await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role: 'User' }] });
    const task = (await house.api.get('/tasks')).body.data[0];
    const change = (await house.api.get(`/changes?user_id=${id}`)).body.data[0];
    const request = (
      await eventually(
        () => house.api.get(`/requests?user=${id}`),
        ({ body }) => body.data.length > 0,
      )
    ).body.data[0];
    const kinds = {
      user: id,
      directory: house.directoryId,
      group,
      task: task.id,
      change: change.id,
      request: request.id,
    };
    const parents = { group: house.directoryId, change: id, request: id } as Record<string, string>;
    for (const [kind, one] of Object.entries(kinds)) {
      expect(await found(one)).toEqual([
        {
          kind,
          id: one,
          title: expect.any(String),
          detail: expect.any(String),
          parent_id: parents[kind] ?? null,
          ...(kind === 'user' ? { state: 'active' } : {}),
        },
      ]);
    }
    for (const one of ['usr_0', 'chg_0', `chg_${'9'.repeat(30)}`, 'req_0', 'tsk_0', 'dir_0', 'grp_0']) {
      expect([one, await found(one)]).toEqual([one, []]);
    }
  });

  long('finds records of all other kinds by the prefix of their id', async () => {
    const id = await named('By', 'Prefix');
    const made = async (path: string, body: object) => (await house.api.post(path, body)).body.id as string;
    const cand = await made('/candidates', candidate());
    const times = { starts_at: '2030-03-05T13:00:00Z', ends_at: '2030-03-05T13:45:00Z' };
    const key = await made('/api-keys', { name: 'k', scopes: ['users:read'] });
    const event = (await house.api.get('/events?event=candidate.created')).body.data[0].id as string;
    const job = (await house.api.put(`/jobs/by-external-id/${fresh()}`, { title: 'Engineer' })).body.id as string;
    const kinds: Record<string, [string, string | null]> = {
      candidate: [cand, null],
      interview: [await made(`/candidates/${cand}/interviews`, times), cand],
      job: [job, null],
      api_key: [key, null],
      scim_token: [await made(`/directories/${house.directoryId}/tokens`, {}), house.directoryId],
      client: [await made(`/directories/${house.directoryId}/clients`, { kind: 'secret' }), house.directoryId],
      ats_connection: [await made('/ats-connections', { provider: 'ashby' }), null],
      webhook: [await made('/webhooks', { url: 'http://127.0.0.1:9443/hook' }), null],
      event: [event, cand],
    };
    for (const [kind, [one, parent]] of Object.entries(kinds)) {
      expect(await found(one)).toEqual([expect.objectContaining({ kind, id: one, parent_id: parent })]);
    }
    const scopes = ['users:read', 'directories:read'];
    const { api_key: apiKey } = (await house.api.post('/api-keys', { name: fresh(), scopes })).body;
    for (const one of [cand, key, event]) expect(await found(one, { ...house, apiKey })).toEqual([]);
    expect(await found(id, { ...house, apiKey })).toHaveLength(1);
  });

  it('finds a sign-in by its support id, and the refused ones of an address that no user has', async () => {
    const account = `${fresh()}@unknown.example`;
    const entry = {
      kind: 'sign-in',
      connectionId: null,
      outcome: 'refused',
      reason: 'unknown_account',
      account,
    } as const;
    const origin = { ip: null, userAgent: null, requestId: 'req_x' } as never;
    const id = await service.app.nest.get(SignInLog, { strict: false }).record(house.tenantId, entry, origin);
    const hit = { kind: 'sign_in', id, title: account, detail: 'refused: unknown_account', parent_id: null };
    expect(await found(id)).toEqual([hit]);
    expect(await found(account.toUpperCase())).toEqual([hit]);
    const { json } = await commandLine(service, house.apiKey)('explain', account, '--json');
    expect(json).toEqual([hit]);
  });

  it('takes %, _, quotes, backslashes and other signs as text', async () => {
    const id = await named('100%_"\'\\', 'Sign');
    await named('100 per cent', 'Plain');
    expect(await idsOf('100%_"\'\\')).toEqual([id]);
    for (const text of ['%', '_', "'", '"', '\\', '100_', "' or 1=1 --", '\u{10ffff}', '🦊', '(', '*']) {
      const answer = await find(text);
      expect([text, answer.status, answer.body.data]).toEqual([text, 200, []]);
    }
  });

  it('answers at most 20 records, and leaves room for each kind', async () => {
    const start = fresh('Many');
    await Promise.all(Array.from({ length: 12 }, () => named(start, fresh())));
    for (let i = 0; i < 7; i++) await madeGroup(house.scim, [], { displayName: `${start} ${i}` });
    const kinds = (await found(start)).map(({ kind }: { kind: string }) => kind);
    expect([kinds.filter((kind: string) => kind === 'user').length, kinds.length]).toEqual([10, 15]);
  });

  it('finds nothing of another tenant, by name or id', async () => {
    const id = await named('Secretia', 'Only');
    const group = await madeGroup(house.scim, [], { displayName: 'Secretia' });
    const other = await newHouse(service);
    for (const text of ['secretia', id, group, house.directoryId]) expect(await found(text, other)).toEqual([]);
  });

  it('leaves out tasks and changes without their scope', async () => {
    const id = await named('Scope', 'Less');
    const change = (await house.api.get(`/changes?user_id=${id}`)).body.data[0];
    const scopes = ['users:read', 'directories:read'];
    const { api_key: apiKey } = (await house.api.post('/api-keys', { name: fresh(), scopes })).body;
    expect(await found(change.id, { ...house, apiKey })).toEqual([]);
    expect(await found(id, { ...house, apiKey })).toHaveLength(1);
  });

  it('has a command', async () => {
    const id = await named('Commandia', 'Line');
    const { code, json } = await commandLine(service, house.apiKey)('search', 'commandia', '--json');
    expect([code, json]).toEqual([0, [expect.objectContaining({ kind: 'user', id })]]);
  });
});

describe('403', () => {
  it('needs both scopes', async () => {
    for (const scope of ['users:read', 'directories:read']) {
      const { api_key: apiKey } = (await house.api.post('/api-keys', { name: fresh(), scopes: [scope] })).body;
      expect((await find('x', { ...house, apiKey })).body.code).toBe('missing_scope');
    }
  });
});

describe('422', () => {
  it('names a text that is missing, blank, too long, or holds a NUL', async () => {
    for (const text of ['', '   ', 'x'.repeat(101), 'a\0b']) {
      const { status, body } = await find(text);
      expect([status, body.errors[0].field]).toEqual([422, 'q']);
    }
    expect((await house.api.get('/search')).body.errors).toMatchObject([{ field: 'q' }]);
    expect((await find('🦊'.repeat(100))).status).toBe(200);
  });
});
