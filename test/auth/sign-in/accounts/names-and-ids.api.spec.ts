import type { TestApp } from '../../../support/app.js';
import type { House } from '../../../support/house.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import type { HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, outcomeAt, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';
import { signInStage } from '../../../support/sign-in/stage.js';

// Names that directories take from one person and give to another, ids that come late, letters that change: the user who is
// meant gets in, to the own account and no other.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
signInStage((now) => ({ service, house, domain, op } = now));

const OBJECT_ID = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const open = (more: object = {}): Promise<OidcWay> =>
  OidcWay.open(service, house, { directory_id: house.directoryId, ...more }, op);
const saml = (more: object = {}): Promise<SamlWay> =>
  SamlWay.open(service, house, { directory_id: house.directoryId, ...more });
const own = (door?: { id: string }): Promise<void> =>
  trustDomain(service, house.tenantId, domain, door === undefined ? {} : { connection_id: door.id });
const address = (name: string): string => `${fresh(name)}@${domain}`;
const set = (id: string, path: string, value: unknown) =>
  house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path, value }));
const mails = (value: string) => ({ emails: [{ value, primary: true }] });
const person = (name: string, more: object = {}): Promise<string> => madeUser(house.scim, user(name, more));
const said = (name: string, value: string): string =>
  `<saml:AttributeStatement><saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;

const outcome = (door: OidcWay, claims: Record<string, unknown>): Promise<string> => outcomeAt(house, door, claims);
const by = (door: SamlWay, nameId: string, attributesXml = ''): Promise<string> =>
  outcomeAt(house, door, { nameId, attributesXml });

describe('a subject that is no name', () => {
  long('stays with its user when the user name is given to another, for each name that the IdP sends', async () => {
    const door = await open();
    const name = fresh('a');
    const alice = await person(name);
    const claims = { sub: 'stable-alice', email: undefined, preferred_username: name };
    expect(await outcome(door, claims)).toBe(alice);
    await set(alice, 'userName', fresh('renamed'));
    const bob = await person(name);
    expect(await outcome(door, claims)).toBe(alice);
    expect(await outcome(door, { ...claims, sub: 'stable-bob' })).toBe(bob);
  });

  it('bound by an e-mail that is renamed does not move by a claimed user name', async () => {
    await own();
    const door = await open();
    const [mail, ceo] = [address('m'), fresh('ceo')];
    const mallory = await person(fresh('mallory'), mails(mail));
    expect(await outcome(door, { sub: 'mallory', email: mail })).toBe(mallory);
    await set(mallory, 'emails', [{ value: address('n'), primary: true }]);
    const victim = await person(ceo);
    expect(await outcome(door, { sub: 'mallory', email: mail, preferred_username: ceo })).toBe(mallory);
    expect(await outcome(door, { sub: 'ceo', email: undefined, preferred_username: ceo })).toBe(victim);
  });
});

describe('a NameID that is a name', () => {
  long.each([
    ['a named claim', 'oid', { link_claim: 'oid' }],
    ['Entra’s object id', OBJECT_ID, {}],
  ])('given to another user moves when %s identifies the new one', async (_how, claim, more) => {
    const door = await saml(more);
    const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    const name = address('a');
    const alice = await person(name, { externalId: first });
    expect(await by(door, name, said(claim, first))).toBe(alice);
    await set(alice, 'userName', address('a2'));
    const bob = await person(name, { externalId: second });
    expect(await by(door, name, said(claim, second))).toBe(bob);
    expect(await by(door, 'anything', said(claim, first))).toBe(alice);
  });

  long('opens no account while the directory does not know its new owner yet', async () => {
    const door = await saml({ link_claim: 'oid' });
    const format = (kind: string) => `urn:oasis:names:tc:SAML:${kind}`;
    const at = (nameId: string, oid: string, nameIdFormat: string) =>
      outcomeAt(house, door, { nameId, nameIdFormat, attributesXml: said('oid', oid) });
    for (const kind of ['1.1:nameid-format:unspecified', '1.1:nameid-format:emailAddress']) {
      const [name, mine, theirs] = [address('a'), fresh('mine'), fresh('theirs')];
      const alice = await person(name, { externalId: mine });
      expect(await at(name, mine, format(kind))).toBe(alice);
      expect(await at(name, theirs, format(kind))).toBe('bound_to_another');
      expect(await at(name, mine, format(kind))).toBe(alice);
    }
    // A persistent one is never assigned again: there the directory has another id for the same person.
    const [name, mine] = [fresh('opaque'), fresh('mine')];
    const alice = await person(address('p'), { externalId: mine });
    expect(await at(name, mine, format('2.0:nameid-format:persistent'))).toBe(alice);
    await set(alice, 'externalId', fresh('rekeyed'));
    expect(await at(name, mine, format('2.0:nameid-format:persistent'))).toBe(alice);
  });

  long.each([false, true])(
    'belongs to its new owner, also without an id (its old one came once more: %s)',
    async (between) => {
      const door = await saml();
      const name = address('a');
      const alice = await person(name);
      expect(await by(door, name)).toBe(alice);
      await set(alice, 'userName', address('a2'));
      if (between) expect(await by(door, name)).toBe(alice);
      const bob = await person(name);
      expect(await by(door, name)).toBe(bob);
    },
  );

  long('belongs to its new owner when only the new owner has an id', async () => {
    const door = await saml({ link_claim: 'oid' });
    const name = address('a');
    const alice = await person(name);
    expect(await by(door, name)).toBe(alice);
    await set(alice, 'userName', address('a2'));
    expect(await by(door, name)).toBe(alice);
    const bob = await person(name, { externalId: 'bob' });
    expect(await by(door, name, said('oid', 'bob'))).toBe(bob);
  });

  long.each([false, true])('may follow a rename later (came once more under the old one: %s)', async (between) => {
    const door = await saml();
    const [before, after] = [address('a'), address('a2')];
    const alice = await person(before);
    expect(await by(door, before)).toBe(alice);
    await set(alice, 'userName', after);
    if (between) expect(await by(door, before)).toBe(alice);
    expect(await by(door, after)).toBe(alice);
  });

  long('belongs to its user again when two users swap names', async () => {
    const door = await saml();
    const [a, b] = [fresh('a'), fresh('b')];
    const [alice, bob] = [await person(a), await person(b)];
    expect([await by(door, a), await by(door, b)]).toEqual([alice, bob]);
    await set(alice, 'userName', fresh('t'));
    await set(bob, 'userName', a);
    await set(alice, 'userName', b);
    expect([await by(door, a), await by(door, b)]).toEqual([bob, alice]);
  });

  long.each(['paired', 'unpaired'])('and is the e-mail goes with the e-mail, %s', async (how) => {
    for (const between of [false, true]) {
      const door = await saml(how === 'paired' ? {} : { directory_id: null });
      await own(door);
      const [mail, later] = [address('a'), address('a2')];
      const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
      const as = (nameId: string) => outcomeAt(house, door, { nameId, nameIdFormat, attributesXml: '' });
      const alice = await person(fresh('alice'), mails(mail));
      expect(await as(mail)).toBe(alice);
      await set(alice, 'emails', [{ value: later, primary: true }]);
      if (between) expect(await as(mail)).toBe(alice);
      const bob = await person(fresh('bob'), mails(mail));
      expect(await as(mail)).toBe(bob);
      if (how === 'paired') expect(await as(later)).toBe(alice);
    }
  });

  long('may change its letter case without moving to another user', async () => {
    const door = await saml();
    const name = address('john');
    const john = await person(name);
    expect(await by(door, name.replace('john', 'John'))).toBe(john);
    expect(await by(door, name)).toBe(john);
    await set(john, 'userName', name.toUpperCase());
    expect(await by(door, name.replace('john', 'JOHN'))).toBe(john);
    expect(await by(door, `${name}x`)).not.toMatch(/^usr_/);
    const unpaired = await saml({ directory_id: null });
    await own(unpaired);
    const mail = address('kate');
    const kate = await person(fresh('kate'), mails(mail));
    const other = mail.replace('kate', 'Kate');
    expect(await by(unpaired, other, said('email', other))).toBe(kate);
    expect(await by(unpaired, mail, said('email', mail))).toBe(kate);
    expect(await by(unpaired, 'opaque', said('email', mail))).toBe('bound_to_another');
  });
});

describe('an immutable id that comes late', () => {
  it('finds the person again under another subject (an application registered anew)', async () => {
    const door = await open({ link_claim: 'oid' });
    const name = address('n');
    const id = await person(name);
    const claims = { oid: 'obj-1', email: undefined, preferred_username: name };
    expect(await outcome(door, { ...claims, sub: 'pairwise-1' })).toBe(id);
    await set(id, 'externalId', 'obj-1');
    expect(await outcome(door, { ...claims, sub: 'pairwise-1' })).toBe(id);
    expect(await outcome(door, { ...claims, sub: 'evil', oid: 'obj-2' })).toBe('bound_to_another');
    expect(await outcome(door, { ...claims, sub: 'pairwise-2' })).toBe(id);
  });

  long('finds the person again by SAML when the NameID is no name any more', async () => {
    const door = await saml({ link_claim: 'oid' });
    const name = address('n');
    const id = await person(name);
    expect(await by(door, name, said('oid', 'obj-2'))).toBe(id);
    await set(id, 'externalId', 'obj-2');
    expect(await by(door, name, said('oid', 'obj-2'))).toBe(id);
    expect(await by(door, 'opaque', said('oid', 'obj-2'))).toBe(id);
  });
});

describe('a name that another user has had since does not lead back to the first one', () => {
  long.each([
    ['renamed away', (id: string, name: string) => set(id, 'userName', name)],
    ['removed', (id: string) => house.scim.delete(`/Users/${id}`)],
  ])('when its last owner is %s and the IdP does not know it yet', async (_how, leave) => {
    const door = await saml();
    const [eve, kim] = [address('eve'), address('kim')];
    const first = await person(eve);
    expect(await outcomeAt(house, door, { nameId: eve })).toBe(first);
    await set(first, 'userName', kim);
    // Until another user has it, the IdP may just be late with the rename.
    expect(await outcomeAt(house, door, { nameId: eve })).toBe(first);
    const second = await person(eve.toUpperCase());
    expect((await leave(second, address('bob'))).status).toBeLessThan(300);
    expect(await outcomeAt(house, door, { nameId: eve })).not.toMatch(/^usr_/);
    expect(await outcomeAt(house, door, { nameId: kim })).toBe(first);
  });

  long('an e-mail of two users is not taken from the one who still has it', async () => {
    await own();
    const door = await SamlWay.open(service, house);
    const mail = address('shared');
    const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    const who = () => outcomeAt(house, door, { nameId: mail, nameIdFormat, attributesXml: '' });
    const first = await person(fresh('login'), mails(mail));
    expect(await who()).toBe(first);
    const bound = () => service.db.execute(`select subject, created_at from identities where user_id = '${first}'`);
    const { rows } = await bound();
    const second = await person(fresh('login'), { ...mails(mail), active: false });
    expect((await set(second, 'emails', mails(address('other')).emails)).status).toBe(200);
    expect(await who()).toBe(first);
    expect((await bound()).rows).toEqual(rows);
    const third = await person(fresh('login'), { ...mails(mail), active: false });
    expect((await house.scim.delete(`/Users/${third}`)).status).toBe(204);
    expect((await bound()).rows).toEqual(rows);
    expect(await who()).toBe(first);
  });
});

long(
  'a name moves to its new owner without an id in the directory when the sent id contradicts the old one',
  async () => {
    const door = await saml({ link_claim: 'oid' });
    const eve = address('eve');
    const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
    const as = (oid: string) => outcomeAt(house, door, { nameId: eve, nameIdFormat, attributesXml: said('oid', oid) });
    const first = await person(eve, { externalId: 'id-1' });
    expect(await as('id-1')).toBe(first);
    // No other user has the name: then the other id belongs to no user.
    expect(await as('id-2')).toBe('bound_to_another');
    await set(first, 'userName', address('kim'));
    const second = await person(eve);
    expect(await as('id-2')).toBe(second);
    await set(second, 'externalId', 'id-2');
    expect(await as('id-2')).toBe(second);
    expect(await as('id-3')).toBe('bound_to_another');
  },
);
