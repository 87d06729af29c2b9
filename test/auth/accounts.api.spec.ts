import { ConnectionStore } from '../../src/auth/connections/connection.store.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/http.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, patch, user } from '../support/scim.js';
import { scim } from '../support/scim.js';
import { hostileOp, type HostileOp } from './oidc/support/op.js';
import { OidcDoor, reasonOf, SamlDoor, trustDomain } from './support/doors.js';

// Whom a sign-in leads to: the rules of contract §7, each with somebody who gets in and somebody who must not.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
beforeAll(async () => {
  service = await startApp();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
  domain = `${fresh('d')}.example.com`;
  op.reset();
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

const open = (more: object = {}): Promise<OidcDoor> => OidcDoor.open(service, house, more, op);
const paired = (more: object = {}): Promise<OidcDoor> => open({ directory_id: house.directoryId, ...more });
const own = (): Promise<void> => trustDomain(service, house.tenantId, domain);
const person = (more: object = {}, name = `${fresh('u')}@${domain}`): Promise<string> =>
  madeUser(house.scim, user(name, more));

/** Who comes in; the reason where nobody does. */
async function outcome(door: OidcDoor, claims: Record<string, unknown>): Promise<string> {
  const tab = door.tab();
  const seen = await door.signIn(tab, claims);
  if (seen.status === 303) return (await tab.who())!.user.id;
  expect(await tab.who()).toBeNull();
  return reasonOf(house, seen);
}

describe('a paired connection', () => {
  it('links by the claim that equals externalId, and knows the subject from then on', async () => {
    const door = await paired({ link_claim: 'oid' });
    const id = await person({ externalId: 'object-1' });
    expect(await outcome(door, { sub: 's-1', oid: 'object-1', email: undefined })).toBe(id);
    expect(await outcome(door, { sub: 's-1', email: undefined })).toBe(id);
    expect(await outcome(door, { sub: 's-2', oid: 'object-2', email: undefined })).toBe('unknown_account');
  });

  it('a rename of everything at the IdP and in the directory locks nobody out', async () => {
    const door = await paired({ link_claim: 'oid' });
    const before = `${fresh('old')}@${domain}`;
    const id = await person({ externalId: 'object-3' }, before);
    expect(await outcome(door, { sub: 's-3', oid: 'object-3', email: before, preferred_username: before })).toBe(id);
    const after = `${fresh('new')}@${domain}`;
    const renamed = await house.scim.patch(
      `/Users/${id}`,
      patch({ op: 'replace', value: { userName: after, emails: [{ value: after, primary: true }] } }),
    );
    expect(renamed.status).toBe(200);
    expect(await outcome(door, { sub: 's-3', oid: 'object-3', email: after, preferred_username: after })).toBe(id);
  });

  it('a rename before the first sign-in, too, and a missing e-mail claim', async () => {
    const door = await paired({ link_claim: 'oid' });
    const id = await person({ externalId: 'object-4' });
    await house.scim.patch(
      `/Users/${id}`,
      patch({ op: 'replace', path: 'userName', value: `${fresh('r')}@${domain}` }),
    );
    expect(await outcome(door, { sub: 's-4', oid: 'object-4', email: undefined })).toBe(id);
  });

  it('a subject that is the user name itself moves with it, and only with it', async () => {
    const door = await SamlDoor.open(service, house, { directory_id: house.directoryId });
    const before = `${fresh('saml')}@${domain}`;
    const id = await person({ externalId: 'unlike' }, before);
    const first = door.tab();
    expect((await door.signIn(first, { nameId: before })).status).toBe(303);
    const after = `${fresh('saml')}@${domain}`;
    const refused = await door.signIn(door.tab(), { nameId: after });
    expect([refused.status, await reasonOf(house, refused)]).toEqual([403, 'email_outside_domains']);
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'userName', value: after }));
    const tab = door.tab();
    expect((await door.signIn(tab, { nameId: after })).status).toBe(303);
    expect((await tab.who())?.user.id).toBe(id);
    const old = await door.signIn(door.tab(), { nameId: before });
    expect(await reasonOf(house, old)).toBe('email_outside_domains');
  });

  it('a move from Entra to Okta keeps the person: a new directory takes over, a new connection links', async () => {
    const entra = await paired({ link_claim: 'oid' });
    const name = `${fresh('m')}@${domain}`;
    const id = await person({ externalId: 'entra-object' }, name);
    expect(await outcome(entra, { sub: 'pairwise', oid: 'entra-object' })).toBe(id);
    const okta = await service.newDirectory(house.tenantId, { name: 'Okta', takes_over: house.directoryId });
    const taken = await scim(service.url, okta.token).post('/Users', user(name, { externalId: '00u1' }));
    expect([taken.status, taken.body.id]).toEqual([201, id]);
    const door = await open({ directory_id: okta.id });
    expect(await outcome(door, { sub: '00u1', email: undefined })).toBe(id);
  });

  it('the binding moves when the directory gives the value to somebody else', async () => {
    const door = await paired();
    const first = await person({ externalId: 'reused' });
    expect(await outcome(door, { sub: 'reused' })).toBe(first);
    await house.scim.patch(`/Users/${first}`, patch({ op: 'replace', path: 'externalId', value: 'rekeyed' }));
    // Nobody else has it: the subject still is who it was.
    expect(await outcome(door, { sub: 'reused' })).toBe(first);
    const second = await person({ externalId: 'reused' });
    await house.scim.patch(`/Users/${first}`, patch({ op: 'replace', path: 'externalId', value: 'rekeyed-again' }));
    expect(await outcome(door, { sub: 'reused' })).toBe(second);
    expect(await outcome(door, { sub: 'rekeyed-again' })).toBe(first);
  });

  it('a person has one subject: a second one with the same user name or e-mail is refused', async () => {
    await own();
    const door = await paired();
    const name = `${fresh('one')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'first', preferred_username: name })).toBe(id);
    expect(await outcome(door, { sub: 'second', preferred_username: name })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'third', email: name })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'first', preferred_username: 'anything' })).toBe(id);
  });

  it('an immutable id that says somebody else overrules every name and e-mail', async () => {
    await own();
    const door = await paired({ link_claim: 'oid' });
    const name = `${fresh('ceo')}@${domain}`;
    const ceo = await person({ externalId: 'object-ceo' }, name);
    const claims = { sub: 'evil', oid: 'object-evil' };
    expect(await outcome(door, { ...claims, preferred_username: name })).toBe('bound_to_another');
    expect(await outcome(door, { ...claims, email: name })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'real', oid: 'object-ceo', email: name })).toBe(ceo);
    // Whom the directory knows by no id is found by name.
    const plain = `${fresh('plain')}@${domain}`;
    const id = await person({}, plain);
    expect(await outcome(door, { sub: 'plain', oid: 'any', preferred_username: plain })).toBe(id);
  });

  it('a rename by the directory opens nobody to a second subject', async () => {
    const door = await paired();
    const before = `${fresh('was')}@${domain}`;
    const after = `${fresh('is')}@${domain}`;
    const id = await person({}, before);
    const tab = door.tab();
    await door.signIn(tab, { sub: 'stable', preferred_username: before });
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'userName', value: after }));
    expect(await outcome(door, { sub: 'evil', preferred_username: after })).toBe('bound_to_another');
    expect((await tab.who())?.user.id).toBe(id);
    expect(await outcome(door, { sub: 'stable', preferred_username: after })).toBe(id);
  });

  it('another pairing asks anew who everybody is; nobody is taken for removed', async () => {
    const door = await paired();
    const id = await person({ externalId: 'first-directory' });
    expect(await outcome(door, { sub: 'first-directory', email: undefined })).toBe(id);
    const other = await service.newDirectory(house.tenantId);
    const there = await madeUser(
      scim(service.url, other.token),
      user(`${fresh()}@${domain}`, { externalId: 'second' }),
    );
    await house.api.patch(`/connections/${door.id}`, { directory_id: other.id });
    service.app.nest.get(ConnectionStore).forget();
    expect(await outcome(door, { sub: 'first-directory', email: undefined })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'second', email: undefined })).toBe(there);
  });

  it('its directory is deleted: who was bound still comes in, and others by their e-mail', async () => {
    await own();
    const other = await service.newDirectory(house.tenantId);
    const there = scim(service.url, other.token);
    const door = await open({ directory_id: other.id });
    const bound = await madeUser(there, user(`${fresh()}@${domain}`, { externalId: 'kept' }));
    const name = `${fresh('later')}@${domain}`;
    const later = await madeUser(there, user(name, { externalId: 'later' }));
    expect(await outcome(door, { sub: 'kept' })).toBe(bound);
    expect((await house.api.delete(`/directories/${other.id}`)).status).toBe(204);
    expect((await house.api.get(`/connections/${door.id}`)).body.directory_id).toBeNull();
    service.app.nest.get(ConnectionStore).forget(); // which is less than a second old by itself
    expect(await outcome(door, { sub: 'kept' })).toBe(bound);
    expect(await outcome(door, { sub: 'anything', email: name })).toBe(later);
  });

  it('never links somebody of another directory, by no claim', async () => {
    await own();
    const other = await service.newDirectory(house.tenantId);
    const door = await open({ directory_id: other.id });
    const name = `${fresh('other')}@${domain}`;
    await person({ externalId: 'theirs' }, name);
    expect(await outcome(door, { sub: 'theirs', preferred_username: name, email: name })).toBe('unknown_account');
  });
});

describe('by e-mail', () => {
  it('only inside a domain that the tenant owns, and that is bound to no other connection', async () => {
    const door = await open();
    const other = await open();
    const name = `${fresh('mail')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'e-1', email: name })).toBe('email_outside_domains');
    await trustDomain(service, house.tenantId, domain, { connection_id: other.id });
    expect(await outcome(door, { sub: 'e-1', email: name })).toBe('email_outside_domains');
    expect(await outcome(other, { sub: 'e-1', email: name })).toBe(id);
  });

  it('email_verified can take trust away, and nothing else is a yes', async () => {
    await own();
    const door = await open();
    const name = `${fresh('v')}@${domain}`;
    const id = await person({}, name);
    for (const doubtful of [false, 'false', 'no', 0, [true], {}]) {
      expect(await outcome(door, { sub: 'v-1', email: name, email_verified: doubtful })).toBe('email_unverified');
    }
    expect(await outcome(door, { sub: 'v-1', email: [name, 'x@y.z'] })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'v-1', email: name, email_verified: undefined })).toBe(id);
    expect(await outcome(door, { sub: 'v-1', email_verified: true })).toBe(id);
  });

  it('another case is the same mailbox, a look-alike is not', async () => {
    await own();
    const door = await open();
    const name = `${fresh('kate')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'l-1', email: name.replace('k', '\u212a') })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'l-1', email: ` ${name.replace('kate', 'k\u0430te')}` })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'l-1', email: `${name}.evil.example` })).toBe('email_outside_domains');
    expect(await outcome(door, { sub: 'l-1', email: name.toUpperCase() })).toBe(id);
  });

  it('a victim of another tenant is never found, whatever is claimed', async () => {
    await own();
    const name = `${fresh('victim')}@${domain}`;
    const victim = await person({ externalId: 'victim-key' }, name);
    const attacker = await newHouse(service);
    const door = await OidcDoor.open(service, attacker, { directory_id: attacker.directoryId }, op);
    const seen = await door.signIn(door.tab(), {
      sub: 'victim-key',
      email: name,
      preferred_username: name,
      oid: victim,
    });
    expect(await reasonOf(attacker, seen)).toBe('email_outside_domains');
  });
});

describe('by SAML attributes', () => {
  it('an e-mail is what its Name says; a FriendlyName decides nothing', async () => {
    await own();
    const name = `${fresh('f')}@${domain}`;
    const id = await person({}, name);
    const door = await SamlDoor.open(service, house);
    const sent = (attribute: string) => ({
      nameId: 'opaque',
      attributesXml: `<saml:AttributeStatement><saml:Attribute ${attribute}><saml:AttributeValue>${name}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
    });
    const friendly = await door.signIn(door.tab(), sent('Name="urn:x:free-text" FriendlyName="email"'));
    expect(await reasonOf(house, friendly)).toBe('unknown_account');
    const tab = door.tab();
    expect((await door.signIn(tab, sent('Name="email" FriendlyName="anything"'))).status).toBe(303);
    expect((await tab.who())?.user.id).toBe(id);
  });
});

