import { mintToken, parseToken } from '../../../../src/base/crypto/tokens.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { waitingForLock } from '../../../support/locks.js';
import { group, fresh, madeUser, patch, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { OidcWay } from '../../../support/sign-in/connections.js';
import type { Tab } from '../../../support/sign-in/tab.js';

// Two processes on one database: what one of them ends, the other must not take any more.
let first: TestApp;
let second: TestApp;
let house: House;
let door: OidcWay;
let op: HostileOp;
beforeAll(async () => {
  first = await startApp();
  second = await startApp({}, first);
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(first);
  door = await OidcWay.open(first, house, { directory_id: house.directoryId }, op);
});
afterAll(async () => {
  await op.stop();
  await second.close();
  await first.close();
});

async function signedIn(sub = fresh('sub'), tab: Tab = door.tab()): Promise<{ id: string; tab: Tab; sub: string }> {
  const known = await house.scim.get(`/Users?filter=${encodeURIComponent(`externalId eq "${sub}"`)}`);
  const id =
    known.body.Resources?.[0]?.id ?? (await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub })));
  const seen = await door.signIn(tab, { sub });
  if (seen.status !== 303) throw new Error(`${seen.status} ${seen.text}`);
  return { id, tab, sub };
}

const onBoth = async (tab: Tab): Promise<boolean[]> => [
  (await tab.who(first)) !== null,
  (await tab.who(second)) !== null,
];

describe('a session', () => {
  long('is a cookie of this host alone, that no script reads and no other site sends', async () => {
    const tab = door.tab();
    const asked = await door.begin(tab);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'cookie' }));
    const seen = await door.answer(tab, asked, { sub: 'cookie' });
    const line = seen.headers.getSetCookie().find((one) => one.startsWith('__Host-session='))!;
    expect(line).toMatch(/^__Host-session=tbn_[0-9A-Za-z_]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    expect(seen.headers.get('cache-control')).toBe('no-store');
    expect(seen.headers.get('referrer-policy')).toBe('no-referrer');
    const { rows } = await first.db.execute<{ row: string }>(
      `select to_jsonb(s)::text as row from sessions s where tenant_id = '${house.tenantId}'`,
    );
    const secret = line.slice(15, line.indexOf(';'));
    expect(rows).toHaveLength(1);
    expect(rows[0]!.row).not.toContain(secret);
    expect(rows[0]!.row).not.toContain(secret.split('_')[2]);
  });

  long('names the user, the tenant, the connection and the end', async () => {
    const { tab, id } = await signedIn();
    const answer = await tab.get('/api/auth/session', { accept: 'application/json' });
    expect(JSON.parse(answer.text)).toMatchObject({
      user: { id, email: expect.stringContaining('@e.com'), role: 'User' },
      tenant: { id: house.tenantId, name: 'Tenant' },
      connection: { id: door.id, slug: door.slug, type: 'oidc' },
      expires_at: expect.stringMatching(/^\d{4}-/),
    });
    const unknown = await door.tab().get('/api/auth/session', { accept: 'application/json' });
    expect([unknown.status, JSON.parse(unknown.text).code]).toEqual([401, 'no_session']);
  });

  it('is new at every sign-in, and the former one ends (fixation)', async () => {
    const { tab, sub } = await signedIn();
    const before = tab.jar.get('__Host-session')!;
    await signedIn(sub, tab);
    expect(tab.jar.get('__Host-session')).not.toBe(before);
    const thief = door.tab();
    thief.jar.set('__Host-session', before);
    expect(await onBoth(thief)).toEqual([false, false]);
    expect(await onBoth(tab)).toEqual([true, true]);
  });

  it('is refused when it is made up, or names another tenant', async () => {
    const { tab } = await signedIn();
    const real = tab.jar.get('__Host-session')!;
    const thief = door.tab();
    for (const token of [
      'x',
      real.slice(0, -1),
      `${real}a`,
      real.replace('tbn_', 'tbk_'),
      house.apiKey,
      house.scimToken,
    ]) {
      thief.jar.set('__Host-session', token);
      expect(await thief.who()).toBeNull();
    }
    // A token that names another tenant opens nothing here, even where its hash stands with a session of this one.
    const stands = (token: string) =>
      first.db.query(`update sessions set hash = $1 where tenant_id = $2`, [parseToken(token)!.hash, house.tenantId]);
    for (const tenantId of [(await newHouse(first)).tenantId, house.tenantId]) {
      const { token } = mintToken('tbn', tenantId);
      thief.jar.set('__Host-session', token);
      expect(await onBoth(thief)).toEqual([false, false]);
      await stands(token);
      expect(await onBoth(thief)).toEqual(Array(2).fill(tenantId === house.tenantId));
    }
    await stands(real);
    expect(await tab.who()).not.toBeNull();
  });
});

