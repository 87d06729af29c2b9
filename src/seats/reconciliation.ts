import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import { DomainEvents } from '../base/domain-events.js';
import { EventsRepository } from '../engine/events/events.service.js';
import { TaskHandlers, type Batch, type Task } from '../engine/work/task.js';
import type { Actor, ChangeSource } from '../tenancy/identity/person.js';
import { ChainVerifier, chainVerdictOf } from '../tenancy/ledger/chain-verifier.js';
import type { ChainPlace } from '../tenancy/ledger/chain.rules.js';
import { HeadsRepository } from '../tenancy/ledger/heads.repository.js';
import { AuditService } from '../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../tenancy/tenants/caller.js';
import { sequencesOf, stepsFor, type AccountStep, type LinePair, pairProblem } from './ledger/account.rules.js';
import { SeatAccounts } from './ledger/seat-accounts.js';
import { SeatHolders, type LockedHolder } from './ledger/seat-holders.js';
import { SeatChain } from './seat-chain.js';
import { policiesOf } from './seat-limits.service.js';
import { SeatsRepository, type CorrectingLine } from './seats.repository.js';
import { RoomMade } from './seats.service.js';

export interface Finding {
  /** Null for the lines about limit and policy. */
  readonly user_id: string | null;
  readonly in_force: boolean;
  readonly net: number;
  /** False when only lines of the past are wrong. */
  readonly differs: boolean;
  readonly pairs: readonly LinePair[];
}

interface Findings {
  readonly found: readonly Finding[];
  /** More than {@link MOST} users differ. */
  readonly more: boolean;
}

interface CorrectedBy {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly surface: ChangeSource['surface'];
}

const MOST = 1_000;
/** Users that are corrected in one transaction, which locks their rows, and named by one event. */
const BATCH = 100;

interface UserStep extends AccountStep {
  readonly userId: string | null;
  readonly user: LockedHolder | undefined;
  readonly holds: boolean;
}

function lineOf({ kind, userId, user, delta, holds, pair }: UserStep, set: object): CorrectingLine {
  const says = userId === null ? set : { holds };
  return {
    kind,
    user_id: userId,
    delta,
    role: user?.role ?? null,
    directory_id: user?.directory_id ?? null,
    cost_center: user?.cost_center ?? null,
    details: kind === 'repair' ? null : { ...says, first: pair?.first ?? null, second: pair?.second ?? null },
    reason: pair === null ? 'reconcile' : 'wrong_order',
  };
}

/** Progress of the task `seats.correct`; empty at its beginning. */
interface CorrectionPayload {
  after?: string;
  through?: number;
}

const LINES = 20_000;
const USERS = 100;

interface HolderDifference {
  user_id: string | null;
  in_force: boolean;
  in_ledger: boolean;
  lines: number[][];
  /** The closed days between such lines: their count differs from their holders by this user. */
  days: string[];
}

export function differencesOf(
  found: readonly Finding[],
  days: readonly { readonly day: string; readonly sequence: number }[],
): HolderDifference[] {
  return found.map(({ user_id, in_force, net, pairs }) => {
    const lines = pairs.map(sequencesOf);
    const between = days.filter(({ sequence }) =>
      lines.some(([from = Infinity, to = Infinity]) => from <= sequence && sequence < to),
    );
    return { user_id, in_force, in_ledger: net > 0, lines, days: between.map(({ day }) => day) };
  });
}

/** Returns the first difference as a sentence with its line. `end` is the sequence of the last line. */
export function firstDifference(
  found: readonly Finding[],
  end: number,
): { sequence: number; entry_id: string | null; problem: string } {
  const [first] = found;
  const [pair] = first!.pairs;
  if (pair === undefined) {
    const state = first!.in_force ? 'in force with a seat' : 'not in force with a seat';
    const problem = `the lines about ${first!.user_id} add up to ${first!.net}, and the user is ${state}`;
    return { sequence: end, entry_id: null, problem };
  }
  const problem = pairProblem(first!.user_id, pair);
  return { sequence: pair.second.sequence ?? end, entry_id: String(pair.second.entry_id), problem };
}

