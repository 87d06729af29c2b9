import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import type { Destination } from '../engine/delivery/destination.js';
import type { LeasedLane } from '../engine/delivery/lane-state.js';
import {
  type Attempt,
  type Outcome,
  digestOf,
  type Lookup,
  type StandInNames,
  type Sent,
} from '../engine/delivery/outcome.js';
import { type Verdict, judge } from '../engine/delivery/retry.rules.js';
import type { Person } from '../tenancy/identity/person.js';
import { boundTo, creating, releaseFromLeavers, standLeaverAside, waitingCircle, type Bound } from './accounts.js';
import {
  sameEmail,
  sharesName,
  adoptByEmail,
  adoptByExternalId,
  leaverStandInOf,
  standInOf,
  standsAside,
} from './adoption.rules.js';
import { personOf, failureOf, waitFor } from './call.rules.js';
import { Connections, NamedUsers } from './connections.js';
import { type PlatformRequest, PlatformClient, type PlatformUser } from './platform-client/platform.client.js';
import { platformIdOf, readPlatformUser } from './platform-user.mapping.js';

/** An answer that was a success repeats personal data, so the attempt keeps no body of it. */
export function attemptOf(
  request: PlatformRequest,
  verdict: Verdict,
  outcome: Outcome,
  ms: number,
  sentAt: Date,
): Attempt {
  return {
    method: request.method,
    path: request.path,
    status: verdict.status,
    outcome: labelOf(outcome, verdict),
    detail: verdict.kind === 'unavailable' || verdict.kind === 'stopped' ? verdict.reason : null,
    answer: verdict.kind === 'ok' ? null : verdict.words,
    ms,
    sentAt,
  };
}

function labelOf(outcome: Outcome, verdict: Verdict): string {
  if (outcome.kind === 'delivered') return 'delivered';
  if (outcome.kind === 'next' && outcome.outdated === true) return 'stood_aside';
  return verdict.kind === 'ok' ? 'found' : verdict.kind;
}

/** A lane without a write also leaves a trace: its changes were settled then. */
export function nothingSaid(now: Date): Attempt {
  return {
    method: 'NONE',
    path: '',
    status: null,
    outcome: 'nothing_to_say',
    detail: null,
    answer: null,
    ms: 0,
    sentAt: now,
  };
}

/** An answer that ends the search: the platform is unreachable, refuses the request, or sends what cannot be read. */
export class Ended extends Error {
  constructor(readonly outcome: Outcome) {
    super('the search ended early');
  }
}

export class Search {
  readonly attempts: Attempt[] = [];
  readonly person: Person;

  constructor(
    readonly lane: LeasedLane,
    readonly destination: Destination,
    private readonly deadline: number,
    private readonly client: PlatformClient,
    private readonly connections: Connections,
    private readonly clock: Clock,
  ) {
    this.person = personOf(lane.call);
  }

  async resolve(externalId: string): Promise<string | null> {
    const { resolve } = this.destination.settings.paths;
    const body = await this.ask(resolve, { type: 'user', external_id: externalId });
    const { found, id } = (body ?? {}) as { found?: unknown; id?: unknown };
    if (found === false) return null;
    const known = found === true ? platformIdOf(id) : null;
    if (known === null) throw new Ended(senseless('resolve'));
    return known;
  }

  async user(id: string): Promise<PlatformUser | null> {
    const path = `${this.destination.settings.paths.users}/${encodeURIComponent(id)}`;
    const body = await this.ask(path, undefined, true);
    return body === null ? null : readPlatformUser(body);
  }

  async byEmail(email: string | null): Promise<PlatformUser[]> {
    if (email === null) return [];
    const body = await this.ask(this.destination.settings.paths.users, { email });
    const list = Array.isArray(body) ? (body as unknown[]) : (body as { data?: unknown } | null)?.data;
    if (!Array.isArray(list)) throw new Ended(senseless('list of users'));
    const users = list.map(readPlatformUser).filter((user) => user !== null);
    return users.filter((user) => sameEmail(user.email, email));
  }

