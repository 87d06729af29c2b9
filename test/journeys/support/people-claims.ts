import fc from '../../support/properties.js';
import type { TestApp } from '../../support/app.js';
import type { Answer, Client } from '../../support/http.js';
import { bulk, patch, scim, user } from '../../support/scim.js';
import type { HostileOp } from '../../protocols/oidc/support/op.js';
import type { BackgroundWork } from './background.js';
import { count } from './counts.js';
import { Company, stepsOf, type Kind, type Shown, type Step } from './people-company.js';
import { Invariants } from './people-invariants.js';
import { notInForce, rightsKept, type Asked, type Member, ownerOfMail } from './people-prediction.js';
import { SignIns, type Linking } from './people-sign-ins.js';
import type { StandInPlatform } from './stand-in-platform.js';

/** What may happen where users request the e-mails and keys of others, and the weight of each. */
export const CLAIM_DEEDS = {
  hire: 9, circle: 9, claim: 6, free: 3, strip: 7, give: 4, rename: 2, remove: 1, signIn: 8, limit: 1, deliver: 1, takeOver: 1, move: 2,
} as const; // prettier-ignore

type ClaimStep = Step<keyof typeof CLAIM_DEEDS>;

/** @param n the number of the kind: one seed makes up other steps for each kind */
export function claimSteps(n: number): fc.Arbitrary<ClaimStep[]> {
  const skipped = fc.array(fc.nat(), { minLength: n, maxLength: n });
  return fc.tuple(skipped, stepsOf(CLAIM_DEEDS, 12, 24)).map(([, taken]) => taken);
}

/** A company whose directories give users the e-mails and keys of others, and how its users sign in. */
export interface ClaimKind extends Kind {
  linking: Linking;
}

const MOST = 10;
const ROLES = [null, 'User', 'Admin', 'Observer'];
const REMOVED = { op: 'remove' };

/** A user of a directory, with its client. */
interface Person extends Member {
  client: Client | null;
  /** Another directory has taken over that of the user, and has not linked the user yet. */
  isOld: boolean;
}

/** One write of a user. */
interface Write {
  person: Person;
  changes: Partial<Asked>;
}

/** The humans of a company of which several want one e-mail or key, one record each. */
export class Claims {
  private readonly people: Person[] = [];
  private readonly invariants: Invariants;
  private readonly clients: { client: Client; defaultRole: string | null }[];
  private made = 0;
  private isTakenOver = false;

  private constructor(
    private readonly kind: ClaimKind,
    private readonly company: Company,
    second: Client,
    private readonly signIns: SignIns,
  ) {
    this.invariants = new Invariants(company, (tag, key) =>
      this.people.some((one) => one.tag === tag && key !== null && one.keys.has(key)),
    );
    const first = kind.ruled ? null : (kind.directory?.default_role ?? 'User');
    this.clients = [
      { client: company.house.scim, defaultRole: first },
      { client: second, defaultRole: 'User' },
    ];
  }

  static async found(
    kind: ClaimKind,
    service: TestApp,
    work: BackgroundWork,
    platform: StandInPlatform,
    op: HostileOp,
  ): Promise<Claims> {
    const directory = { ...kind.directory, may_grant_console: true };
    const company = await Company.found({ ...kind, directory }, service, work, platform);
    const { house } = company;
    const second = await service.newDirectory(house.tenantId, { name: 'D2', may_grant_console: true });
    const client = scim(service.url, second.token);
    company.directories.push({ name: 'D2', id: second.id, client, state: 'live', isGone: false });
    const signIns = await SignIns.open(kind.linking, service, company, op);
    await work.tasks();
    count('companies');
    return new Claims(kind, company, client, signIns);
  }

