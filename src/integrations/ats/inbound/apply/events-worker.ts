import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../../base/activity.js';
import { Database } from '../../../../base/database/database.js';
import { DomainEvents } from '../../../../base/domain-events.js';
import { ForeignPlaces } from '../../../../base/foreign-places.js';
import { Logger } from '../../../../base/log/logger.js';
import { Loop } from '../../../../base/loop.js';
import { AtsFailure } from '../../api/ats-api.js';
import { withHeartbeat } from '../../calls/heartbeat.js';
import { AtsConnectionReady } from '../../connections/ats-connections.events.js';
import type { AtsConnection } from '../../connections/connection.js';
import { InboundHealth } from './inbound-health.js';
import { EventsApplier, type Applied, type NextEvents } from './events-applier.js';
import {
  InboxesRepository,
  LeaseLost,
  type ClaimedInbox,
  type DueInbox,
  type InboxKey,
} from '../inboxes.repository.js';

const POLL_MS = 1_000;
const QUIET_MS = 2_000;
/** While many requests come, each batch is followed by a pause. */
const BUSY_PAUSE_MS = 500;
/** The time after which another connection has its turn. */
const TURN_MS = 1_000;
/** The pauses after failures in a row. */
const REST_MS = { first: 1_000, most: 300_000, own: 2_000 };
const MOST_RETRY_AFTER_MS = 3_600_000;

/**
 * Applies inbound events: some batches of one connection after the other, in turns, so that a flood of one delays no other.
 *
 * Modes: *stopped* (before `start`, after `stop`); *polling* (claims until nothing is due, then waits for the next second
 * or for `wake`); *full* (all slots taken: a slot that becomes free polls).
 */
@Injectable()
export class EventsWorker {
  private readonly loop: Loop;
  private readonly working = new Map<string, Promise<void>>();
  private last = '';
  private stopping = false;
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly db: Database,
    private readonly inboxes: InboxesRepository,
    private readonly applier: EventsApplier,
    private readonly health: InboundHealth,
    private readonly logger: Logger,
    private readonly activity: Activity,
    private readonly places: ForeignPlaces,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(AtsConnectionReady, ({ connection }) => this.resume(connection));
    this.loop = new Loop(
      POLL_MS,
      () => this.fillSlots(),
      (error) => logger.error('ats.events_poll_failed', { error }),
      { everyMs: QUIET_MS, activity },
    );
  }

  start(): void {
    this.stopping = false;
    this.loop.start();
    this.unlisten = this.db.feed.wakeups.on('ats', () => {
      this.activity.stir();
      this.loop.wake();
    });
  }

  /** A connection that can be used again: what waits of its events is applied now. */
  private async resume({ tenantId, id }: AtsConnection): Promise<void> {
    await this.inboxes.resume({ tenantId, connectionId: id });
    this.db.feed.wakeups.tell('ats');
  }

  /** Claims nothing more, and waits for the batches that are under way. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.unlisten?.();
    this.unlisten = undefined;
    await this.loop.stop();
    await Promise.all(this.working.values());
  }

  private async fillSlots(): Promise<void> {
    if (this.places.isFull) return;
    const due = await this.inboxes.due();
    for (const key of this.inTurn(due)) {
      if (this.working.has(key.tenantId)) continue;
      const claimed = await this.places.claim(key.tenantId, key.server, () => this.inboxes.claim(key));
      if (claimed === null) continue;
      this.last = nameOf(key);
      const work = this.work(claimed.work).finally(() => {
        claimed.leave();
        this.working.delete(key.tenantId);
        this.loop.wake();
      });
      this.working.set(key.tenantId, work);
    }
  }

  /** Begins after the connection that was served last, so that each one has its turn. */
  private inTurn(due: readonly DueInbox[]): DueInbox[] {
    const sorted = [...due].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const place = sorted.findIndex((key) => nameOf(key) > this.last);
    return place < 0 ? sorted : [...sorted.slice(place), ...sorted.slice(0, place)];
  }

  /** Has one turn. Never throws: a connection that cannot even be given back is left to its lease. */
  private async work(inbox: ClaimedInbox): Promise<void> {
    const about = { tenant_id: inbox.tenantId, connection: inbox.connectionId };
    try {
      const applied = await withHeartbeat(
        () => this.inboxes.renew(inbox),
        () => this.turn(inbox),
      );
      await this.health.note(inbox, applied);
      await this.inboxes.release(inbox, restAfter(applied, inbox.failures));
      if (this.activity.isBusy()) await sleep(BUSY_PAUSE_MS);
    } catch (error) {
      if (error instanceof LeaseLost) return this.logger.warn('ats.events_lease_lost', about);
      this.logger.error('ats.events_interrupted', { ...about, error });
      await this.inboxes
        .release(inbox, backoff(inbox.failures))
        .catch((failure: unknown) => this.logger.error('ats.events_not_released', { ...about, error: failure }));
    }
  }

  /** Applies batches until nothing more waits, or something keeps it from being applied. @returns what the last one came to */
  private async turn(inbox: ClaimedInbox): Promise<Applied> {
    const began = performance.now();
    for (let answered = false, next: NextEvents | null = null; ;) {
      const applied: Applied = await this.applier.apply(inbox, next).catch(failureOf);
      answered ||= applied.answered;
      next = applied.next;
      const isOver = this.stopping || performance.now() - began > TURN_MS || this.activity.isBusy();
      if (next === null || isOver) return { ...applied, answered };
    }
  }
}

/** An ATS that cannot be called at all lets its events wait. */
function failureOf(error: unknown): Applied {
  if (error instanceof AtsFailure) return { failure: error, answered: false, tried: false, next: null };
  throw error;
}

function restAfter({ failure, tried }: Applied, failures: number): number | null {
  if (failure !== null) return restFor(failure, failures);
  return tried ? REST_MS.own : null;
}

function restFor({ retryAfterMs }: AtsFailure, failures: number): number {
  return Math.max(backoff(failures), Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS));
}

function backoff(failures: number): number {
  return Math.min(REST_MS.first * 2 ** Math.min(failures, 20), REST_MS.most);
}

function nameOf({ tenantId, connectionId }: InboxKey): string {
  return `${tenantId} ${connectionId}`;
}
