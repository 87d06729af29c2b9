import { Injectable } from '@nestjs/common';
import { Logger } from '../../../../base/log/logger.js';
import { AtsFailure } from '../../api/ats-api.js';
import { readsKind } from '../../records/read-record.js';
import type { AtsRecordRow } from '../../records/record.js';
import { overOf } from '../../records/record.rules.js';
import { AtsRecordsRepository } from '../../records/records.repository.js';
import type { InboundBatch } from './batch.js';
import { isUnprovenEnd, recordStepOf, type Group } from './plan.rules.js';
import type { ReadBack } from './read-backs.js';
import { settledVerdict, unreadable } from './verdict.rules.js';
import type { EventVerdict } from './waiting-events.repository.js';

/** Plans what becomes of the records of a batch of inbound events. */
@Injectable()
export class BatchPlans {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly logger: Logger,
  ) {}

  /** Decides what is done for each record, and reads those that have to be read. */
  async plan(batch: InboundBatch, groups: readonly Group[], verdicts: EventVerdict[]): Promise<void> {
    const { connection, connector } = batch;
    const ids = (kind: Group['kind']) => groups.filter((one) => one.kind === kind).map(({ remoteId }) => remoteId);
    const known = {
      job: await this.records.of(connection, 'job', ids('job')),
      candidate: await this.records.of(connection, 'candidate', ids('candidate')),
    };
    const knownOf = (group: Group): AtsRecordRow | undefined => known[group.kind].get(group.remoteId);
    const toRead: Group[] = [];
    for (const group of groups) {
      const over = overOf(knownOf(group));
      if (over !== null) {
        verdicts.push(...group.events.map((event) => settledVerdict(event, 'no_effect', over)));
        continue;
      }
      const canRead = batch.reads !== null && readsKind(connector, group.kind);
      if (!canRead) {
        const unproven = group.events.filter(isUnprovenEnd);
        verdicts.push(...unproven.map((event) => settledVerdict(event, 'failed', 'not_signed')));
        group.events = group.events.filter((event) => !isUnprovenEnd(event));
        if (group.events.length === 0) continue;
      }
      const step = recordStepOf(group, knownOf(group), canRead);
      if (step.do === 'write') batch.works.push({ group, item: step.item, by: step.by });
      else if (step.do === 'read') toRead.push(group);
      else verdicts.push(...group.events.map((event) => settledVerdict(event, 'failed', 'cannot_read')));
    }
    const found = batch.reads === null ? new Map<Group, ReadBack>() : await batch.reads.of(toRead, knownOf);
    for (const [group, read] of found) {
      if (read.kind === 'item') batch.works.push({ group, item: read.item, by: null });
      if (read.kind === 'not_found') {
        verdicts.push(...group.events.map((event) => settledVerdict(event, 'no_effect', 'not_found')));
      }
      if (read.kind === 'later') batch.later = true;
      if (read.kind !== 'failed') continue;
      verdicts.push(...group.events.map((event) => unreadable(event, read.failure)));
      batch.tried = true;
    }
    await this.readSurvivors(batch);
  }

  /** The survivor of a merge is brought in with it, so that `resolve` has it to answer. */
  private async readSurvivors(batch: InboundBatch): Promise<void> {
    const { connection, reads, works } = batch;
    const wanted = works.flatMap(({ item }) => (item.kind === 'gone' ? (item.gone.survivorId ?? []) : []));
    const given = new Set(works.map(({ item }) => item.remoteId));
    const known = await this.records.of(connection, 'candidate', wanted);
    for (const remoteId of new Set(wanted)) {
      batch.forced.add(remoteId);
      if (reads === null || reads.stopped !== null || known.has(remoteId) || given.has(remoteId)) continue;
      try {
        const item = await reads.read('candidate', remoteId, new Date());
        if (item === null) batch.missing.add(remoteId);
        else batch.survivors.push(item);
      } catch (error) {
        if (error instanceof AtsFailure && error.kind === 'not_found') batch.missing.add(remoteId);
        // The merge itself is known, and does not wait: what the merged candidate tells of the survivor serves until the next
        // poll.
        this.logger.warn('ats.survivor_not_read', { connection: connection.id, error });
      }
    }
  }
}