describe('a session ends, on every process and at the same moment, when', () => {
  const ends: [string, (person: { id: string; tab: Tab }) => Promise<unknown>][] = [
    ['SCIM deactivates', ({ id }) => house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))],
    ['SCIM deletes', ({ id }) => house.scim.delete(`/Users/${id}`)],
    ['the role changes', ({ id }) => house.api.patch(`/users/${id}`, { role: 'Admin' })],
    ['an admin ends all sessions', ({ id }) => house.api.delete(`/users/${id}/sessions`)],
    ['the person signs out', ({ tab }) => tab.post('/api/auth/logout')],
    ['the connection is disabled', () => house.api.patch(`/connections/${door.id}`, { enabled: false })],
    ['the connection is deleted', () => house.api.delete(`/connections/${door.id}`)],
    ['the connection gets another issuer', () => house.api.patch(`/connections/${door.id}`, { issuer: 'https://other.example', client_secret: 'new' })],
  ]; // prettier-ignore
  it.each(ends)('%s', async (_name, end) => {
    const { id, tab } = await signedIn();
    const keep = new Map(tab.jar);
    expect(await onBoth(tab)).toEqual([true, true]);
    await end({ id, tab });
    for (const [name, value] of keep) tab.jar.set(name, value);
    expect(await onBoth(tab)).toEqual([false, false]);
    const { body } = await house.api.get('/events?event=session.ended');
    expect(body.data.map((one: { data: object }) => one.data)).toEqual([
      { session_id: expect.stringMatching(/^ses_/) as string, user_id: id, reason: expect.any(String) as string },
    ]);
  });

  long('the users API deactivates or deletes an unmanaged user', async () => {
    for (const end of ['patch', 'delete'] as const) {
      const email = `${fresh()}@own.example`;
      const { body } = await house.api.post('/users', {
        email,
        first_name: 'A',
        last_name: 'B',
        external_id: fresh('k'),
      });
      const free = await OidcWay.open(first, house, { jit: false }, op);
      await first.db.execute(
        `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of)
         values ('${house.tenantId}', '${free.id}', 'by-hand', '${body.id}', 'email', '${email}')`,
      );
      const tab = free.tab();
      await free.signIn(tab, { sub: 'by-hand' });
      expect(await onBoth(tab)).toEqual([true, true]);
      if (end === 'patch') await house.api.patch(`/users/${body.id}`, { status: 'inactive' });
      else await house.api.delete(`/users/${body.id}`);
      expect(await onBoth(tab)).toEqual([false, false]);
      await house.api.delete(`/connections/${free.id}`);
    }
  });

  long('the group that gave the role loses the user, and the seat with it', async () => {
    await house.api.patch(`/directories/${house.directoryId}`, { default_role: null });
    const sub = fresh('sub');
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const made = await house.scim.post('/Groups', group(fresh('G'), { members: [{ value: id }] }));
    await house.api.put(`/directories/${house.directoryId}/rules`, {
      rules: [{ group_id: made.body.id, role: 'User' }],
    });
    const tab = door.tab();
    // The rule is worked off in the background.
    await eventually(
      () => door.signIn(tab, { sub }),
      ({ status }) => status === 303,
    );
    expect(await onBoth(tab)).toEqual([true, true]);
    await house.scim.patch(`/Groups/${made.body.id}`, patch({ op: 'remove', path: `members[value eq "${id}"]` }));
    expect(await onBoth(tab)).toEqual([false, false]);
  });

  it('the user is deactivated, and stays ended after a reactivation', async () => {
    const { id, tab } = await signedIn();
    for (const value of [false, true]) {
      await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value }));
    }
    expect(await onBoth(tab)).toEqual([false, false]);
  });

  it('the user is deactivated; a new name or nickname ends no session', async () => {
    const { id, tab } = await signedIn();
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'nickName', value: 'Ada' }));
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'name.familyName', value: 'Byron' }));
    expect(await onBoth(tab)).toEqual([true, true]);
  });

  long('the deactivation of its user is concurrent with the sign-in', async () => {
    const sub = fresh('sub');
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    for (let round = 0; round < 10; round++) {
      await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
      const tab = door.tab();
      const asked = await door.begin(tab);
      await Promise.all([
        door.answer(tab, asked, { sub }),
        house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })),
      ]);
      expect(await onBoth(tab)).toEqual([false, false]);
      await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
      expect(await onBoth(tab)).toEqual([false, false]);
    }
  });

  it('the deactivation waits for the session that is being written', async () => {
    const { id, sub, tab } = await signedIn();
    const late = door.tab();
    await door.signIn(late, { sub });
    const token = parseToken(late.jar.get('__Host-session')!)!;
    let ending: Promise<unknown> | undefined;
    await first.db.transaction(null, async (tx) => {
      // What a sign-in does: it holds the person, and then writes its session down.
      await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for share`, [house.tenantId, id]);
      await tx.query(`delete from sessions where hash = $1`, [token.hash]);
      ending = house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
      await waitingForLock(first.db);
      await tx.query(
        `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idle_seconds, expires_at)
         select $1, 'ses_late', $3, $2, session_epoch, $4, $5, 3600, now() + interval '1 hour' from users
         where tenant_id = $1 and id = $2`,
        [house.tenantId, id, token.hash, door.id, sub],
      );
    });
    await ending;
    expect([...(await onBoth(tab)), ...(await onBoth(late))]).toEqual([false, false, false, false]);
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
    expect([...(await onBoth(tab)), ...(await onBoth(late))]).toEqual([false, false, false, false]);
  });

  it('the idle time, the absolute time or the limit of the IdP is reached', async () => {
    const { tab, sub } = await signedIn();
    const shift = (column: string, by: string) =>
      first.db.execute(
        `update sessions set ${column} = ${column} - interval '${by}' where tenant_id = '${house.tenantId}'`,
      );
    await shift('seen_at', '59 minutes');
    expect(await tab.who()).not.toBeNull();
    await shift('seen_at', '59 minutes');
    expect(await tab.who()).not.toBeNull(); // each use begins the hour anew
    await shift('seen_at', '61 minutes');
    expect(await onBoth(tab)).toEqual([false, false]);
    const other = await signedIn(sub);
    await shift('expires_at', '12 hours');
    expect(await onBoth(other.tab)).toEqual([false, false]);
    const brief = door.tab();
    await door.signIn(brief, { sub, session_expiry: Math.floor(Date.now() / 1000) + 3 });
    expect(await brief.who()).not.toBeNull();
    await shift('expires_at', '4 seconds');
    expect(await brief.who()).toBeNull();
  });
});

describe('the sessions of a user', () => {
  it('are listed and ended by the user one by one, without those of other users', async () => {
    const { tab, sub } = await signedIn();
    const other = (await signedIn(sub)).tab;
    const stranger = (await signedIn()).tab;
    const list = async (of: Tab) =>
      JSON.parse((await of.get('/api/auth/sessions', { accept: 'application/json' })).text).data as {
        id: string;
        current: boolean;
      }[];
    const mine = await list(tab);
    expect(mine).toHaveLength(2);
    const theirs = mine.find(({ current }) => !current)!;
    const end = (of: Tab, id: string, headers = {}) =>
      of.send('DELETE', `/api/auth/sessions/${id}`, undefined, headers);
    expect((await end(stranger, theirs.id)).status).toBe(404);
    expect((await end(tab, theirs.id, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await other.who()).not.toBeNull();
    expect((await end(tab, theirs.id)).status).toBe(204);
    expect(await onBoth(other)).toEqual([false, false]);
    expect(await onBoth(tab)).toEqual([true, true]);
  });

  it('are listed and ended by an admin, with a line in the audit log', async () => {
    const { id, tab } = await signedIn();
    const { body } = await house.api.get(`/users/${id}/sessions`);
    expect(body.data).toHaveLength(1);
    const stranger = await newHouse(first);
    expect((await stranger.api.get(`/users/${id}/sessions`)).status).toBe(404);
    expect((await stranger.api.delete(`/users/${id}/sessions/${body.data[0].id}`)).status).toBe(404);
    expect(await tab.who()).not.toBeNull();
    expect((await house.api.delete(`/users/${id}/sessions/${body.data[0].id}`)).status).toBe(204);
    expect(await onBoth(tab)).toEqual([false, false]);
    expect((await house.api.get('/audit?action=sessions.ended')).body.data).toHaveLength(1);
  });
});
