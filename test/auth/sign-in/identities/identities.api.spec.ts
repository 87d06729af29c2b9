import { runCli } from '../../../../src/cli/program.js';
import type { TestApp } from '../../../support/app.js';
import { client, send } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { waitingForLock } from '../../../support/locks.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { OidcWay, outcomeAt, trustDomain } from '../../../support/sign-in/connections.js';
import type { Tab } from '../../../support/sign-in/tab.js';
import { signInStage } from '../../../support/sign-in/stage.js';

// What an admin can see and undo of who is whom.
let service: TestApp;
let house: House;
let domain: string;
const stage = signInStage((now) => ({ service, house, domain } = now));

interface Listed {
  user_id?: string;
  connection_id?: string;
  subject: string;
  ended_at: string | null;
}
const { open, paired } = stage;
const identities = async (id: string): Promise<Listed[]> => (await house.api.get(`/users/${id}/identities`)).body.data;
const release = (id: string, connection: string) => house.api.delete(`/users/${id}/identities/${connection}`);

/** The user who is signed in; the reason where the sign-in is refused. */
const outcome = (door: OidcWay, claims: Record<string, unknown>, tab?: Tab): Promise<string> =>
  outcomeAt(house, door, claims, tab);

describe('a released binding', () => {
  it('links anew when a sign-in has found the binding and not begun its session yet', async () => {
    const door = await paired();
    const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'flight' }));
    expect(await outcome(door, { sub: 'flight' })).toBe(id);
    const tab = door.tab();
    let going: Promise<string> | undefined;
    await service.db.transaction(null, async (tx) => {
      await tx.query(`select 1 from connections where tenant_id = $1 and id = $2 for no key update`, [
        house.tenantId,
        door.id,
      ]);
      going = outcome(door, { sub: 'flight' }, tab);
      await waitingForLock(service.db);
      expect((await release(id, door.id)).status).toBe(204);
    });
    expect(await going!).toBe(id);
    expect(await identities(id)).toEqual([expect.objectContaining({ subject: 'flight', ended_at: null })]);
  });

  long('links the next sign-in anew when another subject was in the way', async () => {
    const [door, other] = [await paired(), await paired()];
    const name = `${fresh('u')}@${domain}`;
    const id = await madeUser(house.scim, user(name, { externalId: 'e-1' }));
    const [first, elsewhere] = [door.tab(), other.tab()];
    expect(await outcome(door, { sub: 'old', preferred_username: name }, first)).toBe(id);
    expect(await outcome(other, { sub: 'e-1' }, elsewhere)).toBe(id);
    expect(await outcome(door, { sub: 'new', preferred_username: name })).toBe('bound_to_another');
    expect(await identities(id)).toEqual([
      {
        connection_id: other.id,
        connection: 'OP',
        subject: 'e-1',
        made_by: 'claim',
        made_of: 'e-1',
        created_at: expect.any(String),
        last_sign_in_at: expect.any(String),
        ended_at: null,
        end_reason: null,
      },
      expect.objectContaining({ connection_id: door.id, subject: 'old', made_by: 'user_name', made_of: name }),
    ]);

    const answer = await release(id, door.id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    // Signed out there, and nowhere else.
    expect(await first.who()).toBeNull();
    expect((await elsewhere.who())?.user.id).toBe(id);
    expect((await identities(id)).map(({ subject }) => subject)).toEqual(['e-1']);
    expect(await outcome(door, { sub: 'new', preferred_username: name })).toBe(id);
    expect(await outcome(door, { sub: 'old', preferred_username: name })).toBe('bound_to_another');

    const { data } = (await house.api.get(`/audit?action=identity.released&target_id=${id}`)).body;
    expect(data).toEqual([
      expect.objectContaining({
        target_type: 'user',
        target_id: id,
        before: { identities: [expect.objectContaining({ connection_id: door.id, subject: 'old', end_reason: null })] },
        after: { connection_id: door.id, sessions_ended: 1 },
      }),
    ]);
    expect(Object.keys(data[0].before.identities[0]).sort()).toEqual([
      'connection', 'connection_id', 'created_at', 'end_reason', 'ended_at', 'last_sign_in_at', 'made_by', 'made_of', 'subject',
    ]); // prettier-ignore
    const { rows } = await service.db.execute<{ end_reason: string }>(
      `select end_reason from sessions where connection_id = '${door.id}' and subject = 'old'`,
    );
    expect(rows).toEqual([{ end_reason: 'ended_by_admin' }]);
  });

  long('keeps the subject of a deleted user from creating a user until the release', async () => {
    await trustDomain(service, house.tenantId, domain);
    const door = await open({ jit: true });
    const claims = (name: string) => ({ sub: 'jit-1', email: `${name}@${domain}`, preferred_username: undefined });
    const first = await outcome(door, claims(fresh('a')));
    expect(first).toMatch(/^usr_/);
    expect((await house.api.delete(`/users/${first}`)).status).toBe(204);
    const next = claims(fresh('b'));
    expect(await outcome(door, next)).toBe('account_deleted');
    expect(await identities(first)).toEqual([
      expect.objectContaining({ connection_id: door.id, subject: 'jit-1', ended_at: expect.any(String) }),
    ]);
    expect((await release(first, door.id)).status).toBe(204);
    // A person who was there once has an empty list.
    expect(await identities(first)).toEqual([]);
    const second = await outcome(door, next);
    expect(second).toMatch(/^usr_/);
    expect(second).not.toBe(first);
  });

  it('ends the session of a sign-in that is being written at that moment', async () => {
    const door = await paired();
    const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'race' }));
    const tab = door.tab();
    expect(await outcome(door, { sub: 'race' }, tab)).toBe(id);
    let released: Promise<{ status: number }> | undefined;
    await service.db.transaction(null, async (tx) => {
      // As `SignInCompletion` holds the person.
      await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for share`, [house.tenantId, id]);
      released = release(id, door.id);
      await waitingForLock(service.db);
      await tx.query(
        `insert into sessions (tenant_id, id, hash, user_id, connection_id, subject, idle_seconds, expires_at)
         values ($1, 'ses_race', 'x', $2, $3, 'race', 60, now() + interval '1 hour')`,
        [house.tenantId, id, door.id],
      );
    });
    expect((await released!).status).toBe(204);
    expect((await house.api.get(`/users/${id}/sessions`)).body.data).toEqual([]);
    expect(await outcome(door, { sub: 'race' })).toBe(id);
  });

  it('answers 404 alike for unknown bindings and those of another tenant, and 403 without the scope', async () => {
    const door = await paired();
    const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'mine' }));
    const tab = door.tab();
    expect(await outcome(door, { sub: 'mine' }, tab)).toBe(id);
    const unbound = await paired();
    const stranger = await newHouse(service);
    const ask = async (api: House['api'], userId: string, connectionId: string) =>
      (
        await Promise.all([
          api.get(`/users/${userId}/identities`),
          api.delete(`/users/${userId}/identities/${connectionId}`),
          api.get(`/connections/${connectionId}/identities`),
        ])
      ).map(({ status, body }) => [status, body.detail]);
    const foreign = await ask(stranger.api, id, door.id);
    expect(foreign).toEqual([
      [404, 'No such user.'],
      [404, 'No such identity.'],
      [404, 'No such connection.'],
    ]);
    expect(await ask(house.api, 'usr_none', 'con_none')).toEqual(foreign);
    expect((await release(id, unbound.id)).status).toBe(404);
    expect((await release('usr_none', door.id)).status).toBe(404);

    const scopes = ['users:read', 'users:write', 'audit:read'];
    const key = (await house.api.post('/api-keys', { name: 'k', scopes })).body.api_key as string;
    const weak = await ask(client(`${service.url}/api/v1`, key), id, door.id);
    expect(weak.map(([status]) => status)).toEqual([403, 403, 403]);
    const unknown = await send('DELETE', `${service.url}/api/v1/users/${id}/identities/${door.id}`, null);
    expect(unknown.status).toBe(401);

    expect((await tab.who())?.user.id).toBe(id);
    expect((await release(id, door.id)).status).toBe(204);
    expect((await release(id, door.id)).status).toBe(404);
  });
});

describe('the list of bindings of a connection', () => {
  long('comes in pages, newest first, all or only those that are live or have ended', async () => {
    const door = await paired();
    const empty = await house.api.get(`/connections/${door.id}/identities`);
    expect([empty.status, empty.body]).toEqual([200, { data: [], next_cursor: null }]);
    // Of one moment, of different ones, and longer than a cursor.
    await service.db.execute(
      `insert into identities
         (tenant_id, connection_id, subject, user_id, made_by, made_of, created_at, ended_at, end_reason)
       select '${house.tenantId}', '${door.id}', 's' || n || repeat('ö', 2000 * (n % 2)), 'usr_' || n, 'email', 'x',
         timestamptz '2026-01-01' + make_interval(secs => (n / 3) * 0.000001),
         case when n % 4 = 0 then now() end, case when n % 4 = 0 then 'pairing_changed' end
       from generate_series(0, 10) n`,
    );
    const list = async (query: string): Promise<Listed[]> => {
      const found: Listed[] = [];
      for (let cursor = ''; ;) {
        const answer = await house.api.get(`/connections/${door.id}/identities?limit=2${query}${cursor}`);
        expect(answer.status).toBe(200);
        found.push(...(answer.body.data as Listed[]));
        if (answer.body.next_cursor === null) return found;
        cursor = `&cursor=${answer.body.next_cursor as string}`;
      }
    };
    const all = await list('');
    const number = ({ user_id: id }: Listed) => Number(id!.slice(4));
    expect(all.map(number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const moments = all.map((one) => Math.floor(number(one) / 3));
    expect(moments).toEqual([...moments].sort((a, b) => b - a));
    expect(Object.keys(all[0]!).sort()).toEqual([
      'created_at', 'end_reason', 'ended_at', 'last_sign_in_at', 'made_by', 'made_of', 'subject', 'user_id',
    ]); // prettier-ignore
    expect((await list('&ended=true')).map(number).sort()).toEqual([0, 4, 8]);
    expect((await list('&ended=false')).map(number)).not.toContain(4);
    expect(await list('&ended=false')).toHaveLength(8);

    const page = await house.api.get(`/connections/${door.id}/identities?limit=2`);
    const cursor = page.body.next_cursor as string;
    const refused = async (query: string) => {
      const { status, body } = await house.api.get(`/connections/${door.id}/identities?${query}`);
      return [status, body.code];
    };
    expect(await refused(`ended=true&cursor=${cursor}`)).toEqual([400, 'invalid_cursor']);
    expect(await refused('ended=yes')).toEqual([422, 'invalid_fields']);
    expect(await refused('subject=s1')).toEqual([422, 'invalid_fields']);
    const other = await paired();
    expect((await house.api.get(`/connections/${other.id}/identities?cursor=${cursor}`)).status).toBe(400);
  });
});

it('finds users by the directory again when the pairing has changed', async () => {
  await trustDomain(service, house.tenantId, domain);
  const door = await open();
  const name = `${fresh('u')}@${domain}`;
  const id = await madeUser(house.scim, user(name, { externalId: 'theirs' }));
  const tab = door.tab();
  expect(await outcome(door, { sub: 'by-mail', email: name }, tab)).toBe(id);
  const change = await house.api.patch(`/connections/${door.id}`, { directory_id: house.directoryId });
  expect(change.status).toBe(200);
  expect(await tab.who()).toBeNull();
  expect(await identities(id)).toEqual([
    expect.objectContaining({ subject: 'by-mail', end_reason: 'pairing_changed' }),
  ]);
  // The directory's key is another user's subject now, and nothing is in its way.
  expect(await outcome(door, { sub: 'theirs', email: undefined })).toBe(id);
  expect((await identities(id)).filter(({ ended_at: ended }) => ended === null)).toEqual([
    expect.objectContaining({ subject: 'theirs', made_by: 'claim' }),
  ]);
});

it('the command line lists and releases', async () => {
  const door = await paired();
  const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'cli' }));
  expect(await outcome(door, { sub: 'cli' })).toBe(id);
  const cli = async (...args: string[]) => {
    let out = '';
    let err = '';
    const env = { DATA_DIR: service.dataDir, TALENT_BRIDGE_URL: service.url, TALENT_BRIDGE_API_KEY: house.apiKey };
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const code = await runCli([...args, '--json'], env, terminal);
    return { code, err, json: out === '' ? undefined : (JSON.parse(out) as unknown) };
  };
  expect((await cli('identity', 'list', id)).json).toEqual([
    expect.objectContaining({
      connection_id: door.id,
      connection: 'OP',
      subject: 'cli',
      made_by: 'claim',
      ended_at: null,
    }),
  ]);
  expect((await cli('identity', 'release', id)).code).toBe(2);
  const released = await cli('identity', 'release', id, '--connection-id', door.id);
  expect([released.code, released.json]).toEqual([0, { user_id: id, connection_id: door.id, released: true }]);
  expect((await cli('identity', 'release', id, '--connection-id', door.id)).code).toBe(1);
  expect((await cli('identity', 'list', id)).json).toEqual([]);
});

describe('an IdP that now sends other subjects', () => {
  const forget = (id: string, body: object = {}) => house.api.post(`/connections/${id}/forget-subjects`, body);

  long('locks no user out after forget-subjects, and the log names both subjects before it', async () => {
    const door = await paired();
    const people: { id: string; name: string }[] = [];
    for (let i = 0; i < 3; i++) {
      const name = `${fresh('u')}@${domain}`;
      const id = await madeUser(house.scim, user(name, { externalId: fresh('e') }));
      expect(await outcome(door, { sub: `old-${name}`, preferred_username: name })).toBe(id);
      people.push({ id, name });
    }
    const anew = ({ name }: { name: string }) => outcome(door, { sub: `new-${name}`, preferred_username: name });
    expect(await anew(people[0]!)).toBe('bound_to_another');
    const { body: log } = await house.api.get('/sign-ins?reason=bound_to_another&limit=1');
    expect(log.data[0].detail).toContain(
      `known is "old-${people[0]!.name}", the IdP now says "new-${people[0]!.name}"`,
    );
    expect(log.data[0].detail).toContain(`connection forget-subjects ${door.slug} --dry-run`);
    const seen = { connection_id: door.id, forgotten: 3, kept: 0 };
    expect((await forget(door.id, { dry_run: true })).body).toEqual({ ...seen, dry_run: true });
    expect(await anew(people[0]!)).toBe('bound_to_another');
    expect((await forget(door.id)).body).toEqual({ ...seen, dry_run: false });
    for (const one of people) expect(await anew(one)).toBe(one.id);
    expect(await outcome(door, { sub: `old-${people[0]!.name}`, preferred_username: people[1]!.name })).toBe(
      'bound_to_another',
    );
    expect((await forget(door.id, { dry_run: true })).body.forgotten).toBe(3);
    const { body: audit } = await house.api.get('/audit?limit=5');
    expect(audit.data.filter(({ action }: { action: string }) => action === 'connection.subjects_forgotten')).toEqual([
      expect.objectContaining({ target_id: door.id, after: { forgotten: 3, kept: 0 } }),
    ]);
  });

  it('ends no session, and lets no deleted user back in', async () => {
    const door = await paired();
    const [stays, goes] = [fresh('e'), fresh('e')];
    await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: stays }));
    const gone = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: goes }));
    const tab = door.tab();
    await outcome(door, { sub: stays }, tab);
    await outcome(door, { sub: goes });
    await house.scim.delete(`/Users/${gone}`);
    expect((await forget(door.id)).body).toMatchObject({ forgotten: 1 });
    expect(await tab.who()).not.toBeNull();
    expect(await outcome(door, { sub: goes })).toBe('account_deleted');
  });

  it('keeps the subjects of users whom no sign-in can find again', async () => {
    const door = await open({ jit: true });
    const name = fresh('p');
    const email = `${name}@${domain}`;
    const id = await outcome(door, { sub: name, email });
    expect((await forget(door.id)).body).toMatchObject({ forgotten: 0, kept: 1 });
    expect(await outcome(door, { sub: name, email })).toBe(id);
    await trustDomain(service, house.tenantId, domain);
    expect((await forget(door.id)).body).toMatchObject({ forgotten: 1, kept: 0 });
    expect(await outcome(door, { sub: `new-${name}`, email })).toBe(id);
  });

  it('is changed by an admin, for connections of the own tenant alone, and by a command', async () => {
    const door = await paired();
    const other = await newHouse(service);
    expect((await other.api.post(`/connections/${door.id}/forget-subjects`, {})).status).toBe(404);
    expect((await forget(door.id, { dry: true })).status).toBe(422);
    const out: string[] = [];
    const env = { TALENT_BRIDGE_URL: service.url, TALENT_BRIDGE_API_KEY: house.apiKey };
    const terminal = { out: (text: string) => void out.push(text), err: (text: string) => void out.push(text) };
    expect(await runCli(['connection', 'forget-subjects', door.slug, '--dry-run', '--json'], env, terminal)).toBe(0);
    expect(JSON.parse(out.join(''))).toEqual({ connection_id: door.id, dry_run: true, forgotten: 0, kept: 0 });
  });
});
