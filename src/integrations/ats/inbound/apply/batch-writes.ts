import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../../base/database/database.js';
import { Logger } from '../../../../base/log/logger.js';
import { LeaseLost } from '../../../../base/work/work.js';
import { WorkSlots } from '../../../../base/loop.js';
import { AtsFailure } from '../../api/ats-api.js';
import { isPassing } from '../../connections/passing-failure.js';
import { AtsRecordWriter } from '../../records/ats-record-writer.js';
import { MissingOpenings } from '../../records/openings.js';
import type { RecordItem, RecordWrite } from '../../records/record.js';
import type { ClaimedInbox } from '../inbox.js';
import type { InboundBatch, RecordWork } from './batch.js';
import type { Group } from './plan.rules.js';
import { triedAgain, verdictsOf } from './verdict.rules.js';
import { WaitingEventsRepository, type EventVerdict } from './waiting-events.repository.js';

const WRITE: RecordWrite = { source: 'webhook', events: 'all', pass: null };

/** Writes the records of a batch with what became of their events, while the worker has the connection. */
@Injectable()
export class BatchWrites {
  constructor(
    private readonly db: Database,
    private readonly events: WaitingEventsRepository,
    private readonly openings: MissingOpenings,
    private readonly writer: AtsRecordWriter,
    private readonly logger: Logger,
    private readonly slots: WorkSlots,
  ) {}

  /**
   * Stores what became of events.
   *
   * @throws {LeaseLost} when another worker has the connection
   */
  decide(inbox: ClaimedInbox, verdicts: EventVerdict[]): Promise<void> {
    return this.commit(inbox, (tx) => this.events.decide(tx, inbox, verdicts));
  }

  /** Sends out what the writes have recorded. */
  wake(tenantId: string): void {
    this.writer.wake(tenantId);
  }

  /** Brings in the job openings that candidates of the batch name. */
  async bringOpenings(inbox: ClaimedInbox, batch: InboundBatch): Promise<void> {
    const { connection, connector, api } = batch;
    const items = [...batch.works.map(({ item }) => item), ...batch.survivors];
    const candidates = items.flatMap((item) => (item.kind === 'candidate' ? item.candidate : []));
    try {
      const guard = (tx: SqlRunner): Promise<void> => inbox.turn.hold(tx);
      await this.openings.ensure(connection, { connector, api }, candidates, WRITE, guard);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      // Without its opening a candidate would be left out: these events wait.
      batch.failure = error;
      batch.works = batch.works.filter(({ item }) => item.kind !== 'candidate' || item.candidate.jobRemoteId == null);
      batch.survivors = [];
    }
  }

  /** Writes records and what became of their events in one transaction; where that fails, each record in its own. */
  async write(
    inbox: ClaimedInbox,
    batch: InboundBatch,
    kind: Group['kind'],
    works: readonly RecordWork[],
    extra: readonly RecordItem[],
  ): Promise<void> {
    try {
      await this.commit(inbox, (tx) => this.writeIn(tx, inbox, batch, kind, works, extra));
    } catch (error) {
      if (error instanceof LeaseLost || isPassing(error)) throw error;
      if (works.length > 1) {
        for (const work of works) await this.write(inbox, batch, kind, [work], extra);
        return;
      }
      const { tenantId, connectionId } = inbox;
      this.logger.error('ats.event_not_applied', { tenant_id: tenantId, connection: connectionId, error });
      batch.tried = true;
      const detail = 'The event could not be applied because of an error inside the service, which its log describes.';
      const verdicts = works[0]!.group.events.map((event) => triedAgain(event, 'not_applied', detail));
      await this.decide(inbox, verdicts);
    }
  }

  private async writeIn(
    tx: SqlRunner,
    inbox: ClaimedInbox,
    { connection, forced, missing }: InboundBatch,
    kind: Group['kind'],
    works: readonly RecordWork[],
    extra: readonly RecordItem[],
  ): Promise<void> {
    const items = [...works.map(({ item }) => item), ...extra];
    const write = { ...WRITE, forced, missing };
    const results =
      kind === 'job'
        ? await this.writer.writeJobs(tx, connection, items, write)
        : await this.writer.writeCandidates(tx, connection, items, write);
    const byId = new Map(results.map((result) => [result.remoteId, result]));
    const verdicts = works.flatMap(({ group, item, by }) => verdictsOf(group.events, byId.get(item.remoteId)!, by));
    await this.events.decide(tx, inbox, verdicts);
  }

  private commit(inbox: ClaimedInbox, work: (tx: SqlRunner) => Promise<void>): Promise<void> {
    return this.slots.run(() =>
      this.db.transaction(inbox.tenantId, async (tx) => {
        await inbox.turn.hold(tx);
        await work(tx);
      }),
    );
  }
}