describe('whom nobody lets in', () => {
  it('deactivated, deleted, held and waiting people, each with their own page and no session', async () => {
    const door = await paired();
    const id = await person({ externalId: 'gone-1' });
    expect(await outcome(door, { sub: 'gone-1' })).toBe(id);
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    expect(await outcome(door, { sub: 'gone-1' })).toBe('account_inactive');
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
    expect(await outcome(door, { sub: 'gone-1' })).toBe(id);
    await house.scim.delete(`/Users/${id}`);
    expect(await outcome(door, { sub: 'gone-1' })).toBe('account_deleted');
    const again = await person({ externalId: 'gone-1' });
    expect(again).not.toBe(id);
    expect(await outcome(door, { sub: 'gone-1' })).toBe(again);
    await house.api.put('/seats/limit', { limit: 1 });
    await person({ externalId: 'waits' });
    expect(await outcome(door, { sub: 'waits' })).toBe('no_seat');
    await house.api.patch(`/directories/${house.directoryId}`, { default_role: null });
    await person({ externalId: 'no-role' });
    expect(await outcome(door, { sub: 'no-role' })).toBe('account_held');
  });
});

describe('just in time', () => {
  const claims = (name: string) => ({ sub: `jit-${name}`, email: name, given_name: 'Grace', family_name: 'Hopper' });

  it('is off unless asked for, and never while paired', async () => {
    await own();
    const name = `${fresh('j')}@${domain}`;
    expect(await outcome(await open(), claims(name))).toBe('unknown_account');
    const both = await house.api.post('/connections', {
      type: 'oidc',
      name: 'x',
      issuer: op.issuer,
      client_id: 'c',
      client_secret: 's',
      jit: true,
      directory_id: house.directoryId,
    });
    expect([both.status, both.body.errors[0].field]).toEqual([422, 'jit']);
  });

  it('makes a person by the same road as SCIM: seat, change, forwarding; and keeps them up to date', async () => {
    await own();
    const door = await open({ jit: true, role_map: { bosses: 'Admin' }, claim_map: { role: 'groups' } });
    const name = `${fresh('j')}@${domain}`;
    const id = await outcome(door, { ...claims(name), groups: ['staff'] });
    const made = (await house.api.get(`/users/${id}`)).body;
    expect(made).toMatchObject({ email: name, first_name: 'Grace', role: 'User', seat: 'held', source: 'sign-in' });
    const { body } = await house.api.get('/changes?limit=5');
    expect(body.data[0]).toMatchObject({ kind: 'created', source: { surface: 'sign-in' } });
    expect(await outcome(door, { ...claims(name), family_name: 'Murray', groups: ['bosses'] })).toBe(id);
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({ last_name: 'Murray', role: 'Admin' });
    // A role that nobody mapped is not given by naming it.
    const other = `${fresh('j')}@${domain}`;
    const plain = await outcome(door, { ...claims(other), groups: ['Admin'] });
    expect((await house.api.get(`/users/${plain}`)).body.role).toBe('User');
  });

  it('the first value of the map that somebody has gives the role, in the order of the admin', async () => {
    await own();
    const role_map = { 'zz-admins': 'Admin', staff: 'Observer' };
    const door = await open({ jit: true, role_map, claim_map: { role: 'groups' } });
    const id = await outcome(door, { ...claims(`${fresh('j')}@${domain}`), groups: ['staff', 'zz-admins'] });
    expect((await house.api.get(`/users/${id}`)).body.role).toBe('Admin');
    const shown = await house.api.get(`/connections/${door.id}`);
    expect(JSON.stringify(shown.body.role_map)).toBe(JSON.stringify(role_map));
    const removal = await house.api.delete('/roles/Observer');
    expect(removal.body.code).toBe('role_in_use');
  });

  it('an e-mail that somebody else has changes nothing else of what the IdP says', async () => {
    await own();
    const door = await open({ jit: true, role_map: { admins: 'Admin' }, claim_map: { role: 'groups' } });
    const name = `${fresh('j')}@${domain}`;
    const id = await outcome(door, { ...claims(name), groups: ['admins'] });
    const other = `${fresh('o')}@${domain}`;
    await house.api.post('/users', { email: other, first_name: 'O', last_name: 'O' });
    const clash = { ...claims(name), email: other, family_name: 'New', groups: [] };
    expect(await outcome(door, clash)).toBe(id);
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({ email: name, last_name: 'New', role: 'User' });
  });

  it('takes a role back that the IdP takes back; no claim at all takes nothing', async () => {
    await own();
    const door = await open({ jit: true, role_map: { admins: 'Admin' }, claim_map: { role: 'groups' } });
    const name = `${fresh('j')}@${domain}`;
    const roleAfter = async (more: object): Promise<string> => {
      const id = await outcome(door, { ...claims(name), ...more });
      return (await house.api.get(`/users/${id}`)).body.role as string;
    };
    expect(await roleAfter({ groups: ['admins'] })).toBe('Admin');
    expect(await roleAfter({ groups: undefined })).toBe('Admin');
    expect(await roleAfter({ groups: ['others'] })).toBe('User');
    expect(await roleAfter({ groups: 'admins' })).toBe('Admin');
    expect(await roleAfter({ groups: [] })).toBe('User');
  });

  it('whoever was made under somebody’s name or address is not them when the directory brings them', async () => {
    const ceo = `${fresh('ceo')}@${domain}`;
    const door = await open({ jit: true });
    // Nobody has verified the domain: the IdP’s word for the e-mail is all there is.
    const first = await outcome(door, { ...claims(ceo), sub: 'mallory', preferred_username: ceo });
    const tab = door.tab();
    await door.signIn(tab, { ...claims(ceo), sub: 'mallory' });
    const brought = await house.scim.post('/Users', user(ceo, { externalId: 'ceo-id' }));
    expect(brought.body.id).toBe(first); // one record each; but not one owner
    expect(await tab.who()).toBeNull();
    expect(await outcome(door, { ...claims(ceo), sub: 'mallory' })).not.toMatch(/^usr_/);
    await own();
    // A claimed user name is nobody’s: the one with that name is made beside.
    const other = `${fresh('cfo')}@${domain}`;
    const mallory = await outcome(door, { ...claims(`${fresh('m')}@${domain}`), sub: 'm2', preferred_username: other });
    expect((await house.scim.post('/Users', user(other))).body.id).not.toBe(mallory);
  });

  it('twenty first sign-ins at once make one person', async () => {
    await own();
    const door = await SamlDoor.open(service, house, { jit: true, claim_map: { email: 'm' } });
    const name = `${fresh('j')}@${domain}`;
    const attributesXml = `<saml:AttributeStatement><saml:Attribute Name="m"><saml:AttributeValue>${name}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
    const begun = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const tab = door.tab();
        return { tab, asked: await door.begin(tab) };
      }),
    );
    const forms = begun.map(({ asked }) => door.idp.form(door.parts(asked.id, { nameId: 'twenty', attributesXml })));
    const seen = await Promise.all(begun.map(({ tab }, i) => door.post(tab, forms[i]!)));
    expect(seen.map(({ status }) => status)).toEqual(Array(20).fill(303));
    const people = await Promise.all(begun.map(async ({ tab }) => (await tab.who())!.user.id));
    expect(new Set(people).size).toBe(1);
    expect((await house.api.get(`/users?email=${encodeURIComponent(name)}`)).body.data).toHaveLength(1);
  });

  it('never makes anew who was removed, nor takes an e-mail that somebody has', async () => {
    await own();
    const door = await open({ jit: true });
    const name = `${fresh('j')}@${domain}`;
    const id = await outcome(door, claims(name));
    expect((await house.api.delete(`/users/${id}`)).status).toBe(204);
    expect(await outcome(door, claims(name))).toBe('account_deleted');
    expect(await outcome(door, { ...claims(name), sub: 'somebody-else' })).toBe('account_deleted');
    const elsewhere = `${fresh('x')}@elsewhere.example`;
    await house.api.post('/users', { email: elsewhere, first_name: 'A', last_name: 'B' });
    expect(await outcome(door, { ...claims(elsewhere), sub: 'thief' })).toBe('account_taken');
    const neighbour = await newHouse(service);
    await trustDomain(service, neighbour.tenantId, `n-${domain}`);
    expect(await outcome(door, claims(`a@n-${domain}`))).toBe('email_outside_domains');
  });

  it('makes again whom another IdP at the same connection names by the same subject', async () => {
    await own();
    const door = await open({ jit: true });
    const first = await outcome(door, claims(`${fresh('j')}@${domain}`));
    const name = `${fresh('j')}@${domain}`;
    await service.db.execute(
      `update identities set ended_at = now(), end_reason = 'connection_changed' where user_id = '${first}'`,
    );
    const second = await outcome(door, {
      ...claims(name),
      sub: `jit-${(await house.api.get(`/users/${first}`)).body.email}`,
    });
    expect(second).toMatch(/^usr_/);
    expect(second).not.toBe(first);
  });

  it('waits for a seat where none is free, and comes in when there is one', async () => {
    await own();
    const door = await open({ jit: true });
    await house.api.put('/seats/limit', { limit: 0 });
    const name = `${fresh('j')}@${domain}`;
    expect(await outcome(door, claims(name))).toBe('no_seat');
    expect(await outcome(door, claims(name))).toBe('no_seat');
    await house.api.put('/seats/limit', { limit: 1 });
    await eventually(
      () => house.api.get(`/users?email=${encodeURIComponent(name)}`),
      ({ body }) => body.data[0]?.seat === 'held',
    );
    expect(await outcome(door, claims(name))).toMatch(/^usr_/);
  });
});
