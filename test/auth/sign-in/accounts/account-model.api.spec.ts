import { randomUUID } from 'node:crypto';
import fc from '../../../support/properties.js';
import { SignInCompletion } from '../../../../src/auth/sign-in/callback/sign-in-completion.js';
import { SignInRefused } from '../../../../src/auth/sign-in/sign-in.errors.js';
import { ConnectionStore } from '../../../../src/auth/connections/store.js';
import type { VerifiedSignIn } from '../../../../src/auth/sign-in/accounts/verified-sign-in.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, patch, user } from '../../../support/scim.js';
import { rounds, someOf } from '../../../support/rounds.js';
import { samlIdp } from '../../../protocols/saml/support/idp.js';
import { trustDomain } from '../../../support/sign-in/connections.js';

// A company over the years, made up at random: people are hired, renamed, given others' names, put out and hired again,
// and sign in in between, by IdPs of every kind. Each sign-in leads to the user's own account, and succeeds.
let service: TestApp;
let certificate: string;
beforeAll(async () => {
  service = await sharedApp();
  certificate = (await samlIdp()).key.certificate;
});
afterAll(() => service.close());

/** A person whom the IdP knows, and the directory soon (`uid` is null until then). The keys never change; names are given back and given again. */
interface Employee {
  uid: string | null;
  key: string;
  pairwise: string;
  login: string;
  /** As the directory has it. */
  name: string;
  /** As the IdP has it, which may learn of it sooner or later; in letters of its own. */
  idpName: string;
  /** The side that has a new name before the other one has it. */
  ahead: 'idp' | 'directory' | null;
  /** Whether the directory has the key, and still the one that the IdP has. */
  hasKey: boolean;
  isRekeyed: boolean;
  isBound: boolean;
}

/** What an IdP of a kind sends of a person, and what its directory has of the same person. */
interface Kind {
  type: 'oidc' | 'saml';
  link_claim?: string;
  /** When the directory gets to know the key that the IdP has: at once, some day, never. */
  externalId: 'at once' | 'later' | 'never';
  /** The name is the userName; else the e-mail alone. */
  named: 'userName' | 'email';
  subject(employee: Employee, mail: string): string;
  claims(employee: Employee, mail: string): Record<string, unknown>;
  nameIdFormat?: string;
}

const SAML11 = 'urn:oasis:names:tc:SAML:1.1:nameid-format:';
const KINDS: Record<string, Kind> = {
  'Okta: sub is the externalId': {
    type: 'oidc', externalId: 'at once', named: 'userName',
    subject: ({ key }) => key, claims: (_, mail) => ({ preferred_username: mail, email: mail }),
  },
  'Entra: a sub of its own, oid is the externalId': {
    type: 'oidc', link_claim: 'oid', externalId: 'at once', named: 'userName',
    subject: ({ pairwise }) => pairwise, claims: ({ key }, mail) => ({ oid: key, preferred_username: mail }),
  },
  'Entra: the directory gets the object ids later': {
    type: 'oidc', link_claim: 'oid', externalId: 'later', named: 'userName',
    subject: ({ pairwise }) => pairwise, claims: ({ key }, mail) => ({ oid: key, preferred_username: mail }),
  },
  'an OIDC IdP that knows nothing of the directory’s ids': {
    type: 'oidc', externalId: 'never', named: 'userName',
    subject: ({ pairwise }) => pairwise, claims: (_, mail) => ({ preferred_username: mail, email: mail }),
  },
  'SAML: NameID is the userName': {
    type: 'saml', externalId: 'never', named: 'userName', nameIdFormat: `${SAML11}unspecified`,
    subject: (_, mail) => mail, claims: () => ({}),
  },
  'SAML: NameID is the userName, an attribute the externalId': {
    type: 'saml', link_claim: 'oid', externalId: 'at once', named: 'userName', nameIdFormat: `${SAML11}unspecified`,
    subject: (_, mail) => mail, claims: ({ key }) => ({ oid: key }),
  },
  'SAML: the same, and the directory gets the ids later': {
    type: 'saml', link_claim: 'oid', externalId: 'later', named: 'userName', nameIdFormat: `${SAML11}unspecified`,
    subject: (_, mail) => mail, claims: ({ key }) => ({ oid: key }),
  },
  'SAML: NameID is the e-mail, which is not the userName': {
    type: 'saml', externalId: 'never', named: 'email', nameIdFormat: `${SAML11}emailAddress`,
    subject: (_, mail) => mail, claims: () => ({}),
  },
  'SAML: a persistent NameID that no user has, and an e-mail': {
    type: 'saml', externalId: 'never', named: 'email', nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    subject: ({ pairwise }) => pairwise, claims: (_, mail) => ({ email: mail }),
  },
}; // prettier-ignore

