import type { TestApp } from '../../support/app.js';
import { reasonOf, OidcWay, trustDomain } from '../../support/sign-in/connections.js';
import type { Tab } from '../../support/sign-in/tab.js';
import type { HostileOp } from '../../protocols/oidc/support/op.js';
import { count } from './counts.js';
import type { Company, Shown } from './people-company.js';
import { ownerOfMail, type Asked, type Member } from './people-prediction.js';

/** How a connection finds users: by e-mail alone, among those of the first directory, or by making them. */
export type Linking = 'unpaired' | 'paired' | 'jit';

type Users = ReadonlyMap<string, Shown>;

/** The sign-ins of a company: each human has one subject at the IdP, and the e-mail that its directory has. */
export class SignIns {
  /** The user whom each subject has signed in as. */
  private readonly bound = new Map<string, string>();
  private readonly sessions: { tab: Tab; userId: string }[] = [];

  private constructor(
    private readonly linking: Linking,
    private readonly company: Company,
    private readonly door: OidcWay,
  ) {}

  static async open(linking: Linking, service: TestApp, company: Company, op: HostileOp): Promise<SignIns> {
    const { house, domain } = company;
    await trustDomain(service, house.tenantId, domain);
    const more = { unpaired: {}, paired: { directory_id: house.directoryId }, jit: { jit: true } }[linking];
    return new SignIns(linking, company, await OidcWay.open(service, house, more, op));
  }

  /** Signs a human in; answers what is wrong with the outcome. */
  async signIn(members: readonly Member[], users: Users, member: Member, mail: string): Promise<string[]> {
    const { outcome, isIn } = await this.outcome(member.tag, mail);
    const expected = this.expected(members, users, member, mail);
    const what = `${member.tag} signs in by ${mail}: ${outcome}, expected ${expected}`;
    this.company.said(what);
    if (!isIn) return expected === 'refused' || expected === outcome ? [] : [what];
    const wrong = outcome !== expected || users.get(outcome)?.first_name !== member.tag;
    this.bound.set(member.tag, outcome);
    return wrong ? [what] : [];
  }

  /** A human of no directory signs in; answers the user who is made. */
  async newcomer(members: readonly Member[], users: Users, tag: string, asked: Asked): Promise<Member | null> {
    const { outcome, isIn } = await this.outcome(tag, asked.mail!);
    this.company.said(`the newcomer ${tag} signs in by ${asked.mail}: ${outcome}`);
    if (isIn) this.bound.set(tag, outcome);
    // A user who waits for a seat is made, and cannot sign in.
    const made = (await this.company.users()).find(({ first_name }) => first_name === tag);
    if (made === undefined) return null;
    const mails = new Set<string | null>([asked.mail!.toLowerCase()]);
    return { tag, id: made.id, isManaged: false, defaultRole: 'User', asked, mails, keys: new Set(), wasActive: isIn };
  }

  /** Sessions of users who are not in force, and sessions of another user. */
  async outlived(users: Users): Promise<string[]> {
    const problems: string[] = [];
    for (const { tab, userId } of this.sessions) {
      const now = (await tab.who())?.user.id ?? null;
      if (now !== null && now !== userId) problems.push(`the session of ${userId} is now one of ${now}`);
      if (now !== null && users.get(userId)?.status !== 'active') problems.push(`the session of ${userId} is not over`);
    }
    return problems;
  }

  /** A user, `email_ambiguous`, or any other refusal. */
  private expected(members: readonly Member[], users: Users, { tag }: Member, mail: string): string {
    const bound = users.get(this.bound.get(tag) ?? '');
    if (bound !== undefined) return bound.status === 'active' ? bound.id : 'refused';
    const owner = ownerOfMail(members, users, mail);
    if (owner === 'ambiguous') return 'email_ambiguous';
    if (owner === null) return 'refused';
    const directory = owner.managed_by?.id ?? null;
    const isElsewhere = directory !== null && directory !== this.company.house.directoryId;
    return this.linking === 'paired' && isElsewhere ? 'refused' : owner.id;
  }

  private async outcome(tag: string, email: string): Promise<{ outcome: string; isIn: boolean }> {
    const tab = this.door.tab();
    const claims = { sub: `sub-${tag}`, email, email_verified: true, given_name: tag, family_name: 'J' };
    const seen = await this.door.signIn(tab, claims);
    const who = await tab.who();
    const isIn = seen.status === 303 && who !== null;
    if (!isIn && who !== null) throw new Error(`refused, and yet signed in: ${who.user.id}`);
    if (isIn) this.sessions.push({ tab, userId: who.user.id });
    const outcome = isIn ? who.user.id : await reasonOf(this.company.house, seen);
    count('sign-ins');
    count(`sign-ins ${isIn ? 'as a user' : outcome}`);
    return { outcome, isIn };
  }
}
