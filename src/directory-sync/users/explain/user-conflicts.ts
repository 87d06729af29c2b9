import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { emailKeyOf } from '../user.mapping.js';
import type { ConflictingUser } from './explain.dto.js';

export interface AskedValues {
  userId: string;
  email: string | null;
  externalId: string | null;
}

@Injectable()
export class UserConflicts {
  constructor(private readonly db: Database) {}

  /** Returns the active users that have the requested e-mail or `external_id`. */
  async of(tenantId: string, asked: AskedValues): Promise<ConflictingUser[]> {
    return (await this.ofAll(tenantId, [asked])).get(asked.userId) ?? [];
  }

  /** Does the same for many users in one statement. Users without conflicts are left out. */
  async ofAll(tenantId: string, asked: readonly AskedValues[]): Promise<Map<string, ConflictingUser[]>> {
    const found = new Map<string, ConflictingUser[]>();
    if (asked.length === 0) return found;
    const probe = (field: string, condition: string, value: string) =>
      `select a.id as asked_by, '${field}' as field, ${value} as value, o.id as user_id, trim(o.first_name || ' ' || o.last_name) as name,
         o.email, d.name as directory
       from asked a join users o on o.tenant_id = $1 and ${condition} and o.status = 'active' and o.id <> a.id
         left join directories d on d.tenant_id = $1 and d.id = o.directory_id`;
    const { rows } = await this.db.query<ConflictingUser & { asked_by: string }>(
      `with asked as materialized (select * from unnest($2::text[], $3::text[], $4::text[], $5::text[]) a (id, email, email_key, external_id))
       ${probe('email', 'o.email_key = a.email_key', 'a.email')} union all ${probe('external_id', 'o.person_external_id = a.external_id', 'a.external_id')}`,
      [
        tenantId,
        asked.map(({ userId }) => userId),
        asked.map(({ email }) => email),
        asked.map(({ email }) => emailKeyOf(email)),
        asked.map(({ externalId }) => externalId),
      ],
    );
    for (const { asked_by: id, ...holder } of rows) found.set(id, [...(found.get(id) ?? []), holder]);
    return found;
  }
}
