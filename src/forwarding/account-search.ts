import type { Clock } from '../base/clock.js';
import type { Destination } from '../engine/delivery/destination.js';
import type { LeasedLane } from '../engine/delivery/lane-state.js';
import type { Attempt, Outcome } from '../engine/delivery/outcome.js';
import { judge } from '../engine/delivery/retry.rules.js';
import type { Person } from '../tenancy/identity/person.js';
import type { PlatformClient } from './platform-client/platform.client.js';
import type { PlatformRequest, PlatformUser } from './platform-client/platform.types.js';
import { sameEmail, sharesName } from './adoption.rules.js';
import { attemptOf } from './attempt.mapping.js';
import { personOf } from './call.rules.js';
import { failureOf } from './outcome.rules.js';
import { platformIdOf, readPlatformUser } from './platform-user.mapping.js';
import type { Connections } from './connections.js';

/** An answer that ends the search: the platform is away, refuses, or makes no sense. */
export class Ended extends Error {
  constructor(readonly outcome: Outcome) {
    super('the search ended early');
  }
}

/** The questions of one search, under one deadline, and what was answered. */
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

  /** The id under this external id, or null if the API says that there is none. */
  async resolve(externalId: string): Promise<string | null> {
    const { resolve } = this.destination.settings.paths;
    const body = await this.ask(resolve, { type: 'user', external_id: externalId });
    const { found, id } = (body ?? {}) as { found?: unknown; id?: unknown };
    if (found === false) return null;
    const known = found === true ? platformIdOf(id) : null;
    if (known === null) throw new Ended(senseless('resolve'));
    return known;
  }

  /** One account by its id, or null if there is none (which is only a hint here). */
  async user(id: string): Promise<PlatformUser | null> {
    const path = `${this.destination.settings.paths.users}/${encodeURIComponent(id)}`;
    const body = await this.ask(path, undefined, true);
    return body === null ? null : readPlatformUser(body);
  }

  /** The accounts with this e-mail address. */
  async byEmail(email: string | null): Promise<PlatformUser[]> {
    if (email === null) return [];
    const body = await this.ask(this.destination.settings.paths.users, { email });
    const list = Array.isArray(body) ? (body as unknown[]) : (body as { data?: unknown } | null)?.data;
    if (!Array.isArray(list)) throw new Ended(senseless('list of users'));
    const users = list.map(readPlatformUser).filter((user) => user !== null);
    return users.filter((user) => sameEmail(user.email, email));
  }

  /**
   * The accounts that may be in the way: the one that the platform named beside its refusal, if it has a name that the
   * person needs today (an earlier change had others), or those of the e-mail.
   */
  async suspects(): Promise<PlatformUser[]> {
    const id = this.lane.call.lookup?.id;
    const named = id === undefined ? null : await this.user(id);
    return named !== null && sharesName(this.person, named) ? [named] : this.byEmail(this.person.email);
  }

  /** The ids of the accounts that are in the way of an update: by e-mail, else by the external id. */
  async inTheWay(): Promise<string[]> {
    const { platform_id: own } = this.lane.call;
    const found = (await this.suspects()).map(({ id }) => id).filter((id) => id !== own);
    const { external_id: key } = this.person;
    if (found.length > 0 || key === null) return found;
    const holder = await this.resolve(key);
    return holder === null || holder === own ? [] : [holder];
  }

  /** What the outcome turned out to be stands beside the last question. */
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