  async take(step: ClaimStep): Promise<void> {
    const { who, mail, where, how } = step;
    const there = this.people.filter(({ id, isManaged, isOld }) => id !== null && isManaged && !isOld);
    const one = there[who % Math.max(1, there.length)];
    count('deeds');
    switch (step.deed) {
      case 'hire':
        return this.hire(step, there);
      case 'circle':
        return this.circle(step, there);
      case 'limit':
        return this.limit(how);
      case 'takeOver':
        return this.takeOver(how);
      case 'move':
        return this.moveOld(who, how);
      case 'deliver':
        return void (await this.company.deliver());
      case 'signIn':
        return this.signIn(step);
      case 'remove':
        return one && this.remove(one);
      case 'claim':
        return one && this.claim(one, there[(who + 1 + where) % there.length]!, how);
      case 'free':
        return (
          one && this.write(one, { ...this.names(one), ...(how > 3 && this.isKeyed() ? { key: this.newKey() } : {}) })
        );
      case 'rename':
        return one && this.write(one, { family: `F${++this.made}` });
      case 'strip':
        return one && this.strip(one, mail, how);
      case 'give':
        return one && this.give(one, mail, how);
    }
  }

  /** What the last write has taken away is over at once; all that fits comes into force with the work that is due. */
  async check(): Promise<void> {
    await this.rights();
    let problems: string[] = [];
    // One user lets in the next one: the service looks at all of them again until none moves.
    for (let round = 0; round < 4; round++) {
      await this.company.work.settle(this.company.house.tenantId);
      const users = await this.rights();
      const seats = (await this.company.house.api.get('/seats')).body as { limit: number | null; used: number };
      problems = notInForce(this.people, users, seats);
      if (problems.length === 0) break;
      count('further rounds of upkeep');
    }
    this.invariants.none(problems);
  }

  async end(): Promise<void> {
    await this.check();
    await this.company.deliver();
    const moment = await this.invariants.moment();
    await this.invariants.hold(moment);
    await this.invariants.agree(moment.users, true);
    this.invariants.none(await this.signIns.outlived(moment.users));
  }

  private async rights(): Promise<Map<string, Shown>> {
    const users = await this.users();
    for (const person of this.people) {
      const shown = person.id === null ? undefined : users.get(person.id);
      if (shown?.status === 'active' && shown.email !== null) person.wasActive = true;
    }
    this.invariants.none(rightsKept(this.people, users));
    return users;
  }

  private async users(): Promise<Map<string, Shown>> {
    return new Map((await this.company.users()).map((one) => [one.id, one]));
  }

  private isKeyed(): boolean {
    return this.kind.keyed;
  }

  private newKey(): string {
    return `k${++this.made} ${this.company.domain}`;
  }

  /** A new e-mail, and what follows from it. */
  private names(person: Pick<Member, 'tag'>): Pick<Asked, 'mail'> & Partial<Asked> {
    const mail = `${person.tag}-${++this.made}@${this.company.domain}`.toLowerCase();
    return this.kind.named === 'email' ? { mail, userName: mail, key: mail } : { mail };
  }

  private async hire({ mail: role, where, how, who }: ClaimStep, there: Person[]): Promise<void> {
    if (this.people.filter(({ id }) => id !== null).length >= MOST) return;
    const tag = `H${++this.made}`;
    const { client, defaultRole } = this.clients[this.isTakenOver ? 1 : where % 2]!;
    const asked: Asked = {
      active: true, userName: `${tag}-${this.company.domain}`, key: null, role: ROLES[role]!,
      isInGroup: false, family: `F${this.made}`, ...this.names({ tag }),
    }; // prettier-ignore
    if (this.isKeyed()) asked.key = this.newKey();
    const other = there[who % Math.max(1, there.length)];
    if (how === 0 && other && !this.links(other.asked)) asked.mail = other.asked.mail;
    if (how === 1 && other && this.isKeyed() && !this.links(other.asked)) asked.key = other.asked.key;
    const answer = await client.post('/Users', this.document(tag, asked));
    this.said(
      `D${this.clients.findIndex((one) => one.client === client) + 1} posts ${tag} ${JSON.stringify(asked)}`,
      answer,
      [201],
    );
    if (answer.status !== 201) return;
    const id = answer.body.id as string;
    const person: Person = {
      tag, id, isManaged: true, defaultRole, asked, mails: new Set(), keys: new Set(), wasActive: false, client, isOld: false,
    }; // prettier-ignore
    this.wrote(person, asked);
    this.people.push(person);
    if (how % 2 === 0) await this.join(person, true);
  }

