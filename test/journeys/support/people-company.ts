import fc from '../../support/properties.js';
import type { CreateDirectory } from '../../../src/directory-sync/directories/directories.dto.js';
import type { TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import type { Answer, Client } from '../../support/http.js';
import { fresh, madeGroup, patch, scim, user } from '../../support/scim.js';
import type { BackgroundWork } from './background.js';
import type { Accounts, StandInPlatform } from './stand-in-platform.js';

/** How a company names its humans, and what its directories are set to. */
export interface Kind {
  /** What the `userName` is: the e-mail, which another human may get later, or a login that stays. */
  named: 'email' | 'login';
  /** The directories send an `externalId`. */
  keyed: boolean;
  directory?: Partial<CreateDirectory>;
  /** A group of the first directory gives the role. */
  ruled?: boolean;
  /** What a deletion does on the platform. */
  onDelete?: 'inactive';
  /** Seats at the beginning. */
  seats?: number;
}

/** A person who works or worked for the company. The tag is the given name in every record, so it shows whose each is. */
export interface Human {
  tag: string;
  key: string;
  login: string;
  mail: string;
  isHere: boolean;
  /** Under which id each directory knows them. */
  at: Map<Directory, string>;
}

export interface Directory {
  name: string;
  id: string;
  client: Client;
  state: 'live' | 'preview';
  isGone: boolean;
}

const MAILS = ['ada', 'bob', 'eve', 'kim'];
/** What may happen, and how often. */
export const DEEDS = {
  hire: 10, enrol: 6, leave: 8, rehire: 5, away: 2, back: 3, rename: 4, enrolLeaver: 1, match: 3,
  hireApi: 6, renameApi: 2, leaveApi: 7, backApi: 2, byKey: 2, hirePlatform: 4, doublePlatform: 1, leavePlatform: 2,
  importAll: 4, second: 2, live: 3, preview: 1, removeDirectory: 1, untake: 1, release: 2, discard: 2, discardAll: 1,
  owner: 1, breakGlass: 1, limit: 1, group: 3, dropRules: 1, deliver: 3,
} as const; // prettier-ignore

export interface Step<Deed extends string = keyof typeof DEEDS> {
  deed: Deed;
  who: number;
  mail: number;
  where: number;
  how: number;
}

/** Makes up the steps of a company. `deeds` has the weight of each deed. */
export function stepsOf<Deed extends string>(
  deeds: Readonly<Record<Deed, number>>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<Step<Deed>[]> {
  const step = fc.record({
    deed: fc.oneof(
      ...Object.entries<number>(deeds).map(([deed, weight]) => ({ weight, arbitrary: fc.constant(deed as Deed) })),
    ),
    who: fc.nat(7),
    mail: fc.nat(MAILS.length - 1),
    where: fc.nat(3),
    how: fc.nat(5),
  });
  return fc.array(step, { minLength, maxLength, size: 'max' });
}

export const steps = stepsOf(DEEDS, 40, 80);

/** A user as the users API shows it. */
export interface Shown {
  id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  external_id: string | null;
  status: string;
  seat: string;
  held: string | null;
  managed_by: { id: string } | null;
}

/** Whether a deed can happen to a human. */
function isFit(deed: Step['deed'], { isHere, at }: Human, directory: Directory | undefined): boolean {
  const isKnown = directory !== undefined && at.has(directory);
  if (deed === 'enrol' || deed === 'match') return isHere && !isKnown;
  if (deed === 'enrolLeaver') return !isHere && !isKnown;
  if (deed === 'leave' || deed === 'away') return isKnown;
  if (deed === 'back') return isHere && isKnown;
  if (deed === 'rename') return isHere && at.size > 0;
  if (deed === 'rehire' || deed === 'leavePlatform') return !isHere;
  return deed === 'group' ? at.size > 0 : isHere;
}

/** One company: its humans, directories, scripts and platform, in which steps are taken. */
export class Company {
  readonly humans: Human[] = [];
  readonly directories: Directory[] = [];
  readonly domain = `${fresh('p')}.example.com`;
  /** What happened, for the message of a failure. */
  readonly seen: string[] = [];
  /** Users that no directory may put out. */
  readonly kept = new Set<string>();
  /** The group of the first directory that gives the role. */
  group: string | null = null;
  private made = 0;

  private constructor(
    readonly kind: Kind,
    readonly service: TestApp,
    readonly house: House,
    readonly work: BackgroundWork,
    readonly accounts: Accounts,
  ) {}

  static async found(kind: Kind, service: TestApp, work: BackgroundWork, platform: StandInPlatform): Promise<Company> {
    const house = await newHouse(service, { ...kind.directory, ...(kind.ruled ? { default_role: null } : {}) });
    const key = `key-${house.tenantId}`;
    const company = new Company(kind, service, house, work, platform.of(key));
    const delivered = kind.onDelete === undefined ? {} : { on_delete: kind.onDelete };
    await house.api.put('/platform', { base_url: platform.url, api_key: key, ...delivered });
    if (kind.seats !== undefined) await house.api.put('/seats/limit', { limit: kind.seats });
    const first = { name: 'D1', id: house.directoryId, client: house.scim, state: 'live', isGone: false } as const;
    company.directories.push({ ...first });
    if (kind.ruled) {
      company.group = await madeGroup(house.scim);
      const rules = [{ group_id: company.group, role: 'User' }];
      await house.api.put(`/directories/${house.directoryId}/rules`, { rules });
    }
    return company;
  }

  /** Takes a step; answers the directory that wrote, where one did. */
  async take(step: Step): Promise<Directory | null> {
    const { deed, who, mail: place, where, how } = step;
    const mail = `${MAILS[place]}@${this.domain}`;
    const directory = this.present()[where % Math.max(1, this.present().length)];
    const fit = this.humans.filter((one) => isFit(deed, one, directory));
    const human = fit[who % Math.max(1, fit.length)];
    switch (deed) {
      case 'hire':
      case 'hireApi':
      case 'hirePlatform':
        return this.hire(deed, mail, directory, how);
      case 'second':
        return this.second(directory, how);
      case 'importAll':
        return this.importAll();
      case 'deliver':
        return this.deliver();
      case 'owner':
      case 'breakGlass':
        return this.protect(deed, who);
      case 'limit':
        return this.limit(how);
      case 'renameApi':
      case 'leaveApi':
      case 'backApi':
        return this.byScript(deed, who, mail);
      case 'release':
      case 'discard':
      case 'discardAll':
        return this.decide(deed, who);
      case 'dropRules':
        if (this.group === null || this.directories[0]!.isGone || how > 0) return null;
        return this.said('the rules are dropped', await this.house.api.put(`/directories/${this.house.directoryId}/rules`, { rules: [] })); // prettier-ignore
      case 'live':
      case 'preview':
      case 'untake':
      case 'removeDirectory':
        return directory === undefined ? null : this.turn(deed, directory, how);
      default:
        return human === undefined ? null : this.live(deed, human, mail, directory, how);
    }
  }

  /** The directories that are not deleted. */
  present(): Directory[] {
    return this.directories.filter(({ isGone }) => !isGone);
  }

  async users(): Promise<Shown[]> {
    return (await this.house.api.get('/users?limit=200')).body.data as Shown[];
  }

  /** Resolves when the platform has received all that is due, parked changes aside. */
  async deliver(): Promise<null> {
    const { api, tenantId } = this.house;
    const deadline = Date.now() + 20_000;
    let looks = 0;
    for (;;) {
      const { rows } = await this.service.db.query<{ n: number }>(
        `select count(*)::int as n from lanes where tenant_id = $1 and first_pending is not null and parked_reason is null`,
        [tenantId],
      );
      if (rows[0]!.n === 0) return null;
      if (Date.now() > deadline) {
        const { rows: lanes } = await this.service.db.query(
          'select subject, state, target_state, account, lookup, parked_reason, next_at from lanes where tenant_id = $1',
          [tenantId],
        );
        throw new Error(['not delivered:', ...this.seen, ...lanes.map((lane) => JSON.stringify(lane))].join('\n'));
      }
      // Refusals one after the other pause the platform, which looks misconfigured.
      if (++looks % 10 === 0) await api.post('/platform/resume', {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  // What happens to one human.
  private async live(
    deed: Step['deed'],
    human: Human,
    mail: string,
    directory: Directory | undefined,
    how: number,
  ): Promise<Directory | null> {
    const id = directory && human.at.get(directory);
    switch (deed) {
      case 'enrol':
        return directory ? this.enrol(human, directory) : null;
      case 'enrolLeaver':
        if (directory === undefined) return null;
        return (await this.isFree(human.mail, human)) ? this.enrol(human, directory, false) : null;
      case 'match':
        return directory ? this.match(human, directory) : null;
      case 'leave':
        return directory && id !== undefined ? this.leave(human, directory, id, how) : null;
      case 'rehire':
        return this.rehire(human, mail, directory);
      case 'away':
      case 'back':
        if (!directory || id === undefined) return null;
        return this.write(directory, id, `${human.tag} is ${deed}`, { active: deed === 'back' });
      case 'rename':
        return this.rename(human, mail, how);
      case 'group':
        return this.join(human, how);
      case 'doublePlatform':
      case 'leavePlatform':
        return this.onPlatform(deed, human, how);
      case 'byKey':
        return this.byKey(human);
      default:
        throw new Error(`no deed of a human: ${deed}`);
    }
  }

  /** A newcomer, mostly with the address of a leaver. */
  private async hire(deed: Step['deed'], wish: string, directory: Directory | undefined, how: number) {
    const tag = `H${++this.made}`;
    const human: Human = { tag, key: `${this.domain} ${tag}`, login: `${tag}-${this.domain}`, mail: wish, isHere: true, at: new Map() }; // prettier-ignore
    const left = this.humans
      .filter(({ isHere }) => !isHere)
      .map((one) => one.mail)
      .reverse();
    const mail = await this.freeOf([...(how > 0 ? left : []), wish, ...this.mails()], human);
    if (mail === null) return null;
    human.mail = mail;
    this.humans.push(human);
    if (deed === 'hire') return directory === undefined ? null : this.enrol(human, directory);
    const external_id = how % 2 === 0 && this.kind.keyed ? human.key : null;
    if (deed === 'hirePlatform') {
      // A user who left the platform before may have had the same address.
      if (how > 3) this.accounts.load(`H${++this.made}`, mail, { status: 'inactive' });
      const { id } = this.accounts.load(tag, mail, { external_id });
      return this.said(`${tag} ${mail} is on the platform as ${id}`);
    }
    const body = { email: mail, first_name: tag, last_name: 'A', external_id };
    return this.said(`${tag} ${mail} by the users API`, await this.house.api.post('/users', body));
  }

  private document({ tag, key, login, mail }: Human, active: boolean): object {
    return user(this.kind.named === 'email' ? mail : login, {
      ...(this.kind.keyed ? { externalId: key } : {}),
      name: { givenName: tag, familyName: 'D' },
      emails: [{ value: mail, primary: true }],
      active,
    });
  }

  private async enrol(human: Human, directory: Directory, active = true): Promise<Directory> {
    const answer = await directory.client.post('/Users', this.document(human, active));
    this.said(`${directory.name} posts ${human.tag} ${human.mail}${active ? '' : ' inactive'}`, answer);
    if (answer.status === 201) human.at.set(directory, answer.body.id as string);
    return directory;
  }

  /** An IdP that looks for its user first, and writes to the one that it finds. */
  private async match(human: Human, directory: Directory): Promise<Directory | null> {
    const name = this.kind.named === 'email' ? human.mail : human.login;
    const found = await directory.client.get(`/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
    const [first] = found.body.Resources as { id: string; name: { givenName: string } }[];
    if (first === undefined) return this.enrol(human, directory);
    // By its id a write names the record without doubt. Whose record it is, the IdP has to know.
    if (first.name.givenName !== human.tag) return null;
    const answer = await directory.client.put(`/Users/${first.id}`, this.document(human, true));
    this.said(`${directory.name} finds and puts ${human.tag}`, answer);
    if (answer.status === 200) human.at.set(directory, first.id);
    return directory;
  }

  private async leave(human: Human, directory: Directory, id: string, how: number): Promise<Directory> {
    human.isHere = false;
    if (how > 2) return this.write(directory, id, `${human.tag} leaves`, { active: false });
    const answer = await directory.client.delete(`/Users/${id}`);
    this.said(`${directory.name} deletes ${human.tag} ${id}`, answer);
    human.at.delete(directory);
    return directory;
  }

  private async rehire(human: Human, mail: string, directory: Directory | undefined): Promise<Directory | null> {
    if (directory === undefined) return null;
    const one = await this.freeOf([human.mail, mail, ...this.mails()], human);
    if (one === null) return null;
    Object.assign(human, { isHere: true, mail: one });
    const id = human.at.get(directory);
    if (id === undefined) return this.enrol(human, directory);
    const answer = await directory.client.put(`/Users/${id}`, this.document(human, true));
    this.said(`${directory.name} hires ${human.tag} ${one} again by ${id}`, answer);
    return directory;
  }

  /** `how`: in one directory only, or in all that know the human. */
  private async rename(human: Human, wish: string, how: number): Promise<Directory | null> {
    const places = [...human.at].filter(([{ isGone }]) => !isGone);
    const mail = await this.freeOf(
      [wish, ...this.mails()].filter((one) => one !== human.mail),
      human,
    );
    if (places.length === 0 || mail === null) return null;
    human.mail = mail;
    const isAlone = places.length === 1 || how > 2;
    for (const [directory, id] of isAlone ? places.slice(0, 1) : places) {
      const named = this.kind.named === 'email' ? { userName: mail } : {};
      const value = { ...named, emails: [{ value: mail, primary: true }] };
      await this.write(directory, id, `${human.tag} is ${mail}`, value);
    }
    return isAlone ? places[0]![0] : null;
  }

  private async write(directory: Directory, id: string, what: string, value: object): Promise<Directory> {
    const answer = await directory.client.patch(`/Users/${id}`, patch({ op: 'replace', value }));
    this.said(`${directory.name}: ${what} (${id})`, answer);
    return directory;
  }

  private async join(human: Human, how: number): Promise<Directory | null> {
    const [directory] = this.directories as [Directory];
    const id = human.at.get(directory);
    if (this.group === null || id === undefined || directory.isGone) return null;
    const operation =
      how > 1
        ? { op: 'add', path: 'members', value: [{ value: id }] }
        : { op: 'remove', path: `members[value eq "${id}"]` };
    const answer = await directory.client.patch(`/Groups/${this.group}`, patch(operation));
    this.said(`${human.tag} ${how > 1 ? 'joins' : 'leaves'} the group`, answer);
    return directory;
  }

  private async onPlatform(deed: Step['deed'], human: Human, how: number): Promise<null> {
    if (deed === 'doublePlatform') {
      if (!(await this.isFree(human.mail, human))) return null;
      const status = how > 2 ? 'inactive' : 'active';
      return this.said(
        `${human.tag} is on the platform as ${this.accounts.load(human.tag, human.mail, { status }).id}`,
      );
    }
    // An account that is bound to a user would only drift.
    const bound = await this.bound();
    for (const account of [...this.accounts.users.byId.values()]) {
      if (account.first_name !== human.tag || bound.has(account.id)) continue;
      this.accounts.users.update(account.id, JSON.stringify({ status: 'inactive' }));
      this.said(`the platform puts out ${account.id} of ${human.tag}`);
    }
    return null;
  }

  private async byKey(human: Human): Promise<null> {
    if (!this.kind.keyed || !(await this.isFree(human.mail, human))) return null;
    const body = { email: human.mail, first_name: human.tag, last_name: 'K' };
    const answer = await this.house.api.put(`/users/by-external-id/${encodeURIComponent(human.key)}`, body);
    return this.said(`a script puts ${human.tag} ${human.mail} by key`, answer);
  }

  private async byScript(deed: 'renameApi' | 'leaveApi' | 'backApi', who: number, wish: string): Promise<null> {
    const { api } = this.house;
    const status = deed === 'backApi' ? 'inactive' : 'active';
    const found = (await this.users()).filter(
      (one) => one.managed_by === null && one.status === status && !this.kept.has(one.id),
    );
    const one = found[who % Math.max(1, found.length)];
    const human = this.humans.find(({ tag }) => tag === one?.first_name);
    if (one === undefined || human === undefined) return null;
    const path = `/users/${one.id}`;
    if (deed === 'leaveApi') {
      human.isHere = false;
      return this.said(`a script puts out ${human.tag} ${one.id}`, await api.patch(path, { status: 'inactive' }));
    }
    const mail = await this.freeOf(deed === 'renameApi' ? [wish, ...this.mails()] : [one.email!, wish], human);
    if (mail === null) return null;
    Object.assign(human, { isHere: true, mail });
    const body = deed === 'renameApi' ? { email: mail } : { email: mail, status: 'active' };
    return this.said(`a script: ${deed} ${human.tag} ${mail} ${one.id}`, await api.patch(path, body));
  }

  // What happens to directories, and what an admin does.
  private async second(directory: Directory | undefined, how: number): Promise<null> {
    if (this.present().length > 2) return null;
    const state = how % 2 === 0 ? 'preview' : 'live';
    const takes_over = how > 4 ? null : (directory?.id ?? null);
    const name = `D${this.directories.length + 1}`;
    const answer = await this.house.api.post('/directories', {
      name,
      state,
      takes_over,
      guard: 'off',
      ...this.kind.directory,
    });
    this.said(`${name} in ${state} takes over ${takes_over === null ? 'none' : directory!.name}`, answer);
    if (answer.status !== 201) return null;
    const client = scim(this.service.url, answer.body.scim_token as string);
    this.directories.push({ name, id: answer.body.id as string, client, state, isGone: false });
    return null;
  }

  private async turn(deed: Step['deed'], directory: Directory, how: number): Promise<null> {
    const path = `/directories/${directory.id}`;
    if (deed === 'removeDirectory') {
      if (how > 2) return null;
      directory.isGone = true;
      for (const human of this.humans) human.at.delete(directory);
      return this.said(`${directory.name} is deleted`, await this.house.api.delete(path));
    }
    if (deed === 'untake') return this.said(`${directory.name} takes over none`, await this.house.api.patch(path, { takes_over: null })); // prettier-ignore
    const answer = await this.house.api.patch(path, { state: deed, ...(deed === 'live' ? { confirm: true } : {}) });
    if (answer.status === 200) directory.state = deed as 'live' | 'preview';
    return this.said(`${directory.name} is ${deed}`, answer);
  }

  /** The accounts of the platform, to tell whether a delivery has created or deleted one. */
  private accountIds(): string {
    return JSON.stringify([...this.accounts.users.byId.keys()]);
  }

  private async importAll(): Promise<null> {
    const before = this.accountIds();
    const { status, body } = await this.house.api.post('/platform/import', {});
    if (status !== 202) return this.said(`no import: ${status}`);
    await this.work.tasks();
    const task = (await this.house.api.get(`/tasks/${body.id}`)).body;
    const left = (await this.house.api.get(`/tasks/${body.id}/left-out?limit=200`)).body.data as {
      reason: string;
      detail: string;
    }[];
    this.said(`import: ${JSON.stringify(task.result)} ${left.map(({ reason }) => reason).join()}`);
    const { created, known, left_out } = task.result as Record<string, number>;
    const size = this.accounts.users.byId.size;
    expect([this.seen, task.state, task.total, left.length]).toEqual([this.seen, 'done', task.done, left_out]);
    expect(created! + known! + left_out!).toBe(task.done);
    // A delivery may create or delete an account between the two readings of the list.
    if (before === this.accountIds()) expect([this.seen, task.done]).toEqual([this.seen, size]);
    expect(left.every(({ reason, detail }) => reason !== '' && detail !== '')).toBe(true);
    return null;
  }

  private async protect(deed: Step['deed'], who: number): Promise<null> {
    const active = (await this.users()).filter(({ status }) => status === 'active');
    const one = active[who % Math.max(1, active.length)];
    if (one === undefined || this.kept.size > 3) return null;
    if (deed === 'owner' && this.kept.size > 0) return null;
    const others = [...this.kept].slice(1);
    const body = this.kept.size === 0 ? { owner_user_id: one.id } : { break_glass: [...new Set([...others, one.id])] };
    const answer = await this.house.api.patch('/tenant', body);
    if (answer.status === 200) this.kept.add(one.id);
    return this.said(`${one.first_name} ${one.id} is protected`, answer);
  }

  private async limit(how: number): Promise<null> {
    const { used } = (await this.house.api.get('/seats')).body as { used: number };
    const limit = how > 3 ? null : used + how;
    return this.said(`${limit} seats`, await this.house.api.put('/seats/limit', { limit }));
  }

  private async decide(deed: Step['deed'], who: number): Promise<null> {
    const held = (await this.users()).filter((one) => one.held !== null);
    const one = held[who % Math.max(1, held.length)];
    if (one === undefined) return null;
    // An admin who releases a protected user puts the user out: that is no directory's doing.
    if (deed === 'release' && one.held === 'protected') return null;
    const path = deed === 'discardAll' ? '/held/discard' : `/held/${one.id}/${deed}`;
    const answer = await this.house.api.post(path, deed === 'discardAll' ? { reason: one.held } : {});
    return this.said(`${deed} of ${one.first_name} ${one.id}, held as ${one.held}`, answer);
  }

  /** The accounts that are users' here. */
  private async bound(): Promise<Set<string>> {
    const { rows } = await this.service.db.query<{ platform_id: string }>(
      `select platform_id from lanes where tenant_id = $1 and platform_id is not null`,
      [this.house.tenantId],
    );
    return new Set(rows.map((row) => row.platform_id));
  }

  private mails(): string[] {
    return MAILS.map((name) => `${name}@${this.domain}`);
  }

  private async freeOf(mails: string[], human: Human): Promise<string | null> {
    for (const mail of new Set(mails)) if (await this.isFree(mail, human)) return mail;
    return null;
  }

  /**
   * Whether a mailbox can be a human's: it is no other one's who is here, and no system still takes it for the mailbox of
   * a leaver who has not been put out. A `userName` that a directory wrote names its user permanently.
   */
  private async isFree(mail: string, human: Human): Promise<boolean> {
    if (this.humans.some((other) => other !== human && other.isHere && other.mail === mail)) return false;
    const { rows } = await this.service.db.query(
      `select 1 from users u where u.tenant_id = $1 and u.doc->'name'->>'givenName' <> $3 and (
         (u.email_key = $2 and u.status = 'active') or (u.name_written and lower(u.user_name) = $2))
       union all select 1 from preview_writes w join users u on u.tenant_id = $1 and u.id = w.user_id
       where w.tenant_id = $1 and w.user_name_key = $2 and u.doc->'name'->>'givenName' <> $3
       union all select 1 from users u where u.tenant_id = $1 and u.first_name <> $3 and u.email_key = $2 and u.status = 'active'`,
      [this.house.tenantId, mail.toLowerCase(), human.tag],
    );
    const others = [...this.accounts.users.byId.values()].filter(
      ({ email, status, first_name }) => email === mail && status === 'active' && first_name !== human.tag,
    );
    if (rows.length > 0 || others.length === 0) return rows.length === 0;
    const bound = await this.bound();
    return others.every(({ id }) => bound.has(id));
  }

  /** Notes what happened. @throws when the answer is a 5xx */
  said(what: string, answer?: Answer): null {
    const words =
      answer === undefined || answer.status < 300
        ? ''
        : `: ${answer.status} ${answer.body?.code ?? answer.body?.scimType ?? ''}`;
    const id = answer?.status === 201 ? ` -> ${answer.body.id}` : '';
    this.seen.push(`${what}${words}${id}`);
    if (answer !== undefined && answer.status >= 500) throw new Error([...this.seen, answer.text].join('\n'));
    return null;
  }
}
