import type { TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, user } from '../../../support/scim.js';
import type { HostileOp } from '../../../protocols/oidc/support/op.js';
import { PeopleUpkeep } from '../../../../src/directory-sync/users/people/people-upkeep.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, outcomeAt, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';
import { signInStage } from '../../../support/sign-in/stage.js';

// Who is made by their first sign-in, and kept up to date by the later ones.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
const stage = signInStage((now) => ({ service, house, domain, op } = now));

const { open, own } = stage;

/** The user who is signed in; the reason where the sign-in is refused. */
const outcome = (door: OidcWay, claims: Record<string, unknown>): Promise<string> => outcomeAt(house, door, claims);

const attribute = (name: string, value: string): string =>
  `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;

describe('just-in-time creation', () => {
  const claims = (name: string) => ({ sub: `jit-${name}`, email: name, given_name: 'Grace', family_name: 'Hopper' });

  it('is off by default, and always while paired', async () => {
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

  it('makes a user as SCIM does, with seat, change and forwarding, and keeps the user up to date', async () => {
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
    // A role without a mapping is not given by naming it.
    const other = `${fresh('j')}@${domain}`;
    const plain = await outcome(door, { ...claims(other), groups: ['Admin'] });
    expect((await house.api.get(`/users/${plain}`)).body.role).toBe('User');
  });

  it.each([
    ['keeps the e-mail of an administrator where the connection may not give the right', {}, false],
    ['gives an administrator another e-mail where the role map may give the right', { bosses: 'Admin' }, true],
  ])('%s', async (_, map, follows) => {
    await own();
    const door = await open({ jit: true, role_map: map, claim_map: { role: 'groups' } });
    const name = `${fresh('j')}@${domain}`;
    const said = { ...claims(name), groups: ['bosses'] };
    const id = await outcome(door, said);
    await house.api.patch(`/users/${id}`, { role: 'Admin' });
    const other = `${fresh('j')}@${domain}`;
    expect(await outcome(door, { ...said, email: other, family_name: 'Murray' })).toBe(id);
    const { body } = await house.api.get(`/users/${id}`);
    expect(body).toMatchObject({ email: follows ? other : name, last_name: 'Murray', role: 'Admin' });
  });

  it('gives the role of the first mapped value in the order of the admin', async () => {
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

  it('applies all other values when the e-mail belongs to another user', async () => {
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

  long(
    'takes a role back when the IdP sends no value for it, and keeps it when the IdP marks that it left groups out',
    async () => {
      await own();
      const door = await open({ jit: true, role_map: { admins: 'Admin' }, claim_map: { role: 'groups' } });
      const name = `${fresh('j')}@${domain}`;
      const roleAfter = async (more: object): Promise<string> => {
        const id = await outcome(door, { ...claims(name), ...more });
        return (await house.api.get(`/users/${id}`)).body.role as string;
      };
      const admins = { groups: ['admins'] };
      const withoutValue = [{}, { groups: null }, { groups: [] }, { groups: ['others'] }, { groups: 5 }];
      for (const said of withoutValue) {
        expect([await roleAfter(admins), await roleAfter(said)]).toEqual(['Admin', 'User']);
      }
      expect(await roleAfter({ groups: 'admins' })).toBe('Admin');
      expect(await roleAfter({ _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } })).toBe('Admin');
      const { body } = await house.api.get('/sign-ins?limit=1');
      expect(body.data[0].detail).toBe('The role stays: the user has more groups than the IdP sends (_claim_names).');
      expect(await roleAfter({ _claim_names: { address: 'src1' } })).toBe('User');
    },
  );

  long('keeps the role when UserInfo, which may have the claim, does not answer', async () => {
    await own();
    const map = { role_map: { admins: 'Admin' }, claim_map: { role: 'groups' } };
    const door = await open({ jit: true, user_info: 'optional', email_trust: 'domain', ...map });
    const said = { ...claims(`${fresh('j')}@${domain}`), email_verified: true };
    const roleAfter = async (userInfo: object): Promise<string> => {
      Object.assign(op.tamper, { userInfo: { sub: said.sub, ...userInfo } });
      return (await house.api.get(`/users/${await outcome(door, said)}`)).body.role as string;
    };
    expect(await roleAfter({ groups: ['admins'] })).toBe('Admin');
    op.tamper.canned['/userinfo'] = { status: 503 };
    expect(await roleAfter({})).toBe('Admin');
    const { body } = await house.api.get('/sign-ins?limit=1');
    expect(body.data[0].detail).toMatch(
      /The role stays: UserInfo, which may have the role claim, could not be read\.$/,
    );
    delete op.tamper.canned['/userinfo'];
    expect(await roleAfter({})).toBe('User');
  });

  long('takes a role back when a SAML IdP leaves the attribute out, unless it links to the groups', async () => {
    await own();
    const map = { email: 'mail', role: 'groups' };
    const door = await SamlWay.open(service, house, { jit: true, role_map: { admins: 'Admin' }, claim_map: map });
    const mail = attribute('mail', `${fresh('j')}@${domain}`);
    const roleAfter = async (...attributes: string[]): Promise<string> => {
      const attributesXml = `<saml:AttributeStatement>${mail}${attributes.join('')}</saml:AttributeStatement>`;
      const id = await outcomeAt(
        house,
        { tab: () => door.tab(), signIn: (tab, parts: object) => door.signIn(tab, parts) },
        { attributesXml },
      );
      return (await house.api.get(`/users/${id}`)).body.role as string;
    };
    expect(await roleAfter(attribute('groups', 'admins'))).toBe('Admin');
    expect(await roleAfter(attribute('http://schemas.microsoft.com/claims/groups.link', 'https://graph'))).toBe(
      'Admin',
    );
    expect(await roleAfter()).toBe('User');
  });

  long(
    'does not match a user created under another’s name or address when the directory brings that person',
    async () => {
      const ceo = `${fresh('ceo')}@${domain}`;
      const door = await open({ jit: true });
      // The domain is not verified: the IdP’s word for the e-mail is the only proof.
      const first = await outcome(door, { ...claims(ceo), sub: 'mallory', preferred_username: ceo });
      const tab = door.tab();
      await door.signIn(tab, { ...claims(ceo), sub: 'mallory' });
      const brought = await house.scim.post('/Users', user(ceo, { externalId: 'ceo-id' }));
      expect(brought.body.id).toBe(first); // one record each; but not one owner
      expect(await tab.who()).toBeNull();
      expect(await outcome(door, { ...claims(ceo), sub: 'mallory' })).not.toMatch(/^usr_/);
      await own();
      // A claimed user name proves nothing: the user is made beside the one with that name.
      const other = `${fresh('cfo')}@${domain}`;
      const mallory = await outcome(door, {
        ...claims(`${fresh('m')}@${domain}`),
        sub: 'm2',
        preferred_username: other,
      });
      expect((await house.scim.post('/Users', user(other))).body.id).not.toBe(mallory);
    },
  );

  long('makes one user of twenty first sign-ins at once', async () => {
    await own();
    const door = await SamlWay.open(service, house, { jit: true, claim_map: { email: 'm' } });
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

  long('never creates a deleted user again, and takes no e-mail in use', async () => {
    await own();
    const door = await open({ jit: true });
    const name = `${fresh('j')}@${domain}`;
    const id = await outcome(door, claims(name));
    expect((await house.api.delete(`/users/${id}`)).status).toBe(204);
    expect(await outcome(door, claims(name))).toBe('account_deleted');
    expect(await outcome(door, { ...claims(name), sub: 'another' })).toBe('account_deleted');
    const elsewhere = `${fresh('x')}@elsewhere.example`;
    await house.api.post('/users', { email: elsewhere, first_name: 'A', last_name: 'B' });
    expect(await outcome(door, { ...claims(elsewhere), sub: 'thief' })).toBe('account_taken');
    const neighbour = await newHouse(service);
    await trustDomain(service, neighbour.tenantId, `n-${domain}`);
    expect(await outcome(door, claims(`a@n-${domain}`))).toBe('email_outside_domains');
  });

  it('creates again a user whom another IdP at the same connection names by the same subject', async () => {
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

  long('waits for a seat when none is free, and signs in when there is one', async () => {
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

  long('does not match a user created with another’s key when the directory brings that person', async () => {
    await own();
    const door = await open({ jit: true, claim_map: { external_id: 'emp' } });
    const squatter = { ...claims(`${fresh('m')}@${domain}`), emp: 'ceo-key' };
    const tab = door.tab();
    const made = await outcomeAt(house, door, squatter, tab);
    const mail = `${fresh('ceo')}@${domain}`;
    const ceo = user(mail, { externalId: 'ceo-key', emails: [{ value: mail, primary: true }] });
    expect((await house.scim.post('/Users', ceo)).body.id).toBe(made); // one record by its key, and another owner
    expect(await tab.who()).toBeNull();
    expect(await outcome(door, squatter)).not.toBe(made); // one of her own, without the key
    expect(await outcome(door, { sub: 'ceo', email: mail })).toBe(made);
    // Who is brought under the e-mail that was proven stays who they are at the IdP.
    const honest = { ...claims(`${fresh('h')}@${domain}`), emp: 'honest-key' };
    const id = await outcome(door, honest);
    const brought = user(fresh('h'), { externalId: 'honest-key', emails: [{ value: honest.email, primary: true }] });
    expect((await house.scim.post('/Users', brought)).body.id).toBe(id);
    expect(await outcome(door, honest)).toBe(id);
    expect(await outcome(door, { ...honest, sub: 'another' })).toBe('bound_to_another');
  });

  it('keeps the role where no seat is free for the new one, and takes over the rest', async () => {
    await own();
    const role_map = { bosses: 'Admin', staff: 'Observer' };
    const door = await open({ jit: true, role_map, claim_map: { role: 'groups' } });
    const said = { ...claims(`${fresh('s')}@${domain}`), groups: ['staff'] };
    const id = await outcome(door, said);
    const limit = (seats: number) => house.api.put('/seats/limit', { limit: seats, policy: 'block' });
    expect((await limit(0)).status).toBe(200);
    const promoted = { ...said, groups: ['bosses'], family_name: 'Murray' };
    expect(await outcome(door, promoted)).toBe(id);
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({ role: 'Observer', last_name: 'Murray' });
    await limit(1);
    expect(await outcome(door, promoted)).toBe(id);
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({ role: 'Admin', seat: 'held' });
  });

  long('takes an administering role back although no seat is free for the next one', async () => {
    await own();
    await house.api.post('/roles', { name: 'Auditor', takes_seat: false, console: 'auditor' });
    const door = await open({ jit: true, role_map: { audit: 'Auditor' }, claim_map: { role: 'groups' } });
    const said = claims(`${fresh('s')}@${domain}`);
    const id = await outcome(door, { ...said, groups: ['audit'] });
    await house.api.put('/seats/limit', { limit: 0, policy: { sign_in: 'block' } });
    expect(await outcome(door, said)).toBe('no_seat');
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({ status: 'inactive', held: 'no_seat' });
    expect(await outcome(door, { ...said, groups: ['audit'] })).toBe(id);
    expect(await outcome(door, said)).toBe('no_seat');
    await house.api.put('/seats/limit', { limit: 1 });
    const user = await eventually(
      () => house.api.get(`/users/${id}`),
      ({ body }) => body.seat === 'held',
    );
    expect(user.body).toMatchObject({ role: 'User', status: 'active' });
  });

  it('takes back a role that waits for a seat', async () => {
    await own();
    const map = { role_map: { admins: 'Admin' }, default_role: 'Observer', claim_map: { role: 'groups' } };
    const door = await open({ jit: true, ...map });
    const said = claims(`${fresh('s')}@${domain}`);
    const id = await outcome(door, said);
    await house.api.put('/seats/limit', { limit: 0 });
    expect(await outcome(door, { ...said, groups: ['admins'] })).toBe('no_seat');
    expect(await outcome(door, said)).toBe(id);
    await house.api.put('/seats/limit', { limit: null });
    await service.app.nest.get(PeopleUpkeep).promote(house.tenantId);
    expect((await house.api.get(`/users/${id}`)).body).toMatchObject({
      role: 'Observer',
      status: 'active',
      held: null,
    });
  });

  it('never cuts an e-mail into another one', async () => {
    const victim = await newHouse(service);
    const theirs = `${fresh('v')}.example`;
    await trustDomain(service, victim.tenantId, theirs);
    const door = await open({ jit: true });
    const local = 'a'.repeat(200 - theirs.length - 1);
    const email = `${local}@${theirs}.evil.example`;
    const id = await outcome(door, { sub: 'cut', email });
    expect((await house.api.get(`/users/${id}`)).body.email).toBe(email);
    const long = `${'a'.repeat(330)}@${domain}`;
    expect(await outcome(door, { sub: 'long', email: long })).toBe('email_missing');
    // The same by SCIM, where it is the same person.
    const brought = await house.scim.post('/Users', user(fresh('c'), { emails: [{ value: email, primary: true }] }));
    expect([brought.body.id, (await house.api.get(`/users/${id}`)).body.email]).toEqual([id, email]);
  });

  long('refuses no user by a claimed key, and leads no upsert to the user who claimed it', async () => {
    const map = { claim_map: { external_id: 'emp' } };
    const [partner, corp] = [await open({ jit: true, ...map }), await open({ jit: true, ...map })];
    await trustDomain(service, house.tenantId, domain, { connection_id: corp.id });
    const tab = partner.tab();
    const mallory = { sub: 'mallory', email: `${fresh('m')}@partner.example.org`, emp: 'ceo-key' };
    const made = await outcomeAt(house, partner, mallory, tab);
    const ceo = { sub: 'ceo', email: `${fresh('ceo')}@${domain}`, emp: 'ceo-key' };
    const own2 = await outcome(corp, ceo);
    expect([own2.startsWith('usr_'), own2 === made]).toEqual([true, false]);
    const hr = { email: `${fresh('cfo')}@${domain}`, first_name: 'C', last_name: 'F', role: 'Admin' };
    expect((await house.api.put('/users/by-external-id/ceo-key', hr)).body.id).toBe(made);
    expect(await tab.who()).toBeNull();
    expect(await outcome(partner, mallory)).not.toBe(made);
    expect(await outcome(corp, { sub: 'cfo', email: hr.email, email_verified: true })).toBe(made);
    // The same e-mail again is the same person, who stays who they are.
    const kept = { sub: 'kept', email: `${fresh('k')}@${domain}`, emp: 'kept-key' };
    const id = await outcome(corp, kept);
    await house.api.put('/users/by-external-id/kept-key', { ...hr, email: kept.email });
    expect(await outcome(corp, { ...kept, email: undefined })).toBe(id);
  });

  it('takes no address of a deactivated user', async () => {
    await own();
    const door = await open({ jit: true });
    const bob = `${fresh('bob')}@${domain}`;
    const { id } = (await house.api.post('/users', { email: bob, first_name: 'B', last_name: 'B' })).body;
    await house.api.patch(`/users/${id}`, { status: 'inactive' });
    const said = claims(`${fresh('m')}@${domain}`);
    const mallory = await outcome(door, said);
    expect(await outcome(door, { ...said, email: bob })).toBe(mallory);
    expect((await house.api.get(`/users/${mallory}`)).body.email).toBe(said.email);
    expect((await house.api.patch(`/users/${id}`, { status: 'active' })).status).toBe(200);
  });

  long('moves a NameID that is the e-mail with it to its new owner', async () => {
    const door = await SamlWay.open(service, house, { jit: true });
    const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    const as = (nameId: string) => outcomeAt(house, door, { nameId, nameIdFormat, attributesXml: '' });
    for (const provenAtOnce of [true, false]) {
      const mail = `${fresh('ada')}@${domain}`;
      if (provenAtOnce) await trustDomain(service, house.tenantId, domain, { connection_id: door.id });
      const ada = await as(mail);
      if (!provenAtOnce) await trustDomain(service, house.tenantId, domain, { connection_id: door.id });
      expect(await as(mail)).toBe(ada);
      await house.api.patch(`/users/${ada}`, { email: `${fresh('ada.l')}@${domain}` });
      const { id: adam } = (await house.api.post('/users', { email: mail, first_name: 'A', last_name: 'B' })).body;
      expect(await as(mail)).toBe(adam);
      await house.api.delete(`/domains/${domain}`);
    }
  });
});
