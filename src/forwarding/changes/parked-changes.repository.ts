import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { platformOf } from '../platform-destination.js';

/** Which parked changes are meant: those of a list of users, or all that match. */
export interface ParkedChoice {
  user_ids?: string[];
  /** The code of the error. */
  error?: string;
  /** The directory that the change came from. */
  directory?: string;
}

/** A user whose change is parked. */
export interface ParkedUser {
  user_id: string;
  /** The last change that is parked. */
  sequence: string;
}

// `lanes_parked` finds the parked lanes of a tenant.
const FROM = `from lanes l join changes c on c.tenant_id = $1 and c.sequence = l.last_pending
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.parked_reason is not null
    and ($4::text is null or l.parked_reason = $4) and ($5::text is null or c.source ->> 'directory_id' = $5)
    and ($6::text[] is null or l.subject = any($6))`;

/** Finds the users whose change is parked. */
@Injectable()
export class ParkedChangesRepository {
  constructor(private readonly db: Database) {}

  async count(tenantId: string, choice: ParkedChoice): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n ${FROM}`,
      matching(tenantId, choice),
    );
    return rows[0]!.n;
  }

  /** Returns up to `limit` users after one, in the order of their ids. */
  async after(tenantId: string, choice: ParkedChoice, userId: string, limit: number): Promise<ParkedUser[]> {
    const { rows } = await this.db.query<ParkedUser>(
      `select l.subject as user_id, l.last_pending::text as sequence ${FROM} and l.subject > $7
       order by (l.subject || '') limit $8`,
      [...matching(tenantId, choice), userId, limit],
    );
    return rows;
  }
}

function matching(tenantId: string, { user_ids, error, directory }: ParkedChoice): unknown[] {
  const { channel, id } = platformOf(tenantId);
  return [tenantId, channel, id, error ?? null, directory ?? null, user_ids ?? null];
}
