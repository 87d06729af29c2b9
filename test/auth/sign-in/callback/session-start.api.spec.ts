import type { SqlRunner } from '../../../../src/base/database/database.js';
import { SessionsRepository } from '../../../../src/tenancy/sessions/sessions.repository.js';
import { waitingForLock } from '../../../support/locks.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { reasonOf, type OidcWay } from '../../../support/sign-in/connections.js';
import { signInStage } from '../../../support/sign-in/stage.js';
import type { Seen } from '../../../support/sign-in/tab.js';

// Each sign-in has begun before what it waits for here.
const stage = signInStage();

async function known(): Promise<{ door: OidcWay; sub: string; id: string }> {
  const door = await stage.paired();
  const sub = fresh('sub');
  const id = await madeUser(stage.house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  expect((await door.signIn(door.tab(), { sub })).status).toBe(303);
  return { door, sub, id };
}

/** Lets a sign-in wait for what `hold` has written and not committed. */
async function signInBehind(
  { door, sub }: { door: OidcWay; sub: string },
  hold: (tx: SqlRunner) => Promise<unknown>,
): Promise<string> {
  const tab = door.tab();
  let going!: Promise<Seen>;
  await stage.service.db.transaction(null, async (tx) => {
    await hold(tx);
    going = door.signIn(tab, { sub });
    await waitingForLock(stage.service.db);
  });
  const reason = await reasonOf(stage.house, await going);
  expect(await tab.who()).toBeNull();
  return reason;
}

it('sees a logout by the IdP that it has waited for', async () => {
  const way = await known();
  const ended = { subject: way.sub, idpSessions: [], at: new Date(Date.now() + 2_000) };
  const reason = await signInBehind(way, (tx) =>
    new SessionsRepository(stage.service.db).noteIdpLogout(tx, stage.house.tenantId, way.door.id, ended),
  );
  expect(reason).toBe('idp_session_ended');
});

it('sees a deactivation that it has waited for', async () => {
  const way = await known();
  const reason = await signInBehind(way, (tx) =>
    tx.query(`update users set status = 'inactive', seat = 'none' where tenant_id = $1 and id = $2`, [
      stage.house.tenantId,
      way.id,
    ]),
  );
  expect(reason).toBe('account_inactive');
});

it('sees a change of the connection that it has waited for', async () => {
  const way = await known();
  const reason = await signInBehind(way, (tx) =>
    tx.query(`update connections set version = version + 1 where tenant_id = $1 and id = $2`, [
      stage.house.tenantId,
      way.door.id,
    ]),
  );
  expect(reason).toBe('connection_changed');
});

it('ends the former session of the browser, and writes one line', async () => {
  const { door, sub, id } = await known();
  const tab = door.tab();
  expect((await door.signIn(tab, { sub })).status).toBe(303);
  expect((await door.signIn(tab, { sub })).status).toBe(303);
  const { rows } = await stage.service.db.query<{ end_reason: string | null }>(
    `select end_reason from sessions where tenant_id = $1 and user_id = $2 order by id`,
    [stage.house.tenantId, id],
  );
  expect(rows.map((row) => row.end_reason)).toEqual([null, 'signed_in_again', null]);
  const { body } = await stage.house.api.get(`/sign-ins?user_id=${id}&outcome=success`);
  expect(body.data.map((line: { linked_by: string }) => line.linked_by)).toEqual(['known', 'known', 'claim']);
});

it('keeps the newest fifty sessions of a user', async () => {
  const { door, sub, id } = await known();
  await stage.service.db.query(
    `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idle_seconds, expires_at)
     select tenant_id, 'ses_0' || i, sha256(convert_to(id || i, 'UTF8')), user_id, user_epoch, connection_id, subject,
       idle_seconds, expires_at
     from sessions, generate_series(10, 58) i where tenant_id = $1 and user_id = $2`,
    [stage.house.tenantId, id],
  );
  expect((await door.signIn(door.tab(), { sub })).status).toBe(303);
  const { rows } = await stage.service.db.query<{ id: string; end_reason: string | null }>(
    `select id, end_reason from sessions where tenant_id = $1 and user_id = $2 and end_reason is not null`,
    [stage.house.tenantId, id],
  );
  expect(rows).toEqual([{ id: 'ses_010', end_reason: 'too_many_sessions' }]);
});
