import { ConnectionStore } from '../../../../src/auth/connections/store.js';
import type { TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, patch, scim, user } from '../../../support/scim.js';
import type { HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, outcomeAt, reasonOf, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';
import { signInStage } from '../../../support/sign-in/stage.js';

// The user that a sign-in leads to: each rule with a user who gets in and a user who must not.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
const stage = signInStage((now) => ({ service, house, domain, op } = now));

const { open, paired, own } = stage;
const person = (more: object = {}, name = `${fresh('u')}@${domain}`): Promise<string> =>
  madeUser(house.scim, user(name, more));

/** The user who is signed in; the reason where the sign-in is refused. */
const outcome = (door: OidcWay, claims: Record<string, unknown>): Promise<string> => outcomeAt(house, door, claims);

describe('a paired connection', () => {
  long('links by the claim that equals externalId, and knows the subject from then on', async () => {
    const door = await paired({ link_claim: 'oid' });
    const id = await person({ externalId: 'object-1' });
    expect(await outcome(door, { sub: 's-1', oid: 'object-1', email: undefined })).toBe(id);
    expect(await outcome(door, { sub: 's-1', email: undefined })).toBe(id);
    expect(await outcome(door, { sub: 's-2', oid: 'object-2', email: undefined })).toBe('unknown_account');
  });

  it('locks no user out when the IdP and the directory rename everything', async () => {
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

  it('locks no user out by a rename before the first sign-in, or without an e-mail claim', async () => {
    const door = await paired({ link_claim: 'oid' });
    const id = await person({ externalId: 'object-4' });
    await house.scim.patch(
      `/Users/${id}`,
      patch({ op: 'replace', path: 'userName', value: `${fresh('r')}@${domain}` }),
    );
    expect(await outcome(door, { sub: 's-4', oid: 'object-4', email: undefined })).toBe(id);
  });

  long('moves a subject that is the user name with that name alone', async () => {
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
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

  long('keeps the user in a move from Entra to Okta: a new directory takes over, a new connection links', async () => {
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

  long('moves the binding when the directory gives the value to another user', async () => {
    const door = await paired();
    const first = await person({ externalId: 'reused' });
    expect(await outcome(door, { sub: 'reused' })).toBe(first);
    await house.scim.patch(`/Users/${first}`, patch({ op: 'replace', path: 'externalId', value: 'rekeyed' }));
    // No other user has it: the subject still belongs to the same user.
    expect(await outcome(door, { sub: 'reused' })).toBe(first);
    const second = await person({ externalId: 'reused' });
    await house.scim.patch(`/Users/${first}`, patch({ op: 'replace', path: 'externalId', value: 'rekeyed-again' }));
    expect(await outcome(door, { sub: 'reused' })).toBe(second);
    expect(await outcome(door, { sub: 'rekeyed-again' })).toBe(first);
  });

  it('refuses a second subject with the same user name or e-mail', async () => {
    await own();
    const door = await paired();
    const name = `${fresh('one')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'first', preferred_username: name })).toBe(id);
    expect(await outcome(door, { sub: 'second', preferred_username: name })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'third', email: name })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'first', preferred_username: 'anything' })).toBe(id);
  });

  long('prefers the immutable id of another user to every name and e-mail', async () => {
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

  it('opens no account to a second subject when the directory renames a user', async () => {
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

  it('finds all users again after another pairing, and treats none as deleted', async () => {
    const door = await paired();
    const id = await person({ externalId: 'first-directory' });
    expect(await outcome(door, { sub: 'first-directory', email: undefined })).toBe(id);
    const other = await service.newDirectory(house.tenantId);
    const there = await madeUser(
      scim(service.url, other.token),
      user(`${fresh()}@${domain}`, { externalId: 'second' }),
    );
    await house.api.patch(`/connections/${door.id}`, { directory_id: other.id });
    await service.app.nest.get(ConnectionStore).forget();
    expect(await outcome(door, { sub: 'first-directory', email: undefined })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'second', email: undefined })).toBe(there);
  });

  long('lets bound users sign in after the deletion of its directory, and others by their e-mail', async () => {
    await own();
    const other = await service.newDirectory(house.tenantId);
    const there = scim(service.url, other.token);
    const door = await open({ directory_id: other.id });
    const bound = await madeUser(there, user(`${fresh()}@${domain}`, { externalId: 'kept' }));
    const name = `${fresh('later')}@${domain}`;
    const later = await madeUser(there, user(name, { externalId: 'later' }));
    expect(await outcome(door, { sub: 'kept' })).toBe(bound);
    expect((await house.api.delete(`/directories/${other.id}?force=true`)).status).toBe(204);
    expect((await house.api.get(`/connections/${door.id}`)).body.directory_id).toBeNull();
    await service.app.nest.get(ConnectionStore).forget(); // which is less than a second old on its own
    expect(await outcome(door, { sub: 'kept' })).toBe(bound);
    expect(await outcome(door, { sub: 'anything', email: name })).toBe(later);
  });

  it('never links a user of another directory, by any claim', async () => {
    await own();
    const other = await service.newDirectory(house.tenantId);
    const door = await open({ directory_id: other.id });
    const name = `${fresh('other')}@${domain}`;
    await person({ externalId: 'theirs' }, name);
    expect(await outcome(door, { sub: 'theirs', preferred_username: name, email: name })).toBe('unknown_account');
  });
});

describe('a match by e-mail', () => {
  long('needs a domain that the tenant owns, and that is bound to no other connection', async () => {
    const door = await open();
    const other = await open();
    const name = `${fresh('mail')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'e-1', email: name })).toBe('email_outside_domains');
    await trustDomain(service, house.tenantId, domain, { connection_id: other.id });
    expect(await outcome(door, { sub: 'e-1', email: name })).toBe('email_outside_domains');
    expect(await outcome(other, { sub: 'e-1', email: name })).toBe(id);
  });

  it('needs a bound domain when there are several connections; the log has the step for the admin', async () => {
    await own();
    const [door, other] = [await open(), await open()];
    const name = `${fresh('several')}@${domain}`;
    const id = await person({}, name);
    for (const one of [door, other]) {
      const seen = await one.signIn(one.tab(), { sub: 'x-1', email: name });
      expect(await reasonOf(house, seen)).toBe('email_outside_domains');
    }
    const { body } = await house.api.get('/sign-ins?limit=1');
    expect(body.data[0].detail).toContain(`the domain ${domain} does not count for this connection`);
    expect(body.data[0].detail).toContain('bound to this one (connection_id of the domain)');
    await trustDomain(service, house.tenantId, domain, { connection_id: door.id });
    expect(await outcome(door, { sub: 'x-1', email: name })).toBe(id);
    expect(await outcome(other, { sub: 'x-1', email: name })).toBe('email_outside_domains');
  });

  it('is refused on the page and in the log with the connection that the domain is bound to, or none', async () => {
    const [door, other] = [await open(), await open()];
    const said = async (): Promise<[string, string]> => {
      const seen = await door.signIn(door.tab(), { sub: 'b-1', email: `x@${domain}` });
      const { detail } = (await house.api.get('/sign-ins?limit=1')).body.data[0] as { detail: string };
      return [seen.text, detail];
    };
    expect((await said())[0]).toContain('There is no account for you yet');
    await own();
    const [unbound, bindIt] = await said();
    expect(unbound).toContain('Your company has not set up this sign-in for e-mail addresses like yours.');
    expect(bindIt).toContain(`domain bind ${domain} --connection-id ${door.slug}`);
    await trustDomain(service, house.tenantId, domain, { connection_id: other.id });
    const [elsewhere, moveIt] = await said();
    expect(elsewhere).toContain('Your company has another sign-in for you');
    expect(elsewhere).toContain(`<a class="button" href="${service.app.config.appUrl}/api/auth/login">`);
    expect(moveIt).toBe(
      `the domain ${domain} is bound to another connection (${other.id}). To move it: domain bind ${domain} --connection-id ${door.slug}`,
    );
  });

  long('is refused for an e-mail whose email_verified is not true', async () => {
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

  long('needs email_verified when the connection demands it', async () => {
    await own();
    const door = await open({ email_trust: 'verified' });
    const name = `${fresh('v')}@${domain}`;
    const id = await person({}, name);
    for (const unsaid of [undefined, null, false, 'no', 1, [true]]) {
      expect(await outcome(door, { sub: 'v-2', email: name, email_verified: unsaid })).toBe('email_unverified');
    }
    expect(await outcome(door, { sub: 'v-2', email: name, email_verified: true })).toBe(id);
    // Who is known by the subject needs no e-mail any more.
    expect(await outcome(door, { sub: 'v-2', email: name, email_verified: undefined })).toBe(id);
    await house.api.patch(`/connections/${door.id}`, { jit: true });
    const made = { sub: 'v-3', email: `${fresh('v')}@${domain}` };
    expect(await outcome(door, { ...made, email_verified: undefined })).toBe('email_unverified');
    expect(await outcome(door, { ...made, email_verified: 'true' })).toMatch(/^usr_/);
    const { body } = await house.api.patch(`/connections/${door.id}`, { email_trust: 'domain' });
    expect([body.email_trust, body.tested_at]).toEqual(['domain', null]);
    expect((await house.api.patch(`/connections/${door.id}`, { email_trust: 'all' })).status).toBe(422);
  });

  long.each(['the owner', 'a break-glass account', 'an admin'])('needs email_verified for %s', async (who) => {
    await own();
    const door = await open();
    const name = `${fresh('boss')}@${domain}`;
    const id = await person({}, name);
    if (who === 'the owner') await house.api.patch('/tenant', { owner_user_id: id });
    else if (who === 'an admin') await service.db.execute(`update users set role = 'Admin' where id = '${id}'`);
    else await house.api.patch('/tenant', { break_glass: [id] });
    // An attacker who may write any e-mail at the IdP, which says nothing about it.
    for (const unsaid of [undefined, null, false, 'no']) {
      expect(await outcome(door, { sub: 'nOAuth', email: name, email_verified: unsaid })).toBe('email_unverified');
    }
    const { body } = await house.api.get('/sign-ins?reason=email_unverified');
    expect(body.data.at(-1).detail).toContain('owner or an admin');
    expect(await outcome(door, { sub: 'boss', email: name, email_verified: true })).toBe(id);
    expect(await outcome(door, { sub: 'boss', email: name })).toBe(id);
    const other = `${fresh('staff')}@${domain}`;
    const staff = await person({}, other);
    expect(await outcome(door, { sub: 'staff', email: other, email_verified: undefined })).toBe(staff);
  });

  long('finds the owner by a signed e-mail of a SAML IdP, which has no email_verified', async () => {
    await own();
    const door = await SamlWay.open(service, house);
    const name = `${fresh('boss')}@${domain}`;
    const id = await person({}, name);
    await house.api.patch('/tenant', { owner_user_id: id });
    const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect(await outcomeAt(house, door, { nameId: name, nameIdFormat, attributesXml: '' })).toBe(id);
  });

  long('ignores letter case, and matches no look-alike', async () => {
    await own();
    const door = await open();
    const name = `${fresh('kate')}@${domain}`;
    const id = await person({}, name);
    expect(await outcome(door, { sub: 'l-1', email: name.replace('k', '\u212a') })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'l-1', email: ` ${name.replace('kate', 'k\u0430te')}` })).toBe('unknown_account');
    expect(await outcome(door, { sub: 'l-1', email: `${name}.evil.example` })).toBe('email_outside_domains');
    expect(await outcome(door, { sub: 'l-1', email: name.toUpperCase() })).toBe(id);
  });

  it('finds no user of another tenant by any claim', async () => {
    await own();
    const name = `${fresh('victim')}@${domain}`;
    const victim = await person({ externalId: 'victim-key' }, name);
    const attacker = await newHouse(service);
    const door = await OidcWay.open(service, attacker, { directory_id: attacker.directoryId }, op);
    const seen = await door.signIn(door.tab(), {
      sub: 'victim-key',
      email: name,
      preferred_username: name,
      oid: victim,
    });
    expect(await reasonOf(attacker, seen)).toBe('email_outside_domains');
  });
});

describe('SAML attributes', () => {
  long('are an e-mail by their Name; a FriendlyName decides nothing', async () => {
    await own();
    const name = `${fresh('f')}@${domain}`;
    const id = await person({}, name);
    const door = await SamlWay.open(service, house);
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

describe('refused users', () => {
  long('get a page of their own and no session when deactivated, deleted, held or waiting', async () => {
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
