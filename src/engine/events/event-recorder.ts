import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { type Params, textArray } from '../../base/database/params.js';
import { WriteStatement, type Part } from '../../base/database/write-statement.js';
import type { UserEventName } from '../../tenancy/identity/user-change.rules.js';
import { enqueueMessages, enqueueNamedMessages, type Receiver } from '../delivery/lanes/enqueue.js';
import type { EventName } from './catalogue.js';
import { EventSources, takersOf, takersOfAny, type EventReceiver } from './event-source.js';

/** Digits of a sequence in an id: enough for ten thousand events a second over thirty thousand years. */
const DIGITS = 16;

/** Returns the id of the event with this sequence. Later events have later ids, also as text. */
export function eventId(sequence: string | number): string {
  return `evt_${String(sequence).padStart(DIGITS, '0')}`;
}

export function eventIdSql(sequence: string): string {
  return `'evt_' || lpad((${sequence})::text, ${DIGITS}, '0')`;
}

/** Returns the sequence in an id of an event as digits; null if the text is no such id. */
export function sequenceOfEvent(id: string): string | null {
  const [, digits] = /^evt_(\d{16})$/.exec(id) ?? [];
  return digits === undefined ? null : String(BigInt(digits));
}

/** An event that is to be recorded beside its fact. */
export interface RecordedFact {
  event: EventName;
  record: string | null;
  /** JSON text. */
  data: string;
  /** The event is recorded once for each value; absent each time. */
  threshold?: string | undefined;
}

/** An event whose row another room writes. Its part has rows with `record`, `sequence` and `occurred_at`. */
interface FactElsewhere {
  event: EventName | UserEventName;
  part: Part;
}

const MESSAGE = { id: eventIdSql('m.sequence'), record: 'm.record' } as const;

/** Records events in the statements of their facts, with a lane for each receiver that takes them. */
@Injectable()
export class EventRecorder {
  constructor(private readonly receivers: EventSources) {}

  /**
   * Adds an event to a write statement: it is recorded if the subject of the statement is written.
   *
   * @param db where the statement will run, if that is a transaction
   */
  async addTo(
    statement: WriteStatement,
    tenantId: string,
    fact: Omit<RecordedFact, 'threshold'>,
    db?: SqlRunner,
  ): Promise<void> {
    const receivers = await this.receivers.receiversOf(tenantId, db);
    const part = statement.add(
      (p) => `insert into events (tenant_id, event, record, data)
        select ${p.shared(tenantId)}, ${p.shared(fact.event)}, ${p.add(fact.record, 'text')}, ${p.add(fact.data, 'json')}
        from subject returning event, record, sequence, at`,
      { each: true },
    );
    this.addLanes(statement, tenantId, takersOf(receivers, fact.event), { part, at: 'm.at' });
  }

