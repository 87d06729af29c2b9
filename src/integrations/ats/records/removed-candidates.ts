import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { CandidateRemoved } from '../../../hiring/candidates/candidates.errors.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsRecordsRepository } from './records.repository.js';

/** Bytes of failed events of a connection that are searched; older ones are erased unsearched. */
const SEARCHED_BYTES = 8 * 1024 * 1024;

// The form of `encode` has a byte a character and takes any bytes; the searched texts have the same form.
const ERASE = `
  with failed as materialized (
    select o.id, o.at, sum(o.bytes) over (order by o.id desc) as bytes from ats_open_events o
    where o.tenant_id = $1 and o.connection_id = $2 and o.failed
  ), erased as (
    update ats_events e set body = null, headers = null, reason = 'erased', detail = null, state = 'no_effect'
    from failed f
    where e.tenant_id = $1 and e.connection_id = $2 and e.id = f.id and e.at = f.at and e.body is not null
      and (f.bytes > ${SEARCHED_BYTES} or lower(encode(e.body, 'escape')) ~ $3)
    returning e.id
  )
  delete from ats_open_events o
  where o.tenant_id = $1 and o.connection_id = $2 and o.failed and o.id = any(array(select r.id from erased r))`;

function patternOf(names: readonly string[]): string {
  const forms = new Set(names.flatMap((name) => [name, encodeURIComponent(name), name.replaceAll('@', '\\u0040')]));
  const words = [...forms].map((form) => escapedBytes(form.toLowerCase()).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `(^|[^0-9a-z])(${words.join('|')})($|[^0-9a-z])`;
}

/** Returns a text as `encode(…, 'escape')` of PostgreSQL writes its bytes. */
function escapedBytes(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => (byte > 127 || byte === 0 ? `\\${byte.toString(8).padStart(3, '0')}` : byteText(byte)))
    .join('');
}

function byteText(byte: number): string {
  return byte === 92 ? '\\\\' : String.fromCharCode(byte);
}

/** Erases events about a candidate, in the transaction that removes it. */
@Injectable()
export class RemovedCandidates {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly connections: AtsConnectionStore,
    events: DomainEvents,
  ) {
    events.on(CandidateRemoved, (event) => this.removed(event));
  }

  private async removed({ tx, tenantId, candidate, mergedInto }: CandidateRemoved): Promise<void> {
    const records = await this.records.erased(tx, tenantId, candidate.id);
    for (const { connection_id, remote_id } of records) {
      await this.records.eraseEvents(tx, { tenantId, id: connection_id }, remote_id);
    }
    // The survivor keeps the data of a merged candidate.
    if (mergedInto !== null) return;
    for (const { id } of await this.connections.of(tenantId)) {
      const ids = records.flatMap((record) => (record.connection_id === id ? record.remote_id : []));
      await this.eraseMentions(tx, tenantId, id, candidate.email === '' ? ids : [...ids, candidate.email]);
    }
  }
  /** @param names ids at the ATS and e-mails; an id counts where it is no part of a longer word */
  private async eraseMentions(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    names: readonly string[],
  ): Promise<void> {
    if (names.length > 0) await tx.query(ERASE, [tenantId, connectionId, patternOf(names)]);
  }
}
