import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** A lane of a channel that keeps every message, while something of it waits. */
export interface WaitingLane {
  /** The id of a message; where messages of a record are in order, the id of the record. */
  subject: string;
  first: string;
  through: string;
  since: Date;
  /** Tries that failed so far. */
  failures: number;
  /** When it is tried; null: as soon as the destination takes it, or now. */
  nextAt: Date | null;
}

const COLUMNS = `l.subject, l.first_pending as first, l.last_pending as through, l.pending_since as since,
  l.failure_count as failures, case when l.state = 'backing_off' then l.next_at end as "nextAt"`;
const OF = `l.tenant_id = $1 and l.channel = $2 and l.destination = $3`;

/** Returns the waiting lanes of some subjects. */
export async function waitingOf(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  subjects: readonly string[],
): Promise<WaitingLane[]> {
  const { rows } = await db.query<WaitingLane>(
    `select ${COLUMNS} from lanes l where ${OF} and l.subject = any($4::text[]) and l.first_pending is not null`,
    [tenantId, channel, id, subjects],
  );
  return rows;
}

/** Returns a page of waiting lanes, in the order of their subjects, with one too many. */
export async function waitingPage(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  { after, limit }: { after: string | null; limit: number },
): Promise<WaitingLane[]> {
  const { rows } = await db.query<WaitingLane>(
    `select ${COLUMNS} from lanes l
     where ${OF} and l.subject > $4 and l.first_pending is not null order by l.subject limit $5`,
    [tenantId, channel, id, after ?? '', limit + 1],
  );
  return rows;
}
