import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { waitingForLock } from '../../support/locks.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { OidcWay, outcomeAt, reasonOf, trustDomain } from '../../support/sign-in/connections.js';
import type { Seen } from '../../support/sign-in/tab.js';
import type { Answer } from '../../support/http.js';
import type { SqlRunner } from '../../../src/base/database/database.js';

// Each test holds one process between a check and the write that follows it, and lets another one do something there:
// the result has to be that of one after the other.
let service: TestApp;
let second: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
let otherOp: HostileOp;
beforeAll(async () => {
  service = await startApp();
  second = await startApp({}, service);
  op = await hostileOp(() => new Date());
  otherOp = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
  domain = `${fresh('d')}.example.com`;
  op.reset();
  otherOp.reset();
});
afterAll(async () => {
  await op.stop();
  await otherOp.stop();
  await second.close();
  await service.close();
});

const open = (more: object = {}, at = op): Promise<OidcWay> => OidcWay.open(service, house, more, at);
const own = (body: object = {}): Promise<void> => trustDomain(service, house.tenantId, domain, body);
const mails = (value: string) => ({ emails: [{ value, primary: true }] });
const identities = async (id: string) => (await house.api.get(`/users/${id}/identities`)).body.data;

class Undo extends Error {}
/** Holds a row of users with this name, uncommitted, and takes it back: an insert of the name waits inside its statement. */
async function whileNameIsTaken(name: string, work: (tx: SqlRunner) => Promise<void>): Promise<void> {
  await service.db
    .transaction(null, async (tx) => {
      await tx.query(
        `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, first_name, last_name, status, seat)
         values ($1, $2, 'api', '{}', $3, lower($3::text), false, '', '', 'inactive', 'none')`,
        [house.tenantId, fresh('usr_held'), name],
      );
      await work(tx);
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
}

it('a domain is bound to another connection while just-in-time creation of its user is running', async () => {
  await own();
  const partner = await open({ jit: true });
  // Disabled: an unbound domain counts for the only enabled connection.
  const corp = await open({ jit: true, enabled: false }, otherOp);
  const email = `${fresh('made')}@${domain}`;
  const tab = partner.tab();
  let going!: Promise<Seen>;
  await whileNameIsTaken(email, async () => {
    going = partner.signIn(tab, { sub: 'mallory', email });
    await waitingForLock(service.db);
    await own({ connection_id: corp.id });
  });
  expect(await reasonOf(house, await going)).toBe('email_outside_domains');
  expect(await tab.who()).toBeNull();
  await house.api.patch(`/connections/${corp.id}`, { enabled: true });
  const owner = await outcomeAt(house, corp, { sub: 'owner', email });
  expect(owner).toMatch(/^usr_/);
  expect(await outcomeAt(house, partner, { sub: 'mallory', email })).toBe('email_outside_domains');
});

it('a domain is bound to another connection while an unproven binding is being proven', async () => {
  const partner = await open({ jit: true });
  const corp = await open({}, otherOp);
  const email = `${fresh('proven')}@${domain}`;
  const made = await outcomeAt(house, partner, { sub: 'mallory', email });
  await own();
  await corp.test(house, { sub: 'owner', email });
  const tab = partner.tab();
  let going!: Promise<Seen>;
  await service.db.transaction(null, async (tx) => {
    await tx.query(`select 1 from connections where tenant_id = $1 and id = $2 for no key update`, [
      house.tenantId,
      partner.id,
    ]);
    going = partner.signIn(tab, { sub: 'mallory', email });
    await waitingForLock(service.db);
    await own({ connection_id: corp.id });
  });
  await going;
  // Still unproven: the proof at the bound connection puts out the user who came first under the address.
  expect(await outcomeAt(house, corp, { sub: 'owner', email })).toBe(made);
  expect(await tab.who()).toBeNull();
});

it('an upsert by a claimed key runs while the user who claimed it signs in', async () => {
  await own();
  const partner = await open({ jit: true, claim_map: { external_id: 'emp' } });
  const [email, key] = [`${fresh('m')}@${domain}`, fresh('key')];
  const mallory = { sub: 'mallory', email, emp: key };
  const made = await outcomeAt(house, partner, mallory);
  const tab = partner.tab();
  const hr = { email: `${fresh('cfo')}@${domain}`, first_name: 'C', last_name: 'F', role: 'User' };
  let going!: Promise<Seen>;
  let put!: Promise<Answer>;
  await service.db.transaction(null, async (tx) => {
    // The sign-in holds its person and waits for its binding.
    await tx.query(`select 1 from identities where tenant_id = $1 and user_id = $2 for update`, [house.tenantId, made]);
    going = partner.signIn(tab, mallory);
    await waitingForLock(service.db);
    put = house.api.put(`/users/by-external-id/${key}`, hr);
    await waitingForLock(service.db, 2);
  });
  const [seen, upserted] = [await going, await put];
  expect([seen.status, upserted.status, upserted.body.id]).toEqual([303, 200, made]);
  expect(await tab.who()).toBeNull();
  expect(await identities(made)).toEqual([]);
});

it('a user is deleted between the decision and the creation', async () => {
  const door = await open({ jit: true });
  const email = `${fresh('bob')}@${domain}`;
  const bob = await madeUser(house.scim, user(fresh('bob'), mails(email)));
  let going!: Promise<string>;
  await service.db.transaction(null, async (tx) => {
    await tx.query(`select 1 from connections where tenant_id = $1 and id = $2 for no key update`, [
      house.tenantId,
      door.id,
    ]);
    going = outcomeAt(house, door, { sub: 'bob', email });
    await waitingForLock(service.db);
    expect((await house.scim.delete(`/Users/${bob}`)).status).toBe(204);
  });
  expect(await going).toBe('account_deleted');
});

it('a connection gets another IdP while just-in-time creation is running', async () => {
  const door = await open({ jit: true });
  const email = `${fresh('other')}@${domain}`;
  let going!: Promise<Seen>;
  await whileNameIsTaken(email, async () => {
    going = door.signIn(door.tab(), { sub: '12345', email });
    await waitingForLock(service.db);
    const change = { issuer: otherOp.issuer, client_secret: 'secret-1' };
    expect((await house.api.patch(`/connections/${door.id}`, change)).status).toBe(200);
  });
  expect(await reasonOf(house, await going)).toBe('connection_changed');
  expect((await house.api.get(`/connections/${door.id}/identities?ended=false`)).body.data).toEqual([]);
  expect((await house.api.get(`/users?email=${email}`)).body.data).toEqual([]);
});

it('a user is deleted while the first sign-in is being written: no live binding remains', async () => {
  const door = await open({ directory_id: house.directoryId });
  const sub = fresh('sub');
  const id = await madeUser(house.scim, user(fresh('zed'), { externalId: sub }));
  const first = await open({ directory_id: house.directoryId }, otherOp);
  expect(await outcomeAt(house, first, { sub })).toBe(id);
  const tab = door.tab();
  let going!: Promise<Seen>;
  let removed!: Promise<Answer>;
  await service.db.transaction(null, async (tx) => {
    // The sign-in holds its person, and waits where it ends what lets them in on an IdP's word alone.
    await tx.query(`lock table sign_ins in exclusive mode`);
    going = door.signIn(tab, { sub });
    await waitingForLock(service.db);
    removed = house.scim.delete(`/Users/${id}`);
    await waitingForLock(service.db, 2);
  });
  expect([(await going).status, (await removed).status]).toEqual([303, 204]);
  expect(await tab.who()).toBeNull();
  const { rows } = await service.db.execute(
    `select distinct end_reason, ended_at is null as holds from identities where user_id = '${id}'`,
  );
  expect(rows).toEqual([{ end_reason: 'deleted', holds: false }]);
});

it('a logout names the session of a sign-in that arrives later, of the same second', async () => {
  const door = await open({ directory_id: house.directoryId });
  const [sub, sid] = [fresh('sub'), fresh('sid')];
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const iat = Math.floor(Date.now() / 1000);
  const tab = door.tab();
  const asked = await door.begin(tab);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = { iss: op.issuer, aud: 'client-1', iat, exp: iat + 120, jti: fresh('j'), sid, sub, events };
  const out = await fetch(`${second.url}/api/auth/backchannel-logout/${door.slug}`, {
    method: 'POST',
    body: new URLSearchParams([['logout_token', await op.sign(claims, { typ: 'logout+jwt' })]]),
  });
  expect(out.status).toBe(200);
  expect(await reasonOf(house, await door.answer(tab, asked, { sub, sid, iat }))).toBe('idp_session_ended');
  // Another session of the same person may well have begun in that second.
  expect((await door.signIn(tab, { sub, sid: fresh('sid'), iat })).status).toBe(303);
});

it('a directory takes a user over while another connection binds the user by an e-mail', async () => {
  const partner = await open({ jit: true });
  const corp = await open({}, otherOp);
  const email = `${fresh('over')}@${domain}`;
  const made = await outcomeAt(house, partner, { sub: 'mallory', email });
  await own({ connection_id: corp.id });
  let going!: Promise<Seen>;
  let brought!: Promise<Answer>;
  await service.db.transaction(null, async (tx) => {
    // The first sign-in at corp holds the person, and waits for the domain.
    await tx.query(`select 1 from domains where tenant_id = $1 for update`, [house.tenantId]);
    going = corp.signIn(corp.tab(), { sub: 'owner', email });
    await waitingForLock(service.db);
    brought = house.scim.post('/Users', user(email, mails(`${fresh('new')}@${domain}`)));
    await waitingForLock(service.db, 2);
  });
  await going;
  expect([(await brought).status, (await brought).body.id]).toEqual([201, made]);
  expect(await identities(made)).toEqual([]);
});

it('the users API deletes a user whom a directory is taking over', async () => {
  await own();
  const door = await open({ jit: true });
  const email = `${fresh('zoe')}@${domain}`;
  const made = await outcomeAt(house, door, { sub: 'zoe', email });
  let brought!: Promise<Answer>;
  let removed!: Promise<Answer>;
  await service.db.transaction(null, async (tx) => {
    await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for update`, [house.tenantId, made]);
    brought = house.scim.post('/Users', user(email, mails(email)));
    await waitingForLock(service.db);
    removed = house.api.delete(`/users/${made}`);
    await waitingForLock(service.db, 2);
  });
  expect([(await brought).status, (await brought).body.id]).toEqual([201, made]);
  expect([(await removed).status, (await removed).body.code]).toEqual([409, 'changed_meanwhile']);
  expect((await house.scim.get(`/Users/${made}`)).status).toBe(200);
});