  private document(tag: string, asked: Asked): object {
    return user(asked.userName, {
      ...(this.isKeyed() ? { externalId: asked.key } : {}),
      name: { givenName: tag, familyName: asked.family },
      emails: [{ value: asked.mail, primary: true, type: 'work' }],
      ...(asked.role === null ? {} : { roles: [{ value: asked.role, primary: true }] }),
      active: true,
    });
  }

  /** Whether a POST with one of these values would link a user: one without a directory, or of the one that was taken over. */
  private links({ mail, key }: Asked): boolean {
    return this.people.some((one) => (!one.isManaged || one.isOld) && (one.mails.has(mail) || one.keys.has(key)));
  }

  /** Two to five users get the e-mail or the key of the next one, or of the one before. */
  private async circle({ who, mail: what, where, how }: ClaimStep, there: Person[]): Promise<void> {
    const fit = there.filter(({ asked }) => asked.active && asked.mail !== null);
    const size = Math.min(fit.length, 2 + (how % 4));
    if (size < 2) return;
    const chosen = Array.from({ length: size }, (_, i) => fit[(who + i) % fit.length]!);
    const before = chosen.map(({ asked }) => ({ ...asked }));
    const writes = chosen.map((person, i): Write => {
      const next = before[(i + 1) % size]!;
      const former = before[(i + size - 1) % size]!;
      const key = !this.isKeyed() || what === 0 ? {} : { key: what === 3 ? former.key : next.key };
      const extra = i > 0 ? {} : where === 3 ? { role: 'Observer' } : where === 2 ? { family: `F${++this.made}` } : {};
      return { person, changes: { ...(what === 1 && this.isKeyed() ? {} : { mail: next.mail }), ...key, ...extra } };
    });
    count('circles');
    if (this.kind.named === 'email' && where % 2 === 0) return this.namesInCircle(writes, before);
    const mode = (who + how) % 3;
    count(`circles ${['one at a time', 'in Bulk', 'at once'][mode]!}`);
    if (mode === 0) for (const write of writes) await this.write(write.person, write.changes);
    else if (mode === 1) await this.inBulk(writes);
    else await Promise.all(writes.map(({ person, changes }) => this.write(person, changes)));
  }

  /** A `userName` cannot be had twice: the first user steps aside, and the others follow from the last to the second. */
  private async namesInCircle(writes: Write[], before: Asked[]): Promise<void> {
    count('circles of names');
    const named = ({ userName }: Asked) => ({ userName, key: userName });
    const [first, ...others] = writes as [Write, ...Write[]];
    const aside = `aside-${++this.made}@${this.company.domain}`;
    await this.write(first.person, { ...first.changes, userName: aside, key: aside });
    for (let i = others.length; i > 0; i--) {
      const { person, changes } = writes[i]!;
      await this.write(person, { ...changes, ...named(before[(i + 1) % writes.length]!) });
    }
    await this.write(first.person, named(before[1]!));
  }

  private async inBulk(writes: Write[]): Promise<void> {
    for (const { client } of this.clients) {
      const own = writes.filter(({ person }) => person.client === client);
      if (own.length === 0) continue;
      const operations = own.map(({ person, changes }) => {
        return { method: 'PATCH', path: `/Users/${person.id}`, data: patch(...this.operations(changes)) };
      });
      const answer = await client.post('/Bulk', bulk(operations));
      this.said(`Bulk: ${own.map(({ person, changes }) => `${person.tag} ${JSON.stringify(changes)}`).join('; ')}`, answer); // prettier-ignore
      for (const [i, { person, changes }] of own.entries()) {
        const { status } = (answer.body.Operations as { status: string }[])[i]!;
        if (status === '200') this.wrote(person, changes);
        else this.said(`… ${person.tag}: ${status}`);
        if (status >= '500') throw new Error([...this.company.seen, answer.text].join('\n'));
      }
    }
  }

