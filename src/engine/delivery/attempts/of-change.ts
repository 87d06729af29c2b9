import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

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
 * Returns SQL for the attempts `x` that carried a change; the tenant is $1. The call that settled a change is the first
 * one that reached it or went beyond.
 */
export function attemptsOf(channel: string, subject: string, sequence: string): string {
  return `from attempts x where x.tenant_id = $1 and x.channel = '${channel}' and x.subject = ${subject}
      and x.last_sequence >= ${sequence} and x.first_sequence <= ${sequence}`;
}

/** Returns SQL for the attempts `d` of one subject, which is $2; the tenant is $1. */
export function attemptsOfSubject(channel: string): { from: string; where: string } {
  return { from: 'attempts d', where: `d.tenant_id = $1 and d.channel = '${channel}' and d.subject = $2` };
}

/** Returns the requests that carried a change, oldest first. */
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