  /**
   * The accounts that may be in the way. The platform may have named one beside its refusal; it counts only if it has
   * a name that the person needs today, since an earlier change had other names. Else those of the e-mail.
   */
  async suspects(): Promise<PlatformUser[]> {
    const id = this.lane.call.lookup?.id;
    const named = id === undefined ? null : await this.user(id);
    return named !== null && sharesName(this.person, named) ? [named] : this.byEmail(this.person.email);
  }

  /** Returns the ids of the accounts in the way of an update: by e-mail, else by the external id. */
  async inTheWay(): Promise<string[]> {
    const { platform_id: own } = this.lane.call;
    const found = (await this.suspects()).map(({ id }) => id).filter((id) => id !== own);
    const { external_id: key } = this.person;
    if (found.length > 0 || key === null) return found;
    const holder = await this.resolve(key);
    return holder === null || holder === own ? [] : [holder];
  }

  conclude(outcome: Outcome): void {
    const last = this.attempts.at(-1);
    if (last === undefined) return;
    if (outcome.kind === 'next' && outcome.adopted !== undefined) {
      last.outcome = 'adopted';
      last.detail = `found by ${outcome.adopted}`;
    } else if (outcome.kind === 'delivered') last.outcome = 'delivered';
    else if (outcome.kind === 'park' || outcome.kind === 'wait') last.detail = outcome.detail;
  }

  private async ask(path: string, query: Record<string, string> | undefined, mayMiss = false): Promise<unknown> {
    const request: PlatformRequest = {
      method: 'GET',
      path,
      ...(query === undefined ? {} : { query }),
      timeoutMs: Math.max(1, Math.round(this.deadline - performance.now())),
    };
    const sentAt = this.clock.now();
    const answer = await this.client.send(this.connections.of(this.destination), request);
    const verdict = judge(answer, this.clock.now());
    const missed = mayMiss && verdict.kind === 'missing';
    const outcome: Outcome = missed || verdict.kind === 'ok' ? { kind: 'nothing' } : failureOf(verdict);
    this.attempts.push(attemptOf(request, verdict, outcome, answer.ms, sentAt));
    if (verdict.kind === 'ok') return verdict.body;
    if (missed) return null;
    throw new Ended(outcome);
  }
}

function senseless(what: string): Outcome {
  return { kind: 'unavailable', reason: `senseless_${what.replaceAll(' ', '_')}`, ownFault: true, retryAfterMs: null };
}

/** After this number of look-ups of an account whose create named no id, the create is believed. */
const BELIEVED_AFTER = 3;
/** The most repetitions of a write whose conflict has dissolved. */
const DISSOLVES = 2;
/** The most accounts that are asked to give names away: a platform may refuse the stand-ins. */
const MOST_ASKED = 5;

/**
 * Asks the platform which account a user has. It only reads: the account that is found is bound, and the next step
 * writes. A user counts as unknown only on 200 with `found: false`: a 404 may come from any page at the address of the
 * API.
 */
@Injectable()
export class AccountFinder {
  constructor(
    private readonly client: PlatformClient,
    private readonly db: Database,
    private readonly connections: Connections,
    private readonly users: NamedUsers,
    private readonly clock: Clock,
  ) {}