// How many companies are made up. With other seeds an hour of this finds cases that no author had in mind.
const RUNS = Number(process.env['MODEL_RUNS'] ?? rounds(60));

const NAMES = ['ada', 'Bob', 'eve', 'kim'];
const DEEDS = {
  hire: 4, leave: 1, away: 1, back: 1, sign: 8, rename: 2, letters: 1, key: 2, rekey: 1, anew: 1, pretend: 2, attack: 2,
  idpFirst: 3, idpHires: 2, directoryFirst: 2, catchUp: 3,
} as const; // prettier-ignore
interface Step {
  deed: keyof typeof DEEDS;
  who: number;
  name: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  deed: fc.oneof(
    ...Object.entries(DEEDS).map(([deed, weight]) => ({ weight, arbitrary: fc.constant(deed as Step['deed']) })),
  ),
  who: fc.nat(5),
  name: fc.nat(NAMES.length - 1),
});

/** One company with its directory and connection, in which steps are taken. */
class Company {
  private readonly staff: Employee[] = [];
  private readonly domain = `${fresh('m')}.example.com`;
  /** The deactivated ones. */
  private readonly out = new Set<Employee>();
  readonly seen: string[] = [];

  private constructor(
    private readonly kind: Kind,
    private readonly house: House,
    private readonly connectionId: string,
  ) {}

  static async found(kind: Kind): Promise<Company> {
    const house = await newHouse(service);
    const { type, link_claim } = kind;
    const common = {
      name: 'IdP',
      type,
      directory_id: house.directoryId,
      ...(link_claim === undefined ? {} : { link_claim }),
    };
    const { body } = await house.api.post('/connections', {
      ...common,
      ...(type === 'oidc'
        ? { issuer: 'https://idp.example.com', client_id: 'c', client_secret: 's' }
        : {
            idp_entity_id: 'https://idp.example.com',
            sso_url: 'https://idp.example.com/sso',
            certificates: [certificate],
          }),
    });
    const company = new Company(kind, house, body.id as string);
    await trustDomain(service, house.tenantId, company.domain);
    return company;
  }

  async take({ deed, who, name: place }: Step): Promise<void> {
    const name = NAMES[place]!;
    const employee = this.staff[who % Math.max(1, this.staff.length)];
    const isFree = !this.staff.some((one) => sameName(one.name, name) || sameName(one.idpName, name));
    if (deed === 'hire') return isFree ? this.hire(name) : undefined;
    if (deed === 'idpHires') return this.idpHires(name);
    if (employee === undefined) return;
    switch (deed) {
      case 'rename':
      case 'directoryFirst':
        return isFree && employee.ahead === null ? this.renamed(employee, name, deed) : undefined;
      case 'idpFirst':
        return this.renamedAtIdp(employee, name);
      case 'catchUp':
        return this.catchUp();
      case 'letters':
        employee.idpName = otherLetters(employee.idpName);
        return;
      case 'anew':
        if (this.kind.link_claim !== undefined && employee.hasKey && !employee.isRekeyed)
          employee.pairwise = fresh('sub');
        return;
      case 'key':
        return this.keyed(employee, employee.key);
      case 'rekey':
        return this.keyed(employee, fresh('rekeyed'));
      case 'sign':
        return this.signs(employee, employee.idpName);
      case 'pretend':
        return employee.isBound && this.kind.type === 'oidc' ? this.signs(employee, name) : undefined;
      case 'attack':
        return this.attacked(employee);
      case 'leave':
        return this.leaves(employee);
      default:
        return this.activate(employee, deed === 'back');
    }
  }

