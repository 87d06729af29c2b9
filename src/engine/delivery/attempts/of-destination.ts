import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** A request to a destination, as it is listed. */
export interface ListedAttempt {
  /** The place in the list, for the next page. */
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

/** Which requests are listed. */
export interface AttemptFilter {
  /** Of a message: its id, its sequence, and the subjects of which it can have been sent. */
  message?: { id: string; sequence: string; subjects: readonly string[] } | undefined;
  /** Only those that delivered, or only the others. */
  delivered?: boolean | undefined;
}

const PLACE = `to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || a.n || ' ' || a.subject`;
const COLUMNS = `${PLACE} as place, a.delivery_id, a.sent_at, a.outcome, a.status, a.fault, a.detail, a.duration_ms,
  a.address, a.answer`;
const OF = `a.tenant_id = $1 and a.channel = $2 and a.destination = $3`;

/**
 * Returns the requests to a destination, newest first, with one too many. A filter by outcome can pick few of many: a
 * search.
 */
export async function listAttempts(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  { message, delivered }: AttemptFilter,
  page: { after: string | null; limit: number },
): Promise<ListedAttempt[]> {
  // The first page begins behind all there is: a plan for any page reads the index from a place.
  const [at = 'infinity', n = '32767', ...subject] = page.after?.split(' ') ?? [];
  const place: unknown[] = [at, n, subject.join(' '), page.limit + 1];
  const behind = `a.at <= $4::timestamptz and (a.at, a.n, a.subject) < ($4::timestamptz, $5::smallint, $6::text)`;
  // The channel is named, as the condition of the index has it.
  const of = `${OF} and a.channel <> 'platform' and ${behind}`;
  if (message !== undefined) {
    const { rows } = await db.query<ListedAttempt>(
      `select ${COLUMNS} from attempts a where ${of} and a.subject = any($8::text[]) and a.last_sequence = $9
         and a.delivery_id = $10 and ($11::boolean is null or (a.outcome = 'delivered') = $11)
       order by a.at desc, a.n desc, a.subject desc limit $7`,
      [tenantId, channel, id, ...place, message.subjects, message.sequence, message.id, delivered ?? null],
    );
    return rows;
  }
  const { rows } = await db.search<ListedAttempt>(
    `select ${COLUMNS} from attempts a where ${of} and ($8::boolean is null or (a.outcome = 'delivered') = $8)
     order by a.at desc, a.n desc, a.subject desc limit $7`,
    [tenantId, channel, id, ...place, delivered ?? null],
  );
  return rows;
}

/** Returns when messages were delivered to a destination, by their ids. */
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