  /** For `addElsewhere`; `db` as for `addTo`. */
  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
    return this.receivers.receiversOf(tenantId, db);
  }

  addElsewhere(
    statement: WriteStatement,
    tenantId: string,
    receivers: readonly EventReceiver[],
    { event, part }: FactElsewhere,
  ): void {
    this.addLanes(statement, tenantId, takersOf(receivers, event), { part, at: 'm.occurred_at' });
  }

  /**
   * Adds an event about each row that a part of the statement returns.
   *
   * @param data SQL of the JSON text, about rows `r`
   */
  async addAbout(
    statement: WriteStatement,
    tenantId: string,
    { event, rows, data }: { event: EventName; rows: Part; data: string },
    db?: SqlRunner,
  ): Promise<void> {
    const receivers = await this.receivers.receiversOf(tenantId, db);
    const part = statement.add(
      (p) => `insert into events (tenant_id, event, data)
        select ${p.shared(tenantId)}, ${p.shared(event)}, (${data})::json from ${rows.name} r
        returning event, record, sequence, at`,
      { each: true },
    );
    this.addLanes(statement, tenantId, takersOf(receivers, event), { part, at: 'm.at' });
  }

  /**
   * Records events inside a transaction.
   *
   * @param exceptTo the id of a receiver that gets no event: the facts are about it
   * @returns the names of those recorded: an event whose threshold was recorded before is left out
   */
  async record(
    tx: SqlRunner,
    tenantId: string,
    facts: readonly RecordedFact[],
    { exceptTo }: { exceptTo?: string } = {},
  ): Promise<EventName[]> {
    if (facts.length === 0) return [];
    const receivers = (await this.receivers.receiversOf(tenantId, tx)).filter(({ id }) => id !== exceptTo);
    const statement = new WriteStatement();
    const given = statement.given(
      (p) => `select ${p.add(tenantId, 'text')} as tenant_id, f.*
        from ${factsSql(p, facts)} as f(event, record, data, threshold)`,
    );
    const passed = statement.given(
      () => `insert into event_thresholds (tenant_id, threshold)
        select distinct tenant_id, threshold from ${given.name} where threshold is not null
        order by threshold on conflict do nothing returning threshold`,
    );
    statement.subject(
      () => `insert into events (tenant_id, event, record, data)
        select f.tenant_id, f.event, f.record, f.data from ${given.name} f
        where f.threshold is null or f.threshold in (select threshold from ${passed.name})
        returning event, record, sequence, at`,
    );
    const { channel } = this.receivers;
    if (channel !== null) {
      const takers = takersOfAny(receivers, [...new Set(facts.map(({ event }) => event))]);
      const messages = { part: { name: 'subject' }, name: 'm.event', at: 'm.at', ...MESSAGE };
      enqueueNamedMessages(statement, { tenantId, channel: channel.name }, takers, messages);
    }
    // The rows of many facts would only be counted.
    const rows = await statement.answer(() => 'distinct event').run<{ event: EventName }>(tx);
    return rows.map(({ event }) => event);
  }

  /**
   * Wakes the delivery to the tenant's receivers, after the commit.
   *
   * @param event only receivers that take this event; absent all
   */
  wake(tenantId: string, event?: string): void {
    const { channel } = this.receivers;
    if (channel === null) return;
    void channel.receiversOf(tenantId).then(
      (receivers) => {
        const takers = event === undefined ? receivers : takersOf(receivers, event);
        for (const { id } of takers) channel.wake({ tenantId, channel: channel.name, id });
      },
      () => undefined, // The database is away; the poll finds what waits.
    );
  }

  private addLanes(
    statement: WriteStatement,
    tenantId: string,
    takers: readonly Receiver[],
    { part, at }: { part: Part; at: string },
  ): void {
    const { channel } = this.receivers;
    if (channel === null) return;
    enqueueMessages(statement, { tenantId, channel: channel.name }, takers, { part, at, ...MESSAGE });
  }
}

// The data of all facts are one text: an array would escape each quote of them, and the server would read it twice.
function factsSql(p: Params, facts: readonly RecordedFact[]): string {
  const list = (pick: (fact: RecordedFact) => string | null) =>
    `unnest(${p.add(textArray(facts.map(pick)), 'text[]')})`;
  const data = `json_array_elements(${p.add(`[${facts.map((fact) => fact.data).join(',')}]`, 'json')})`;
  const threshold = list(({ event, threshold }) => (threshold === undefined ? null : `${event} ${threshold}`));
  return `(select ${list(({ event }) => event)}, ${list(({ record }) => record)}, ${data}, ${threshold})`;
}

/** Bytes of the body of an event. Some receivers (Zapier, Make) refuse a larger body. */
const MAX_BODY_BYTES = 20_000;

const FRAME_BYTES = Buffer.byteLength('{"event":"","timestamp":"2026-01-31T12:00:00.000Z","data":}');

/**
 * Returns the data of an event as it is recorded: in full, or the ids alone where the body would be over 20 000 bytes.
 *
 * @param data JSON text
 * @param ids the ids of the record, and its sequence
 */
export function thinIfLarge(event: string, data: string, ids: object): string {
  const bytes = FRAME_BYTES + event.length + Buffer.byteLength(data);
  return bytes > MAX_BODY_BYTES ? JSON.stringify(ids) : data;
}