  private mail(name: string): string {
    return `${name}@${this.domain}`;
  }

  private async hire(name: string): Promise<void> {
    const hasKey = this.kind.externalId === 'at once';
    const names = { login: fresh('login'), name, idpName: name, ahead: null };
    const keys = { key: fresh('key'), pairwise: fresh('sub'), hasKey, isRekeyed: false };
    const employee: Employee = { uid: null, ...keys, ...names, isBound: false };
    this.staff.push(employee);
    await this.enter(employee);
  }

  /** A new person at the IdP, perhaps under a name that the directory still has of another one. */
  private idpHires(name: string): void {
    const isFree = !this.staff.some((one) => sameName(one.idpName, name) || one.ahead === 'directory');
    // Where no claim is named, a name may still lead to a user who was never here before.
    const isClear = this.kind.link_claim !== undefined || this.staff.every(({ isBound }) => isBound);
    if (!isFree || !isClear || this.kind.externalId !== 'at once') return;
    const names = { login: fresh('login'), name: '', idpName: name, ahead: 'idp' as const };
    const keys = { key: fresh('key'), pairwise: fresh('sub'), hasKey: true, isRekeyed: false };
    this.staff.push({ uid: null, ...keys, ...names, isBound: false });
    this.seen.push(`${name} is new at the IdP`);
  }

  private async enter(employee: Employee): Promise<void> {
    const { idpName: name, login, key, hasKey } = employee;
    const mail = this.mail(name);
    const more = { emails: [{ value: mail, primary: true }], ...(hasKey ? { externalId: key } : {}) };
    const { status, body } = await this.house.scim.post(
      '/Users',
      user(this.kind.named === 'email' ? login : mail, more),
    );
    expect(status).toBe(201);
    Object.assign(employee, { uid: body.id as string, name });
    this.seen.push(`hire ${name}`);
  }

  private async renamed(employee: Employee, name: string, how: 'rename' | 'directoryFirst'): Promise<void> {
    if (how === 'rename') employee.idpName = name;
    else employee.ahead = 'directory';
    await this.provision(employee, name);
  }

  /** Names are free at the IdP that the directory does not have yet. Without a key it is unclear which person is meant. */
  private renamedAtIdp(employee: Employee, name: string): void {
    const isFree = !this.staff.some((one) => sameName(one.idpName, name) || one.ahead === 'directory');
    if (!isFree || !employee.hasKey || (employee.isRekeyed && this.isOnlyAName(employee))) return;
    this.seen.push(`${employee.idpName} is ${name} at the IdP for now`);
    Object.assign(employee, { idpName: name, ahead: 'idp' });
  }

  /** Each side receives what the other one has, as far as the names are free by then. */
  private async catchUp(): Promise<void> {
    for (const employee of this.staff) {
      const { ahead, idpName, name, uid, key } = employee;
      if (employee.isRekeyed) await this.keyed(employee, key);
      const isFree = !this.staff.some((one) => one !== employee && sameName(one.name, idpName));
      if (ahead === 'directory') Object.assign(employee, { idpName: name, ahead: null });
      if (ahead !== 'idp' || !isFree) continue;
      if (uid === null) await this.enter(employee);
      else await this.provision(employee, idpName);
      employee.ahead = null;
    }
  }

  private async provision(employee: Employee, name: string): Promise<void> {
    const mail = this.mail(name);
    const named = this.kind.named === 'userName' ? { userName: mail } : {};
    const value = { emails: [{ value: mail, primary: true }], ...named };
    expect((await this.house.scim.patch(`/Users/${employee.uid}`, patch({ op: 'replace', value }))).status).toBe(200);
    this.seen.push(`${employee.name} is ${name} in the directory`);
    employee.name = name;
  }

  private async keyed(employee: Employee, key: string): Promise<void> {
    const { uid, hasKey } = employee;
    if (uid === null || this.kind.externalId === 'never' || (key !== employee.key && !hasKey)) return;
    if (key !== employee.key && employee.ahead !== null && this.isOnlyAName(employee)) return;
    const set = patch({ op: 'replace', path: 'externalId', value: key });
    expect((await this.house.scim.patch(`/Users/${employee.uid}`, set)).status).toBe(200);
    this.seen.push(`the directory has ${key} of ${employee.name}, the IdP ${employee.key}`);
    Object.assign(employee, { hasKey: true, isRekeyed: key !== employee.key });
  }