const DAYS = 10_000;

/**
 * Compares the seat ledger with the users in force, corrects it by further lines, and verifies its chain.
 *
 * The task `seats.correct`, which the upgrade makes once for each tenant, corrects accounts whose lines earlier
 * versions have sealed in the order of text.
 */
@Injectable()
export class Reconciliation {
  constructor(
    private readonly db: Database,
    private readonly accounts: SeatAccounts,
    private readonly heads: HeadsRepository,
    private readonly seats: SeatsRepository,
    private readonly holders: SeatHolders,
    private readonly facts: EventsRepository,
    private readonly audit: AuditService,
    private readonly events: DomainEvents,
    handlers: TaskHandlers,
    private readonly chain: SeatChain,
    private readonly verifier: ChainVerifier,
  ) {
    handlers.add<CorrectionPayload>(['seats.correct'], { run: (task) => this.batch(task) });
  }

  /** Compares the whole ledger of a tenant. The memory holds a page of lines, and the named users. */
  async compare(tenantId: string): Promise<Findings> {
    const differing = await this.accounts.differences(tenantId, MOST + 1);
    const found = new Map<string | null, Finding>();
    for (const difference of differing) found.set(difference.user_id, { ...difference, differs: true, pairs: [] });
    for await (const ids of this.suspects(tenantId)) {
      for (const { userId, account } of await this.accounts.of(this.db, tenantId, ids)) {
        if (account.pairs.length === 0) continue;
        const known = found.get(userId) ?? {
          user_id: userId,
          in_force: account.holds,
          net: account.net,
          differs: false,
        };
        found.set(userId, { ...known, pairs: account.pairs });
      }
      if (found.size > MOST) break;
    }
    return { found: [...found.values()].slice(0, MOST), more: found.size > MOST };
  }

  /** Answers `POST /seats/reconcile`; with `repair` also corrects the accounts. */
  async reconcile(caller: Caller, repair: boolean): Promise<object> {
    const { found, more } = await this.compare(caller.tenantId);
    const differing = (inForce: boolean): (string | null)[] =>
      found.filter((one) => one.differs && one.in_force === inForce).map((one) => one.user_id);
    const by = { tenantId: caller.tenantId, actor: caller.actor, requestId: caller.requestId, surface: 'api' as const };
    const ids = found.map((one) => one.user_id);
    return {
      missing_in_ledger: differing(true),
      extra_in_ledger: differing(false),
      out_of_order: found.flatMap(({ user_id, pairs }) => pairs.map((pair) => ({ user_id, lines: sequencesOf(pair) }))),
      more,
      repaired: repair ? await this.correct(by, ids) : 0,
    };
  }

  /** Finds users with wrong sealed lines. Corrections that are not sealed yet are not read. */
  private async *suspects(tenantId: string): AsyncGenerator<(string | null)[]> {
    let ids: (string | null)[] = [null];
    for await (const { userId, account } of this.accounts.all(tenantId, '', await this.end(tenantId))) {
      if (account.pairs.length > 0) ids.push(userId);
      if (ids.length < BATCH) continue;
      yield ids;
      ids = [];
    }
    yield ids;
  }

  async end(tenantId: string): Promise<number> {
    return (await this.heads.headAndEnd(tenantId, 'seats', 'seat_entries')).last;
  }

  /** Corrects accounts by further lines; returns their number. null in `userIds`: the lines about limit and policy. */
  async correct(by: CorrectedBy, userIds: readonly (string | null)[]): Promise<number> {
    let corrected = 0;
    for (let start = 0; start < userIds.length; start += BATCH) {
      const some = userIds.slice(start, start + BATCH);
      corrected += await this.db.transaction(by.tenantId, (tx) => this.correctSome(tx, by, some));
    }
    // A seat that the ledger counted without a user is free now.
    if (corrected > 0) await this.events.publish(new RoomMade(by.tenantId));
    return corrected;
  }

