import { Injectable } from '@nestjs/common';
import { Logger } from '../../../../base/log/logger.js';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import { AtsApis } from '../../calls/ats-apis.js';
import { AtsConnectionStore } from '../../connections/ats-connections.store.js';
import type { AtsConnection } from '../../connections/connection.js';
import type { Connector } from '../../connectors/connector.js';
import { connectorOf } from '../../providers/providers.js';
import type { ClaimedInbox } from '../inbox.js';
import { BatchPlans } from './batch-plans.js';
import { BatchWrites } from './batch-writes.js';
import { InboundBatch } from './batch.js';
import { upToMerge, type ReadBatch } from './merges-apart.rules.js';
import { groupsOf } from './plan.rules.js';
import { readEvents } from './read-events.js';
import { WaitingEventsRepository } from './waiting-events.repository.js';

/** What a batch came to. */
export interface Applied {
  /** The failure of the ATS that lets events wait; null: there was none. */
  failure: AtsFailure | null;
  /** The ATS has answered. */
  answered: boolean;
  /** Events are tried again on their own account. */
  tried: boolean;
  /** The events behind this batch, where all of it is decided; null: there are none, or the turn of the connection is over. */
  next: NextEvents | null;
}

/** The events behind a batch. They are read while the batch is written. */
export type NextEvents = Promise<ReadBatch>;

/** From this number of events on, the next ones are read while they are written. */
const LEAST_AHEAD = 50;
const NOTHING: Applied = { failure: null, answered: false, tried: false, next: null };

/** Applies one batch of a connection's events. */
@Injectable()
export class EventsApplier {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly apis: AtsApis,
    private readonly events: WaitingEventsRepository,
    private readonly plans: BatchPlans,
    private readonly writes: BatchWrites,
    private readonly logger: Logger,
  ) {}

  /**
   * Applies the oldest events, or those that were read before.
   *
   * @throws {LeaseLost} when another worker has the connection
   * @throws {AtsFailure} `away` for a provider that this version does not know: its events wait
   */
  async apply(inbox: ClaimedInbox, given: NextEvents | null = null): Promise<Applied> {
    const connection = await this.store.get(inbox.tenantId, inbox.connectionId);
    // Deleted or paused since its events were found: they are gone with it, or wait.
    if (connection === undefined || connection.paused || connection.state === 'disconnected') return NOTHING;
    const connector = connectorOf(connection.provider);
    if (connector === undefined) {
      throw new AtsFailure('away', 'unknown_provider', 'There is no connector of this name.');
    }
    const whole = await (given ?? this.readBatch(inbox, connector));
    const { rows, read, verdicts, isCut } =
      connection.credential === null ? upToMerge(whole) : { ...whole, isCut: false };
    if (rows.length === 0) return NOTHING;
    // Few events are the last ones, or so large that two batches of them are not held in memory.
    const next = rows.length < LEAST_AHEAD || isCut ? null : this.readBatch(inbox, connector, rows.at(-1)!.id);
    // Their failure is that of the next batch, which may never come.
    next?.catch(() => undefined);
    const batch = new InboundBatch(connection, connector, this.apiOf(connection), (error) =>
      this.logger.error('ats.connector_failed', { provider: connection.provider, error }),
    );
    await this.plans.plan(batch, groupsOf(read), verdicts);
    if (verdicts.length > 0) await this.writes.decide(inbox, verdicts);
    await this.writes.bringOpenings(inbox, batch);
    for (const kind of ['job', 'candidate'] as const) {
      const works = batch.works.filter(({ group }) => group.kind === kind);
      const extra = kind === 'candidate' ? batch.survivors : [];
      if (works.length > 0) await this.writes.write(inbox, batch, kind, works, extra);
    }
    this.writes.wake(inbox.tenantId);
    const failure = batch.failure ?? batch.reads?.stopped ?? null;
    const isDecided = failure === null && !batch.tried && !batch.later;
    return { failure, answered: batch.reads?.hasAnswered ?? false, tried: batch.tried, next: isDecided ? next : null };
  }

  private async readBatch(inbox: ClaimedInbox, connector: Connector, after?: string): Promise<ReadBatch> {
    const rows = await this.events.oldest(inbox, after);
    return { rows, ...readEvents(connector, rows) };
  }

  private apiOf(connection: AtsConnection): AtsApi | null {
    return connection.credential === null ? null : this.apis.of(connection);
  }
}