  /**
   * Whether a name alone identifies this user once the directory has another key for them: they never signed in, and
   * where no claim is named, keys that differ prove nothing. A name that belongs to another user by then leads to that user.
   */
  private isOnlyAName({ isBound }: Employee): boolean {
    return !isBound && this.kind.link_claim === undefined;
  }

  private async leaves(employee: Employee): Promise<void> {
    if (employee.uid !== null) expect((await this.house.scim.delete(`/Users/${employee.uid}`)).status).toBe(204);
    this.staff.splice(this.staff.indexOf(employee), 1);
    this.seen.push(`${employee.idpName} leaves`);
  }

  private async activate(employee: Employee, active: boolean): Promise<void> {
    if (employee.uid === null) return;
    const { status } = await this.house.scim.patch(
      `/Users/${employee.uid}`,
      patch({ op: 'replace', path: 'active', value: active }),
    );
    expect(status).toBe(200);
    if (active) this.out.delete(employee);
    else this.out.add(employee);
    this.seen.push(`${employee.name} is ${active ? 'in' : 'out'}`);
  }

  /** `called`: by which name the IdP calls them; OIDC's claims may be anything without changing who it is. */
  private async signs(employee: Employee, called: string): Promise<void> {
    this.seen.push(`${employee.idpName} signs in as ${called}`);
    const subject = this.kind.subject(employee, this.mail(employee.idpName));
    const who = await this.outcome(subject, this.kind.claims(employee, this.mail(called)));
    const agree = this.staff.every(({ ahead, isRekeyed }) => ahead === null && !isRekeyed);
    // While the two disagree a user may have to wait; a sign-in leads to no other user meanwhile.
    if (!agree && !who.startsWith('usr_')) return;
    if (this.out.has(employee)) return expect([this.seen, who]).toEqual([this.seen, 'account_inactive']);
    expect([this.seen, who]).toEqual([this.seen, employee.uid]);
    employee.isBound = true;
  }

  /** A user of the same IdP chooses their own names; the subject and the key are assigned by the IdP. */
  private async attacked(victim: Employee): Promise<void> {
    if (!victim.isBound || this.kind.type !== 'oidc') return;
    this.seen.push(`a user claims to be ${victim.name}`);
    const mallory = { ...victim, key: fresh('evil'), pairwise: fresh('evil') };
    const mail = this.mail(victim.name);
    const who = await this.outcome(this.kind.subject(mallory, mail), this.kind.claims(mallory, mail));
    expect([this.seen, who]).toEqual([this.seen, expect.not.stringMatching(/^usr_/)]);
  }

  private async outcome(subject: string, claims: Record<string, unknown>): Promise<string> {
    const { nest } = service.app;
    const connection = await nest.get(ConnectionStore).byId(this.house.tenantId, this.connectionId);
    const nameId = { value: subject, format: this.kind.nameIdFormat!, nameQualifier: null, spNameQualifier: null };
    const verified: VerifiedSignIn = {
      subject, claims, issuedAt: new Date(), authenticatedAt: null, sessionEnds: null, idpSession: null, authContext: null, idToken: null,
      nameId: this.kind.type === 'saml' ? nameId : null, once: null,
    }; // prettier-ignore
    const origin = { ip: null, userAgent: null, requestId: randomUUID() };
    try {
      return (await nest.get(SignInCompletion).complete(connection!, verified, null, origin)).userId;
    } catch (error) {
      if (error instanceof SignInRefused) return error.reason;
      throw error;
    }
  }
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function otherLetters(name: string): string {
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
}

it.each(someOf(Object.entries(KINDS)))('%s', async (_name, kind) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
      const company = await Company.found(kind);
      for (const name of [0, 1, 2]) await company.take({ deed: 'hire', who: 0, name });
      for (const one of steps) await company.take(one);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
