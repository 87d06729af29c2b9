import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NamedUsers } from '../../../forwarding/connections.js';

/** Answers what `forwarding` asks about users. */
@Injectable()
export class NamedUsersRepository extends NamedUsers {
  constructor(private readonly db: Database) {
    super();
  }

  override namedQuery(tenantId: string, externalId: string, email: string): string {
    return `select u.id from users u where u.tenant_id = ${tenantId} and u.status = 'active'
      and (u.person_external_id = ${externalId} or u.email_key = ${email})`;
  }

  override async byExternalId(tenantId: string, externalIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.db.query<{ key: string; id: string }>(
      `select person_external_id as key, id from users
       where tenant_id = $1 and status = 'active' and person_external_id = any($2::text[])`,
      [tenantId, externalIds],
    );
    return new Map(rows.map(({ key, id }) => [key, id]));
  }
}
