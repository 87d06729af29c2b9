import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../../base/activity.js';
import { Database } from '../../../../base/database/database.js';
import { DomainEvents } from '../../../../base/domain-events.js';
import { again, failed, WorkKind, type TurnOutcome, type Turn } from '../../../../base/work/work.js';
import { WorkEntries } from '../../../../engine/work/work-entries.repository.js';
import { AtsFailure } from '../../api/ats-api.js';
import { AtsConnectionStore } from '../../connections/ats-connections.store.js';
import { AtsStates } from '../../connections/ats-states.js';
import { AtsConnectionReady } from '../../connections/ats.errors.js';
import type { AtsConnection } from '../../connections/connection.js';
import { type ClaimedInbox, DUE_INBOXES, INBOUND_WORK } from '../inbound-event.js';
import { type Applied, EventsApplier, type NextEvents } from './events-applier.js';

/** Under load a pause follows each batch, in milliseconds. */
const BUSY_PAUSE_MS = 500;
/** The time after which another connection has its turn. */
const TURN_MS = 1_000;
/** The pause of events that failed on their own account. */
const TRIED_MS = 2_000;
const MOST_RETRY_AFTER_MS = 3_600_000;

/** Applies inbound events in turns: some batches of each connection, so that a flood of one delays no other. */
@Injectable()
export class EventsWorker extends WorkKind {
  override readonly kind = INBOUND_WORK;
  override readonly everyMs = 0;
  override readonly callsOut = true;
  override readonly backoff = { firstMs: 1_000, mostMs: 300_000 };

  constructor(
    private readonly db: Database,
    private readonly entries: WorkEntries,
    private readonly applier: EventsApplier,
    private readonly activity: Activity,
    domainEvents: DomainEvents,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
  ) {
    super();
    domainEvents.on(AtsConnectionReady, ({ connection }) => this.resume(connection));
  }

  private async resume({ tenantId, id }: AtsConnection): Promise<void> {
    await this.entries.rouse(this.db, { tenantId, kind: INBOUND_WORK, id }, 'failing');
    this.db.feed.wakeups.tell('work');
  }

  override due(): string {
    return DUE_INBOXES;
  }

  override async run(turn: Turn): Promise<TurnOutcome> {
    const inbox = { tenantId: turn.tenantId, connectionId: turn.id, turn };
    const { failure, answered, tried } = await this.batches(inbox);
    await this.note(inbox, { failure, answered });
    if (this.activity.isBusy()) await sleep(BUSY_PAUSE_MS);
    if (failure === null) return again(tried ? TRIED_MS : 0);
    return failed(failure.reason, Math.min(failure.retryAfterMs ?? 0, MOST_RETRY_AFTER_MS));
  }

  /** Applies batches until no event waits, or a failure stops them. @returns the result of the last one */
  private async batches(inbox: ClaimedInbox): Promise<Applied> {
    const began = performance.now();
    for (let answered = false, next: NextEvents | null = null; ;) {
      const applied: Applied = await this.applier.apply(inbox, next).catch(failureOf);
      answered ||= applied.answered;
      next = applied.next;
      const isOver = inbox.turn.isOver || performance.now() - began > TURN_MS || this.activity.isBusy();
      if (next === null || isOver) return { ...applied, answered };
    }
  }

  private async note(
    { tenantId, connectionId, turn }: ClaimedInbox,
    { failure, answered }: Pick<Applied, 'failure' | 'answered'>,
  ): Promise<void> {
    const connection = await this.store.get(tenantId, connectionId);
    if (connection === undefined) return;
    if (failure !== null) {
      const problem = failure.kind === 'refused' ? 'grant' : 'reads';
      // A single limit or slow answer does not make the connection degraded.
      if (problem === 'grant' || turn.failures > 0) await this.states.problem(connection, problem, failure.reason);
    } else if (answered && connection.state !== 'ok') {
      await this.states.solved(connection, 'reads');
      await this.states.solved(connection, 'grant');
    }
  }
}

/** An ATS that cannot be called at all lets its events wait. */
function failureOf(error: unknown): Applied {
  if (error instanceof AtsFailure) return { failure: error, answered: false, tried: false, next: null };
  throw error;
}