  /** Requests the e-mail or the key that another user has or requests. */
  private async claim(person: Person, other: Person, how: number): Promise<void> {
    if (other === person) return;
    const isKey = this.isKeyed() && how % 3 === 0;
    await this.write(person, isKey ? { key: other.asked.key } : { mail: other.asked.mail });
  }

  /** Takes something away: a role, the group, everything; now and then with a claim in the same write. */
  private async strip(person: Person, mail: number, how: number): Promise<void> {
    const other = this.people.find((one) => one !== person && one.isManaged && one.id !== null);
    if (how === 0) return this.write(person, { role: 'Observer' });
    if (how === 1)
      return this.write(person, { role: null, ...(mail === 0 && other ? { mail: other.asked.mail } : {}) });
    if (how === 2) return this.join(person, false);
    if (how === 3) return this.write(person, { role: 'User' });
    return this.write(person, { active: false, ...(mail === 1 && other ? { mail: other.asked.mail } : {}) });
  }

  private async give(person: Person, mail: number, how: number): Promise<void> {
    if (how < 2) return this.write(person, { role: ROLES[mail]! });
    if (how === 2) return this.join(person, true);
    return this.write(person, { active: true });
  }

  private async join(person: Person, isIn: boolean): Promise<void> {
    const { group, house } = this.company;
    if (group === null || person.client !== house.scim || person.id === null) return;
    const operation = isIn
      ? { op: 'add', path: 'members', value: [{ value: person.id }] }
      : { op: 'remove', path: `members[value eq "${person.id}"]` };
    const answer = await house.scim.patch(`/Groups/${group}`, patch(operation));
    this.said(`${person.tag} ${isIn ? 'joins' : 'leaves'} the group`, answer, [204]);
    person.asked.isInGroup = isIn;
  }

  private async remove(person: Person): Promise<void> {
    const answer = await person.client!.delete(`/Users/${person.id}`);
    this.said(`${person.tag} ${person.id} is deleted`, answer, [204]);
    person.id = null;
  }

  private async takeOver(how: number): Promise<void> {
    if (this.isTakenOver || how > 2 || !this.isKeyed()) return;
    const [first, second] = this.company.directories;
    const answer = await this.company.house.api.patch(`/directories/${second!.id}`, { takes_over: first!.id });
    this.said('D2 takes over D1', answer);
    this.isTakenOver = true;
    for (const person of this.people) person.isOld = person.client === first!.client;
  }

  /** A user of the directory that was taken over: it still reports a departure, and nothing else; the new one links the user. */
  private async moveOld(who: number, how: number): Promise<void> {
    const old = this.people.filter(({ id, isOld }) => id !== null && isOld);
    const person = old[who % Math.max(1, old.length)];
    if (person === undefined) return;
    if (how === 0) return this.remove(person);
    if (how > 2) return this.link(person);
    const value = how === 1 ? { active: false } : { name: { familyName: 'Old' }, roles: [{ value: 'Admin' }] };
    const answer = await person.client!.patch(`/Users/${person.id}`, patch({ op: 'replace', value }));
    this.said(`D1, taken over: ${person.tag} ${person.id} ${JSON.stringify(value)}`, answer);
    if (how === 1) person.asked.active = false;
  }

