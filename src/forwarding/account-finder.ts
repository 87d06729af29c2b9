import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import type { Destination } from '../engine/delivery/destination.js';
import type { LeasedLane } from '../engine/delivery/lane-state.js';
import { digestOf, type Lookup, type StandInNames, type Outcome, type Sent } from '../engine/delivery/outcome.js';
import { Ended, Search } from './account-search.js';
import { boundTo, creating, releaseFromLeavers, standLeaverAside, waitingCircle, type Bound } from './accounts.js';
import { adoptByEmail, adoptByExternalId } from './adoption.rules.js';
import { Connections } from './connections.js';
import { NamedUsers } from './named-users.js';
import { PlatformClient } from './platform-client/platform.client.js';
import { leaverStandInOf, standInOf, standsAside } from './stand-in.rules.js';
import { waitFor } from './waiting.rules.js';

/** How many times an account whose create named no id is looked for, before the create is believed. */
const BELIEVED_AFTER = 3;
/** How many times a conflict may dissolve. */
const DISSOLVES = 2;
/** How many times accounts are asked to give names away: a platform may refuse the stand-ins. */
const MOST_ASKED = 5;

/**
 * Asks the platform which account a user has. It only reads: what is found is bound, and the next step writes. A user
 * counts as unknown only if the API itself says so (200 with `found: false`): a 404 may come from any page that stands
 * where the API should be.
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
   * Checks an account before the first write to it. Two lanes that look at the same moment (of a leaver, and of a user
   * hired again under the same names) may find and bind the same account. By the time of the check at least one of them
   * sees the other.
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

  /** Looks for the account whose known id was answered with 404, which any page may have sent. */
  private async gone(search: Search): Promise<Outcome> {
    const { call } = search.lane;
    const id = await search.resolve(search.person.external_id ?? search.lane.subject);
    if (id !== null && id === call.platform_id) return { kind: 'next', lookup: null, circling: true };
    if (id !== null) return this.bind(search, id);
    if (call.state === 'active') return { kind: 'next', lookup: null, bind: null };
    return { kind: 'delivered', bind: null };
  }

  /** Looks for the account of a create that named no id. */
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
      // A lane that waited for one that is parked by now says for which.
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
   * Returns the names that the account of the lane gets so that the lanes of a circle can continue, each of which waits for the
   * next one; null: there is no circle, or another lane of it stands aside. In a short circle one lane stands aside, and
   * the others follow one after the other. In a long one all do, so that none waits for a hundred others.
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

  /**
   * Has the account of a leaver give away a name that another user needs, and waits for that; null: it is no leaver's, or
   * accounts have been asked often enough.
   */
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

  /** Repeats the write without a question, a limited number of times: what was in the way may be gone. */
  private again(lookup: Lookup | null): Outcome {
    const dissolved = (lookup?.dissolved ?? 0) + 1;
    if (dissolved <= DISSOLVES) {
      const asked = lookup?.asked === undefined ? {} : { asked: lookup.asked };
      return { kind: 'next', lookup: { why: 'dissolved', dissolved, ...asked }, circling: true };
    }
    return { kind: 'refused', status: lookup?.status ?? 409, detail: lookup?.detail ?? '' };
  }

  /** Binds the account that was found under an external id, if no other lane works with it. */
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

  /** Returns the other lane that works with an account, or may be creating it. */
  private async boundTo({ destination, person, lane }: Search, platformId: string): Promise<Bound | null> {
    // In this order: a create that is over by the first look has left its binding for the second.
    const creator = await creating(this.db, destination, person, lane.subject, this.users);
    return creator ?? boundTo(this.db, destination, platformId, lane.subject);
  }
}

/**
 * Whether a conflict has come back after the write was tried again. Only then is it believed: what was in the way of the
 * first one was read before it was asked whose it is, and in between its owner's own change may have come through.
 */
function hasComeBack(lookup: Lookup | null): boolean {
  return (lookup?.dissolved ?? 0) > 0;
}
