import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { client } from '../../../support/http.js';
import { waitingForLock } from '../../../support/locks.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { long, someOf } from '../../../support/rounds.js';
import { OidcWay, outcomeAt, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';

// Attempts to sign in as another user: by a name that weighs less than an id, by coming first, by coming in between. Each attack
// has its good twin, who gets in.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
let otherOp: HostileOp;
beforeAll(async () => {
  service = await sharedApp();
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
  await service.close();
});

const open = (more: object = {}, idp = op): Promise<OidcWay> => OidcWay.open(service, house, more, idp);
const paired = (): Promise<OidcWay> => open({ directory_id: house.directoryId });
const own = (more: object = {}): Promise<void> => trustDomain(service, house.tenantId, domain, more);
const set = (id: string, path: string, value: unknown) =>
  house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path, value }));
const address = (name: string): string => `${fresh(name)}@${domain}`;
const mails = (value: string) => ({ emails: [{ value, primary: true }] });
const attribute = (name: string, value: string): string =>
  `<saml:AttributeStatement><saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;

/** The user who is signed in; the reason where the sign-in is refused. */
const outcome = (door: OidcWay, claims: Record<string, unknown>): Promise<string> => outcomeAt(house, door, claims);
const samlOutcome = (door: SamlWay, nameId: string, attributesXml?: string): Promise<string> =>
  outcomeAt(house, door, { nameId, ...(attributesXml === undefined ? {} : { attributesXml }) });

describe('an e-mail that two users have or request leads to neither', () => {
  const work = (value: string) => ({ emails: [{ value, type: 'work', primary: true }] });
  const madeWith = (mail: string, name = mail) => madeUser(house.scim, user(name, { ...work(mail), externalId: name }));
  const byNameId = (door: SamlWay, mail: string) =>
    outcomeAt(house, door, {
      nameId: mail,
      attributesXml: '',
      nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    });

  it.each<[string, () => Promise<(mail: string) => Promise<string>>]>(
    someOf([
      [
        'OIDC',
        async () => {
          const door = await open();
          return (email) => outcome(door, { sub: fresh(), email });
        },
      ],
      [
        'OIDC with another case',
        async () => {
          const door = await open();
          return (email) => outcome(door, { sub: fresh(), email: email.toUpperCase() });
        },
      ],
      [
        'OIDC with just-in-time creation',
        async () => {
          const door = await open({ jit: true });
          return (email) => outcome(door, { sub: fresh(), email });
        },
      ],
      [
        'OIDC, paired, without a user name',
        async () => {
          const door = await paired();
          return (email) => outcome(door, { sub: fresh(), email });
        },
      ],
      [
        'SAML',
        async () => {
          const door = await SamlWay.open(service, house);
          return (email) => byNameId(door, email);
        },
      ],
      [
        'SAML, paired',
        async () => {
          const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
          return (email) => byNameId(door, email);
        },
      ],
    ]),
  )(
    '%s: an existing user requests the e-mail of another one',
    async (_how, opened) => {
      await own();
      const said = await opened();
      const [gil, hal] = [address('gil'), address('hal')];
      const gilId = await madeWith(gil);
      const halId = await madeWith(hal);
      await house.scim.patch(
        `/Users/${gilId}`,
        patch({ op: 'replace', path: 'emails[type eq "work"].value', value: hal }),
      );
      expect(await said(hal)).toBe('email_ambiguous');
      const { body } = await house.api.get('/sign-ins?limit=1');
      expect(body.data[0]).toMatchObject({
        user_id: halId,
        detail: expect.stringContaining(`${halId} has it, ${gilId} requests it`) as string,
      });
      // A user who gets an e-mail of their own back is found by it again.
      await house.scim.patch(
        `/Users/${gilId}`,
        patch({ op: 'replace', path: 'emails[type eq "work"].value', value: gil }),
      );
      expect(await said(hal)).toBe(halId);
    },
    30_000,
  );

  long.each<[string, (mail: string) => Promise<unknown>]>([
    ['a new user of the directory', (mail) => madeWith(mail, fresh('new'))],
    ['a new user without e-mails, named by it', (mail) => madeUser(house.scim, user(mail))],
    ['a new user in other letters', (mail) => madeWith(mail.toUpperCase(), fresh('new'))],
  ])('%s requests the e-mail of another user', async (_who, request) => {
    await own();
    const mail = address('hal');
    const id = await madeWith(mail, fresh('hal'));
    const door = await open();
    expect(await outcome(door, { sub: 'hal', email: mail })).toBe(id);
    await request(mail);
    expect(await outcome(door, { sub: 'gil', email: mail })).toBe('email_ambiguous');
    // A subject that the IdP never reuses is no e-mail.
    expect(await outcome(door, { sub: 'hal', email: mail })).toBe(id);
  });

  it('a copy in another directory takes it from no user who has it, and is one event', async () => {
    await own();
    const mail = address('hal');
    const id = await madeWith(mail, fresh('hal'));
    const second = await service.newDirectory(house.tenantId);
    const other = client(`${service.url}/scim/v2`, second.token);
    const copies: string[] = [];
    for (let i = 0; i < 4; i++) copies.push(await madeUser(other, user(fresh('copy'), work(mail))));
    const door = await open();
    for (let i = 0; i < 2; i++) expect(await outcome(door, { sub: 'hal', email: mail })).toBe(id);
    const { body } = await house.api.get('/events?limit=200');
    const told = (body.data as { event: string; data: object }[]).filter(
      ({ event }) => event === 'sign_in.email_claimed',
    );
    const facts = told.map(({ data }) => data as { user_id: string; claimed_by: string; directory_id: string });
    expect(new Set(facts.map((one) => one.claimed_by)).size).toBe(facts.length);
    for (const one of facts) expect(one).toMatchObject({ user_id: id, directory_id: second.id });
    expect(copies).toEqual(expect.arrayContaining(facts.map((one) => one.claimed_by)));
    expect(facts.length).toBeGreaterThanOrEqual(3);
    // Copies in the other directory hide no user of the same one who requests it.
    await madeWith(mail, fresh('twin'));
    expect(await outcome(door, { sub: 'gil', email: mail })).toBe('email_ambiguous');
  });

  long('a NameID that is the e-mail does not lead to its user once another user requests it', async () => {
    await own();
    const door = await SamlWay.open(service, house);
    const [gil, hal] = [address('gil'), address('hal')];
    const [gilId, halId] = [await madeWith(gil), await madeWith(hal)];
    expect(await byNameId(door, hal)).toBe(halId);
    await set(gilId, 'emails', [{ value: hal, type: 'work', primary: true }]);
    expect(await byNameId(door, hal)).toBe('email_ambiguous');
  });
});

describe('a name that is held leads to no user, and the one in force does', () => {
  const GUARD = { percent: 1, people: 1, at_least: 1, within_minutes: 60, day_percent: 1 };
  const put = (id: string, ...operations: object[]) => house.scim.patch(`/Users/${id}`, patch(...operations));
  const replaced = (path: string, value: unknown) => ({ op: 'replace', path, value });

  it.each<[string, object, (id: string, name: string) => Promise<unknown>]>([
    [
      'the guard holds another identity',
      { guard: GUARD },
      (id, name) => put(id, replaced('userName', name), replaced('externalId', name)),
    ],
    [
      'the guard holds a departure',
      { guard: GUARD },
      (id, name) => put(id, replaced('userName', name), replaced('externalId', name), replaced('active', false)),
    ],
    [
      'the directory is in preview',
      { guard: 'off' },
      async (id, name) => {
        await house.api.patch(`/directories/${house.directoryId}`, { state: 'preview' });
        await put(id, replaced('userName', name), replaced('externalId', name));
      },
    ],
  ])('when %s', async (_, directory, change) => {
    house = await newHouse(service, directory);
    const door = await open({ directory_id: house.directoryId, link_claim: 'oid' });
    const made = (name: string) => madeUser(house.scim, user(name, { externalId: `${name}-id` }));
    const [other, [byName, byId]] = [await made(fresh()), [fresh('n'), fresh('i')] as const];
    const users = [await made(byName), await made(byId)] as const;
    const written = [fresh('w'), fresh('w')] as const;
    await change(other, fresh());
    for (const [i, id] of users.entries()) await change(id, written[i]!);
    expect((await house.api.get(`/users/${users[0]}`)).body).toMatchObject({
      status: 'active',
      held: expect.any(String),
    });
    const named = (preferred_username: string) => ({ sub: fresh(), email: undefined, preferred_username });
    const keyed = (oid: string) => ({ sub: fresh(), email: undefined, oid });
    expect(await outcome(door, named(written[0]))).toBe('unknown_account');
    expect(await outcome(door, keyed(written[1]))).toBe('unknown_account');
    expect(await outcome(door, named(byName))).toBe(users[0]);
    expect(await outcome(door, keyed(`${byId}-id`))).toBe(users[1]);
  });
});

describe('a user known by an id is not found by a name', () => {
  it.each(['re-keyed', 'without any key'])('%s, and a stranger has the user name', async (how) => {
    const door = await paired();
    const name = `${fresh('vic')}@${domain}`;
    const victim = await madeUser(house.scim, user(name, { externalId: 'v-1' }));
    const tab = door.tab();
    expect((await door.signIn(tab, { sub: 'v-1', email: undefined })).status).toBe(303);
    if (how === 're-keyed') await set(victim, 'externalId', 'v-2');
    else await house.scim.patch(`/Users/${victim}`, patch({ op: 'remove', path: 'externalId' }));
    const evil = { sub: 'evil', email: undefined, preferred_username: name };
    expect(await outcome(door, evil)).toBe('bound_to_another');
    expect((await tab.who())?.user.id).toBe(victim);
    expect(await outcome(door, { ...evil, sub: 'v-1' })).toBe(victim);
    if (how === 're-keyed') expect(await outcome(door, { sub: 'v-2', email: undefined })).toBe(victim);
  });

  it('a user known by an id is not found by an e-mail', async () => {
    await own();
    const door = await paired();
    const name = `${fresh('vic')}@${domain}`;
    const victim = await madeUser(house.scim, user(name, { externalId: 'w-1', ...mails(name) }));
    expect(await outcome(door, { sub: 'w-1', email: undefined })).toBe(victim);
    await house.scim.patch(`/Users/${victim}`, patch({ op: 'remove', path: 'externalId' }));
    expect(await outcome(door, { sub: 'evil', email: name })).toBe('bound_to_another');
  });

  long('a renamed subject takes the new name only when the subject is that name', async () => {
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
    const [before, after] = [`${fresh('old')}@${domain}`, `${fresh('new')}@${domain}`];
    const id = await madeUser(house.scim, user(before));
    expect(await samlOutcome(door, before)).toBe(id);
    await set(id, 'userName', after);
    const upn = attribute('http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn', after);
    expect(await samlOutcome(door, 'evil', upn)).toBe('bound_to_another');
    expect(await samlOutcome(door, after)).toBe(id);
  });

  it('a known subject moves when the directory says so, and not by a claimed name', async () => {
    const door = await paired();
    const [one, two] = [`${fresh('one')}@${domain}`, `${fresh('two')}@${domain}`];
    const first = await madeUser(house.scim, user(one, { externalId: 'first' }));
    const second = await madeUser(house.scim, user(two, { externalId: 'second' }));
    expect(await outcome(door, { sub: 'first', email: undefined })).toBe(first);
    await set(first, 'externalId', 'first-again');
    expect(await outcome(door, { sub: 'first', email: undefined, preferred_username: two })).toBe(first);
    expect(await outcome(door, { sub: 'second', email: undefined })).toBe(second);
  });

  long('a reused user name moves to its new owner, whom the directory also knows by the id', async () => {
    const link_claim = 'oid';
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId, link_claim });
    const name = `${fresh('alice')}@${domain}`;
    const first = await madeUser(house.scim, user(name));
    expect(await samlOutcome(door, name)).toBe(first);
    await set(first, 'userName', `${fresh('alice.old')}@${domain}`);
    const second = await madeUser(house.scim, user(name, { externalId: 'object-2' }));
    expect(await samlOutcome(door, name, attribute('oid', 'object-2'))).toBe(second);
  });
});

describe('signing in never creates a deleted user again', () => {
  it.each(['owned', 'unproven'])('under the same e-mail, in a domain that is %s', async (how) => {
    if (how === 'owned') await own();
    const door = await open({ jit: true });
    const byScim = `${fresh('bob')}@${domain}`;
    const bob = await madeUser(house.scim, user(fresh('bob'), mails(byScim)));
    await set(bob, 'active', false);
    expect(await outcome(door, { sub: 'bob', email: byScim })).toBe('account_inactive');
    expect(await outcome(door, { sub: 'bob', email: byScim.toUpperCase() })).toBe('account_inactive');
    const email = `${fresh('eve')}@${domain}`;
    const eve = (await house.api.post('/users', { email, first_name: 'Eve', last_name: 'X' })).body.id as string;
    expect((await house.api.patch(`/users/${eve}`, { status: 'inactive' })).status).toBe(200);
    expect(await outcome(door, { sub: 'eve', email })).toBe('account_inactive');
    expect((await house.api.get(`/users?email=${email}`)).body.data).toHaveLength(1);
    // Who is let in again is in again, where the e-mail may be believed.
    await house.api.patch(`/users/${eve}`, { status: 'active' });
    expect(await outcome(door, { sub: 'eve', email })).toBe(how === 'owned' ? eve : 'account_taken');
  });

  it('under an e-mail that several deleted users had', async () => {
    await own();
    const email = `${fresh('two')}@${domain}`;
    for (let i = 0; i < 2; i++)
      await set(await madeUser(house.scim, user(fresh('two'), mails(email))), 'active', false);
    const door = await open({ jit: true });
    expect(await outcome(door, { sub: 'two', email })).toBe('account_inactive');
    expect(await outcome(door, { sub: 'three', email: `${fresh('three')}@${domain}` })).toMatch(/^usr_/);
  });
});

describe('the first person who claims an address is not its owner', () => {
  it('loses the account and the session when another connection proves the address', async () => {
    const email = `${fresh('ceo')}@${domain}`;
    const partner = await open({ jit: true });
    const mallory = partner.tab();
    expect((await partner.signIn(mallory, { sub: 'mallory', email })).status).toBe(303);
    const id = (await mallory.who())!.user.id;
    const corp = await open({}, otherOp);
    await own({ connection_id: corp.id });
    expect(await outcome(corp, { sub: 'ceo', email })).toBe(id);
    expect(await mallory.who()).toBeNull();
    expect(await outcome(partner, { sub: 'mallory', email })).toBe('email_outside_domains');
    expect(await outcome(corp, { sub: 'ceo', email })).toBe(id);
  });

  long('loses both when the same connection proves the address; the proven user keeps the account', async () => {
    const door = await open({ jit: true });
    const [taken, kept] = [`${fresh('cfo')}@${domain}`, `${fresh('kept')}@${domain}`];
    const squatted = await outcome(door, { sub: 'squatter', email: taken });
    const mine = await outcome(door, { sub: 'mine', email: kept });
    await own();
    expect(await outcome(door, { sub: 'cfo', email: taken })).toBe(squatted);
    expect(await outcome(door, { sub: 'squatter', email: taken })).toBe('bound_to_another');
    expect(await outcome(door, { sub: 'mine', email: kept })).toBe(mine);
    expect(await outcome(door, { sub: 'another', email: kept })).toBe('bound_to_another');
  });
});

describe('a domain that is bound to one connection', () => {
  long.each(['bound later', 'removed, and added bound'])(
    '%s: bindings of other connections count no more',
    async (how) => {
      await own();
      const partner = await open({ jit: true });
      const [ceo, cfo] = [address('ceo'), address('cfo')];
      const linked = await madeUser(house.scim, user(ceo, mails(ceo)));
      const tab = partner.tab();
      expect(await outcomeAt(house, partner, { sub: 'm1', email: ceo }, tab)).toBe(linked);
      const made = await outcome(partner, { sub: 'm2', email: cfo });
      const elsewhere = await outcome(partner, { sub: 'own', email: `${fresh('p')}@partner.example` });
      const corp = await open({}, otherOp);
      await corp.test(house, { sub: 'ceo', email: ceo });
      if (how !== 'bound later') expect((await house.api.delete(`/domains/${domain}`)).status).toBe(204);
      await own({ connection_id: corp.id });
      expect(await tab.who()).toBeNull();
      for (const [sub, email] of [
        ['m1', ceo],
        ['m2', cfo],
      ]) {
        expect(await outcome(partner, { sub, email })).toBe('email_outside_domains');
      }
      expect(await outcome(corp, { sub: 'ceo', email: ceo })).toBe(linked);
      expect(await outcome(corp, { sub: 'cfo', email: cfo })).toBe(made);
      expect(await outcome(partner, { sub: 'own', email: undefined })).toBe(elsewhere);
    },
  );

  long('does not open to others while it is deleted and made again', async () => {
    const partner = await open({ jit: true });
    const corp = await open({}, otherOp);
    await own({ connection_id: corp.id });
    const ceo = address('ceo');
    const id = await madeUser(house.scim, user(ceo, mails(ceo)));
    expect(await outcome(corp, { sub: 'ceo', email: ceo })).toBe(id);
    await partner.test(house, { sub: 'own', email: `${fresh('p')}@partner.example` });
    expect((await house.api.delete(`/connections/${corp.id}`)).status).toBe(204);
    expect(await outcome(partner, { sub: 'm', email: ceo })).toBe('email_outside_domains');
    const again = await open({}, otherOp);
    // The domain is bound to the deleted connection: through none that works do its users sign in.
    await own({ connection_id: again.id });
    expect(await outcome(again, { sub: 'ceo', email: ceo })).toBe(id);
  });
});

describe('the evidence changes while the decision is being written', () => {
  /** Holds the connection, which a sign-in locks as the first thing that it writes, until `change` is done. */
  async function meanwhile<T>(door: OidcWay, signIn: () => Promise<T>, change: () => Promise<unknown>): Promise<T> {
    const seen = await service.db.transaction(null, async (tx) => {
      await tx.query(`select 1 from connections where id = $1 for no key update`, [door.id]);
      const signing = signIn();
      await waitingForLock(service.db);
      await change();
      return { signing };
    });
    return seen.signing;
  }

  it('an id that the directory gives to another user moves to that user', async () => {
    const door = await paired();
    const first = await madeUser(house.scim, user(fresh('p1'), { externalId: 'moves' }));
    const second = await madeUser(house.scim, user(fresh('p2'), { externalId: 'waits' }));
    const who = await meanwhile(
      door,
      () => outcome(door, { sub: 'moves', email: undefined }),
      async () => {
        await set(first, 'externalId', 'gone');
        await set(second, 'externalId', 'moves');
      },
    );
    expect(who).toBe(second);
  });

  long('an e-mail whose domain leaves matches no user', async () => {
    await own();
    const door = await open();
    const email = `${fresh('x')}@${domain}`;
    const id = await madeUser(house.scim, user(fresh('e'), mails(email)));
    const sign = (sub: string) => outcome(door, { sub, email });
    const who = await meanwhile(door, () => sign('late'), () => house.api.delete(`/domains/${domain}`)); // prettier-ignore
    expect(who).toBe('email_outside_domains');
    await own();
    expect(await sign('late')).toBe(id);
  });

  it('a user who is deleted during the binding, and brought again, signs in again', async () => {
    const door = await paired();
    const name = fresh('n');
    const id = await madeUser(house.scim, user(name, { externalId: 'back' }));
    const { signing, deleting } = await service.db.transaction(null, async (tx) => {
      await tx.query('lock table sign_ins in share mode');
      const asked = door.signIn(door.tab(), { sub: 'back', email: undefined });
      await waitingForLock(service.db);
      const gone = house.scim.delete(`/Users/${id}`);
      await waitingForLock(service.db, 2);
      return { signing: asked, deleting: gone };
    });
    expect([(await signing).status, (await deleting).status]).toEqual([303, 204]);
    const again = await madeUser(house.scim, user(name, { externalId: 'back' }));
    expect(await outcome(door, { sub: 'back', email: undefined })).toBe(again);
    expect(await outcome(door, { sub: 'back', email: undefined })).toBe(again);
  });

  long('one subject with many addresses at once is one person', async () => {
    const door = await SamlWay.open(service, house, { jit: true });
    const ready = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const tab = door.tab();
        const { id, relayState } = await door.begin(tab);
        const parts = { nameId: 'one-subject', attributesXml: attribute('mail', `m${i}@${domain}`) };
        const form = door.idp.form(door.parts(id, parts));
        form.set('RelayState', relayState);
        return { tab, form };
      }),
    );
    // All of them have found no user when the first one writes.
    const all = await service.db.transaction(null, async (tx) => {
      await tx.query('lock table identities in share mode');
      const asked = ready.map(({ tab, form }) => door.post(tab, form));
      await waitingForLock(service.db, 4);
      return asked;
    });
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(6).fill(303));
    const people = await Promise.all(ready.map(async ({ tab }) => (await tab.who())!.user.id));
    expect(new Set(people).size).toBe(1);
    const { body } = await house.api.get('/users?limit=20');
    expect(body.data.filter((one: { email: string }) => one.email.endsWith(`@${domain}`))).toHaveLength(1);
  });
});