  private async link(person: Person): Promise<void> {
    const { key } = person.asked;
    const isAlone = this.people.every((one) => one === person || !one.keys.has(key));
    const shown = (await this.users()).get(person.id!);
    if (!isAlone || shown?.external_id !== key) return;
    const asked = { ...person.asked, active: true, role: 'Observer', isInGroup: false, ...this.names(person) };
    const answer = await this.clients[1]!.client.post('/Users', this.document(person.tag, asked));
    this.said(`D2 links ${person.tag} ${JSON.stringify(asked)}`, answer, [201]);
    if (answer.body.id !== person.id) this.invariants.none([`${person.tag} was not linked: ${answer.text}`]);
    Object.assign(person, { ...this.clients[1]!, isOld: false });
    this.wrote(person, asked);
  }

  private async limit(how: number): Promise<void> {
    if (this.kind.seats === undefined) return;
    const { used } = (await this.company.house.api.get('/seats')).body as { used: number };
    const limit = how > 4 ? null : used + (how % 3);
    this.said(`${limit} seats`, await this.company.house.api.put('/seats/limit', { limit }));
  }

  private async signIn({ who, where, how }: ClaimStep): Promise<void> {
    if (this.kind.linking === 'jit' && how === 0) {
      const tag = `H${++this.made}`;
      const asked: Asked = {
        active: true, userName: '', key: null, role: null, isInGroup: false, family: 'J', ...this.names({ tag }),
      }; // prettier-ignore
      const made = await this.signIns.newcomer(this.people, await this.users(), tag, asked);
      if (made !== null) this.people.push({ ...made, client: null, isOld: false });
      return;
    }
    const person = this.people[who % Math.max(1, this.people.length)];
    if (person === undefined) return;
    const users = await this.users();
    const former = person.id === null ? null : users.get(person.id)!.email;
    const mail = (where === 0 ? former : null) ?? person.asked.mail;
    if (mail === null) return;
    // An IdP signs in no user whom it has deactivated. An address that it gave to another human means that human.
    const isOut = person.id === null || !person.asked.active;
    if (isOut && this.people.some((one) => one !== person && one.mails.has(mail.toLowerCase()))) return;
    // An e-mail that another human has in force means that human: a held request in another directory does not take it.
    const owner = ownerOfMail(this.people, users, mail);
    if (owner !== null && owner !== 'ambiguous' && owner.id !== person.id) return;
    this.invariants.none(
      await this.signIns.signIn(this.people, users, person, where === 1 ? mail.toUpperCase() : mail),
    );
  }

  private operations(changes: Partial<Asked>): object[] {
    const { active, userName, mail, key, role, family } = changes;
    const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
    const operations = [
      active === undefined ? null : replace('active', active),
      userName === undefined ? null : replace('userName', userName),
      family === undefined ? null : replace('name.familyName', family),
      key === undefined || !this.isKeyed() ? null : replace('externalId', key),
      mail === undefined ? null : mail === null ? { ...REMOVED, path: 'emails' } : replace('emails', [{ value: mail, primary: true, type: 'work' }]),
      role === undefined ? null : role === null ? { ...REMOVED, path: 'roles' } : replace('roles', [{ value: role, primary: true }]),
    ]; // prettier-ignore
    return operations.filter((one) => one !== null);
  }

  private async write(person: Person, changes: Partial<Asked>): Promise<void> {
    const answer = await person.client!.patch(`/Users/${person.id}`, patch(...this.operations(changes)));
    // A `userName` that another user has is refused, whole.
    this.said(`${person.tag} ${person.id}: ${JSON.stringify(changes)}`, answer, [200, 409]);
    if (answer.status === 200) this.wrote(person, changes);
  }

  private wrote(person: Person, changes: Partial<Asked>): void {
    count('writes');
    Object.assign(person.asked, changes);
    person.mails.add(person.asked.mail?.toLowerCase() ?? null);
    person.keys.add(person.asked.key);
  }

  private said(what: string, answer?: Answer, expected: readonly number[] = [200]): void {
    this.company.said(what, answer);
    if (answer !== undefined && !expected.includes(answer.status))
      this.invariants.none([`${answer.status} ${answer.text}`]);
  }
}