  private async correctSome(tx: SqlRunner, by: CorrectedBy, userIds: readonly (string | null)[]): Promise<number> {
    const { tenantId } = by;
    // Users before the limit, as in a claim. Until the end of the transaction no write of these users adds a line.
    const users = await this.holders.lock(
      tx,
      tenantId,
      userIds.filter((id) => id !== null),
    );
    const { limit } = await this.seats.lockAndCount(tx, tenantId);
    const known = new Map(users.map((user) => [user.id, user]));
    const steps = (await this.accounts.of(tx, tenantId, userIds)).flatMap(({ userId, account }) => {
      const user = userId === null ? undefined : known.get(userId);
      const holds = user?.held === true;
      return stepsFor(account, holds).map((step): UserStep => ({ ...step, userId, user, holds }));
    });
    if (steps.length === 0) return 0;
    const set = { limit: limit.limit, policy: policiesOf(limit) };
    const source = { request_id: by.requestId, surface: by.surface, directory_id: null, actor: by.actor };
    await this.seats.addSteps(
      tx,
      tenantId,
      steps.map((step) => lineOf(step, set)),
      source,
    );
    const corrections = steps.filter(({ kind }) => kind === 'correction');
    if (corrections.length > 0) {
      const named = corrections.slice(0, BATCH);
      const lines = named.map(({ userId, holds, pair }) => ({ user_id: userId, holds, lines: sequencesOf(pair) }));
      const data = { chain: 'seats' as const, corrections: corrections.length, corrected: lines };
      await this.facts.record(tenantId, [{ event: 'ledger.corrected', data }], tx);
    }
    const corrected = new Set(steps.map(({ userId }) => userId)).size;
    await this.audit.record(tx, {
      tenantId,
      actor: by.actor,
      action: 'seats.reconciled',
      targetType: 'seats',
      targetId: tenantId,
      after: { repaired: corrected },
      requestId: by.requestId,
    });
    return corrected;
  }

  private async batch({ tenantId, id, payload, createdBy, result }: Task<CorrectionPayload>): Promise<Batch> {
    const through = payload.through ?? (await this.end(tenantId));
    // The lines about limit and policy are few, and read with the first batch.
    const suspects: (string | null)[] = payload.after === undefined ? [null] : [];
    let next: CorrectionPayload | null = null;
    let users = 0;
    let lines = 0;
    for await (const user of this.accounts.all(tenantId, payload.after ?? '', through)) {
      users++;
      lines += user.lines;
      if (user.account.pairs.length > 0) suspects.push(user.userId);
      if (lines < LINES && suspects.length < USERS) continue;
      next = { after: user.userId!, through };
      break;
    }
    const by = { tenantId, actor: createdBy, requestId: id, surface: 'system' as const };
    const corrected = await this.correct(by, suspects);
    return { done: users, next, result: { corrected: (result?.['corrected'] ?? 0) + corrected } };
  }

  /**
   * Verifies the ledger, and compares a whole chain with the users in force. `known` is a head that the caller has
   * kept.
   */
  async verify(tenantId: string, known: ChainPlace | null): Promise<object> {
    const verdict = chainVerdictOf(await this.verifier.verify(this.chain, tenantId, known));
    if (!verdict.ok) return verdict;
    const { found, more } = await this.compare(tenantId);
    if (found.length === 0) return { ...verdict, holders: await this.holders.held(tenantId) };
    const differences = differencesOf(found, await this.heads.days(tenantId, 'seats', null, DAYS));
    const { sequence, entry_id, problem } = firstDifference(found, verdict.entries);
    return {
      ...verdict,
      ok: false,
      sequence,
      found: sequence,
      entry_id,
      code: 'holders differ',
      problem,
      differences,
      more,
    };
  }
}
