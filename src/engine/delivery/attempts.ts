import type { SqlRunner, Database } from '../../base/database/database.js';
import type { DestinationKey } from './destination.js';
import { deliveryId, type Call, type Attempt } from './outcome.js';

/** The columns of rows that a statement takes as one array each: name, type, and the value of a row. */
export type ArrayColumns<T> = readonly (readonly [name: string, type: string, value: (row: T) => ArrayElement])[];

/** A value of a column; of an infinite time, its text. */
type ArrayElement = string | number | boolean | Date | null;

export function arraysOf<T>(columns: ArrayColumns<T>, first: number): string {
  return `unnest(${columns.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')})`;
}

/**
 * Returns the parameters: one array for each column, as text for PostgreSQL. The general way of node-postgres costs about twice
 * as much, and writes times in the local zone.
 */
export function arrayParameters<T>(columns: ArrayColumns<T>, rows: readonly T[]): string[] {
  return columns.map(([, , value]) => `{${rows.map((row) => elementOf(value(row))).join(',')}}`);
}

function elementOf(value: ArrayElement): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return String(value);
}

interface AttemptOfCall {
  subject: string;
  call: Call;
  attempt: Attempt;
}

const COLUMNS: ArrayColumns<AttemptOfCall> = [
  ['subject', 'text', ({ subject }) => subject],
  ['delivery_id', 'text', ({ subject, call, attempt }) => attempt.deliveryId ?? deliveryId(subject, call)],
  ['first_sequence', 'bigint', ({ call, attempt }) => attempt.sequence ?? call.first],
  ['last_sequence', 'bigint', ({ call, attempt }) => attempt.sequence ?? call.through],
  ['method', 'text', ({ attempt }) => attempt.method],
  ['path', 'text', ({ attempt }) => attempt.path],
  ['status', 'int', ({ attempt }) => attempt.status],
  ['outcome', 'text', ({ attempt }) => attempt.outcome],
  ['detail', 'text', ({ attempt }) => attempt.detail],
  ['answer', 'text', ({ attempt }) => attempt.answer],
  ['duration_ms', 'int', ({ attempt }) => attempt.ms],
  ['sent_at', 'timestamptz', ({ attempt }) => attempt.sentAt],
  ['address', 'text', ({ attempt }) => attempt.address ?? null],
  ['fault', 'text', ({ attempt }) => attempt.fault ?? null],
];

const RECORD = `
  insert into attempts (tenant_id, channel, destination, ${COLUMNS.map(([name]) => name).join(', ')}, n)
  select $1, $2, $3, a.* from ${arraysOf(COLUMNS, 4)} with ordinality as a`;

export async function recordAttempts(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  attempts: readonly AttemptOfCall[],
): Promise<void> {
  if (attempts.length > 0) await tx.query(RECORD, [tenantId, channel, id, ...arrayParameters(COLUMNS, attempts)]);
}

/** Records a request that no lane asked for: a test, or a repetition by hand. Its subject is its own id. */
export async function recordDirect(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  attempt: Attempt,
): Promise<void> {
  await db.query(
    `insert into attempts (tenant_id, channel, destination, subject, delivery_id, first_sequence, last_sequence, method,
       path, status, outcome, detail, answer, duration_ms, sent_at, address, fault, n)
     values ($1, $2, $3, $4, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 1)`,
    [
      tenantId,
      channel,
      id,
      attempt.deliveryId,
      attempt.sequence ?? 0,
      attempt.method,
      attempt.path,
      attempt.status,
      attempt.outcome,
      attempt.detail,
      attempt.answer,
      attempt.ms,
      attempt.sentAt,
      attempt.address ?? null,
      attempt.fault ?? null,
    ],
  );
}

/** A request as recorded. */
export interface AttemptRow {
  delivery_id: string;
  at: Date;
  sent_at: Date;
  method: string;
  path: string;
  status: number | null;
  outcome: string;
  detail: string | null;
  answer: string | null;
  duration_ms: number;
}

/**
 * Returns SQL for the attempts `x` that carried a change; the tenant is $1. The call that settled a change is the first one
 * that reached it or went beyond.
 */
export function attemptsOf(channel: string, subject: string, sequence: string): string {
  return `from attempts x where x.tenant_id = $1 and x.channel = '${channel}' and x.subject = ${subject}
      and x.last_sequence >= ${sequence} and x.first_sequence <= ${sequence}`;
}

/** Returns SQL for the attempts `d` of one subject, which is $2; the tenant is $1. */
export function attemptsOfSubject(channel: string): { from: string; where: string } {
  return { from: 'attempts d', where: `d.tenant_id = $1 and d.channel = '${channel}' and d.subject = $2` };
}