  async find(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent> {
    const search = new Search(
      lane,
      destination,
      performance.now() + timeoutMs,
      this.client,
      this.connections,
      this.clock,
    );
    const why = lane.call.lookup?.why ?? 'lost';
    try {
      const outcome =
        why === 'gone'
          ? await this.gone(search)
          : why === 'no_id'
            ? await this.noId(search)
            : await this.account(search);
      search.conclude(outcome);
      return { outcome, attempts: search.attempts };
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return { outcome: error.outcome, attempts: search.attempts };
    }
  }

  /**
   * Checks an account before the first write to it. The lanes of a leaver and of the same user hired again may find
   * and bind one account at the same moment. By the time of the check at least one of them sees the other.
   *
   * @returns the outcome where another lane has the account, else null
   */
  async verify(lane: LeasedLane, destination: Destination): Promise<Outcome | null> {
    const { platform_id: id, lookup } = lane.call;
    if (lookup?.why !== 'found' || id === null) return null;
    const bound = await boundTo(this.db, destination, id, lane.subject);
    if (adoptByExternalId(bound).kind === 'adopt') return null;
    return { kind: 'next', lookup: { why: 'lost' }, bind: null, circling: true };
  }

  /** A 404 for a known id may have come from any page, so the platform is asked again. */
  private async gone(search: Search): Promise<Outcome> {
    const { call } = search.lane;
    const id = await search.resolve(search.person.external_id ?? search.lane.subject);
    if (id !== null && id === call.platform_id) return { kind: 'next', lookup: null, circling: true };
    if (id !== null) return this.bind(search, id);
    if (call.state === 'active') return { kind: 'next', lookup: null, bind: null };
    return { kind: 'delivered', bind: null };
  }

  private async noId(search: Search): Promise<Outcome> {
    const { external_id, email } = search.person;
    const id = external_id === null ? null : await search.resolve(external_id);
    const found = id ?? (await search.byEmail(email)).find((user) => user.external_id === external_id)?.id ?? null;
    if (found !== null) return { kind: 'next', lookup: null, bind: found };
    if (search.lane.failureCount + 1 >= BELIEVED_AFTER) return { kind: 'delivered' };
    return { kind: 'next', lookup: search.lane.call.lookup, circling: true };
  }

  /** Looks for an account that is in the way, or for one whose create was never answered. */
  private async account(search: Search): Promise<Outcome> {
    const { lane, person } = search;
    const lookup = lane.call.lookup;
    if (lane.call.platform_id !== null) return this.inTheWay(search, lookup);
    if (person.external_id !== null) {
      const id = await search.resolve(person.external_id);
      if (id !== null) return this.bind(search, id);
    }
    let refusal: string | null = null;
    for (const account of await search.suspects()) {
      const bound = await this.boundTo(search, account.id);
      const adoption = adoptByEmail(person, account, bound);
      if (adoption.kind === 'adopt') return this.adopted(account.id, 'email', lookup);
      if (adoption.kind === 'wait') return waitFor(lane, bound!);
      refusal = adoption.detail;
    }
    if (lookup?.why !== 'conflict') {
      // There is no account: an active user is created now, and a leaver never had one.
      return lane.call.state === 'active' ? { kind: 'next', lookup: null } : { kind: 'delivered' };
    }
    // A leaver who has no account of their own there needs none.
    if (lane.call.state !== 'active') return { kind: 'delivered' };
    if (refusal !== null && hasComeBack(lookup)) {
      return { kind: 'park', reason: 'account_belongs_to_someone_else', detail: refusal };
    }
    return this.again(lookup);
  }

  /** An update met another account, perhaps of a user whose own change is still on its way. */
  private async inTheWay(search: Search, lookup: Lookup | null): Promise<Outcome> {
    const { lane } = search;
    const accounts = await search.inTheWay();
    for (const id of accounts) {
      const bound = await this.boundTo(search, id);
      // A lane that waited for one that is parked by now names that lane.
      const waited = lookup?.waited !== undefined;
      if (bound?.pending && (!bound.parked || waited)) {
        const standIn = await this.standInFor(search, bound);
        // The call that sends it may have a newer body, for which other names can be in the way.
        const stoodAside = digestOf(lane.call.person);
        if (standIn !== null) return { kind: 'next', lookup: { ...lookup!, why: 'aside', standIn, stoodAside } };
        return waitFor(lane, bound);
      }
      const moved = bound === null ? null : await this.givenAway(search, id, bound);
      if (moved !== null) return moved;
    }
    if (accounts.length > 0 && hasComeBack(lookup))
      return { kind: 'refused', status: lookup?.status ?? 409, detail: lookup?.detail ?? '' };
    return this.again(lookup);
  }

  /**
   * Returns the names by which the account of the lane leaves a circle of lanes that wait for each other. In a short
   * circle one lane stands aside, and the others follow one after the other. In a long one all do, so that none waits
   * for a hundred others.
   *
   * @returns null when there is no circle, or another lane of it stands aside
   */
  private async standInFor(search: Search, bound: Bound): Promise<StandInNames | null> {
    const { lane, destination, person } = search;
    const { lookup, platform_id: accountId } = lane.call;
    // A newer change may need other names, and leave those that an earlier one had wanted.
    const hasStoodAside = lookup?.stoodAside === true || lookup?.stoodAside === digestOf(lane.call.person);
    if (lookup?.waited === undefined || hasStoodAside) return null;
    if (bound.waiting !== true || bound.parked || accountId === null) return null;
    const circle = await waitingCircle(this.db, destination, lane.subject, bound.subject);
    if (circle === null || !standsAside(lane.subject, circle)) return null;
    const account = await search.user(accountId);
    return account === null ? null : standInOf(lane.subject, person, account);
  }

  /** Has a leaver's account give away a name that another user needs, and waits for that; else null. */
  private async givenAway(search: Search, id: string, bound: Bound): Promise<Outcome | null> {
    const { lane, destination, person } = search;
    const asked = (lane.call.lookup?.asked ?? 0) + 1;
    if (bound.target_state === 'active' || bound.pending || bound.parked || asked > MOST_ASKED) return null;
    const account = await search.user(id);
    const standIn = account === null ? null : leaverStandInOf(bound.subject, person, account);
    if (standIn === null) return null;
    const leaver = { subject: bound.subject, accountId: id, needing: lane.subject };
    await standLeaverAside(this.db, destination, leaver, standIn);
    return waitFor(lane, bound, asked);
  }

  /** Repeats the write without a question, a limited number of times: the conflict may be gone. */
  private again(lookup: Lookup | null): Outcome {
    const dissolved = (lookup?.dissolved ?? 0) + 1;
    if (dissolved <= DISSOLVES) {
      const asked = lookup?.asked === undefined ? {} : { asked: lookup.asked };
      return { kind: 'next', lookup: { why: 'dissolved', dissolved, ...asked }, circling: true };
    }
    return { kind: 'refused', status: lookup?.status ?? 409, detail: lookup?.detail ?? '' };
  }

  private async bind(search: Search, id: string): Promise<Outcome> {
    const bound = await this.boundTo(search, id);
    const adoption = adoptByExternalId(bound);
    if (adoption.kind === 'wait') return waitFor(search.lane, bound!);
    if (adoption.kind === 'refuse') {
      // The account belongs to another user by now (hired again under the same key): the leaver has none.
      if (search.lane.call.state !== 'active') return { kind: 'delivered', bind: null };
      const moved = await this.givenAway(search, id, bound!);
      if (moved !== null) return moved;
      if (!hasComeBack(search.lane.call.lookup)) return this.again(search.lane.call.lookup);
      return { kind: 'park', reason: 'account_belongs_to_someone_else', detail: adoption.detail };
    }
    if (bound !== null) await releaseFromLeavers(this.db, search.destination, id, search.lane.subject);
    return this.adopted(id, 'external_id', search.lane.call.lookup);
  }

  private adopted(id: string, by: string, lookup: Lookup | null): Outcome {
    const found: Lookup = { why: 'found' };
    return { kind: 'next', lookup: found, bind: id, ...(lookup?.why === 'conflict' ? { adopted: by } : {}) };
  }

  private async boundTo({ destination, person, lane }: Search, platformId: string): Promise<Bound | null> {
    // In this order: a create that is over by the first look has left its binding for the second.
    const creator = await creating(this.db, destination, person, lane.subject, this.users);
    return creator ?? boundTo(this.db, destination, platformId, lane.subject);
  }
}

/**
 * Returns whether a conflict has come back after the write was repeated. Only then is it believed: the owner of the
 * account may have changed between the first write and the question whose account it is.
 */
function hasComeBack(lookup: Lookup | null): boolean {
  return (lookup?.dissolved ?? 0) > 0;
}