/** Oldest first. */
export async function readAttempts(
  db: Database,
  { tenantId, channel }: DestinationKey,
  subject: string,
  sequence: string,
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>(
    `select x.delivery_id, x.at, x.sent_at, x.method, x.path, x.status, x.outcome, x.detail, x.answer, x.duration_ms
     from attempts x
     where x.tenant_id = $1 and x.channel = $2 and x.subject = $3 and x.last_sequence >= $4 and x.first_sequence <= $4
       and x.method <> 'NONE'
     order by x.at, x.sent_at limit 200`,
    [tenantId, channel, subject, sequence],
  );
  return rows;
}

/** A request to a destination in a list. */
export interface ListedAttempt {
  place: string;
  delivery_id: string;
  sent_at: Date;
  outcome: string;
  status: number | null;
  fault: string | null;
  detail: string | null;
  duration_ms: number;
  address: string | null;
  answer: string | null;
}

interface AttemptFilter {
  /** The id and sequence of a message, and the subjects with which it can have been sent. */
  message?: { id: string; sequence: string; subjects: readonly string[] } | undefined;
  /** true: only those that delivered; false: only the others. */
  delivered?: boolean | undefined;
}

const PLACE = `to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || a.n || ' ' || a.subject`;
const DESTINATION_COLUMNS = `${PLACE} as place, a.delivery_id, a.sent_at, a.outcome, a.status, a.fault, a.detail, a.duration_ms,
  a.address, a.answer`;
const OF = `a.tenant_id = $1 and a.channel = $2 and a.destination = $3`;

/**
 * Returns the requests to a destination, newest first, with one more than the limit. A filter by outcome can pick few of many:
 * a search.
 */
export async function listAttempts(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  { message, delivered }: AttemptFilter,
  page: { after: string | null; limit: number },
): Promise<ListedAttempt[]> {
  // The first page begins after all attempts: a plan for any page reads the index from a place.
  const [at = 'infinity', n = '32767', ...subject] = page.after?.split(' ') ?? [];
  const place: unknown[] = [at, n, subject.join(' '), page.limit + 1];
  const rest = `a.at <= $4::timestamptz and (a.at, a.n, a.subject) < ($4::timestamptz, $5::smallint, $6::text)`;
  // Names the channel like the condition of the index.
  const of = `${OF} and a.channel <> 'platform' and ${rest}`;
  if (message !== undefined) {
    const { rows } = await db.query<ListedAttempt>(
      `select ${DESTINATION_COLUMNS} from attempts a where ${of} and a.subject = any($8::text[]) and a.last_sequence = $9
         and a.delivery_id = $10 and ($11::boolean is null or (a.outcome = 'delivered') = $11)
       order by a.at desc, a.n desc, a.subject desc limit $7`,
      [tenantId, channel, id, ...place, message.subjects, message.sequence, message.id, delivered ?? null],
    );
    return rows;
  }
  const { rows } = await db.search<ListedAttempt>(
    `select ${DESTINATION_COLUMNS} from attempts a where ${of} and ($8::boolean is null or (a.outcome = 'delivered') = $8)
     order by a.at desc, a.n desc, a.subject desc limit $7`,
    [tenantId, channel, id, ...place, delivered ?? null],
  );
  return rows;
}

/** Returns when messages were delivered to a destination, by the ids of the deliveries. */
export async function deliveredOf(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  subjects: readonly string[],
  sequences: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await db.query<{ delivery_id: string; at: Date }>(
    `select a.delivery_id, min(a.sent_at) as at from attempts a
     where a.tenant_id = $1 and a.channel = $2 and a.destination = $3 and a.subject = any($4::text[])
       and a.last_sequence = any($5::bigint[]) and a.outcome = 'delivered'
     group by a.delivery_id`,
    [tenantId, channel, id, subjects, sequences],
  );
  return new Map(rows.map(({ delivery_id, at }) => [delivery_id, at]));
}

/**
 * Removes the answers of receivers to messages: an answer can repeat the personal data of the message. Status, time and address
 * of each attempt stay.
 *
 * @param subjects the ids of the messages, and of the records whose messages are in order
 */
export async function eraseAnswers(tx: SqlRunner, tenantId: string, subjects: readonly string[]): Promise<void> {
  await tx.query(
    `update attempts set answer = null
     where tenant_id = $1 and subject = any($2::text[]) and channel <> 'platform' and answer is not null`,
    [tenantId, subjects],
  );
}
