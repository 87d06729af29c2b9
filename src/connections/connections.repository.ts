import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { PageRequest } from '../base/http/page.js';
import type { SealedSecrets } from './connection-secrets.js';
import type { ConnectionHead, Typed } from './connection.settings.js';

interface Upkeep {
  metadata_checked_at: Date | null;
  metadata_problem: string | null;
  created_at: Date;
  updated_at: Date;
}

/** A connection's row as the administration sees it. */
export type ConnectionRow = Typed<ConnectionHead & SealedSecrets & Upkeep>;

type NewConnection = Omit<ConnectionRow, 'version' | 'tested_at' | 'created_at' | 'updated_at'>;

const COLUMNS = `tenant_id, id, slug, name, type, enabled, version, directory_id, settings, client_secret_sealed,
  private_key_sealed, tested_at, metadata_checked_at, metadata_problem, created_at, updated_at`;

@Injectable()
export class ConnectionsRepository {
  constructor(private readonly db: Database) {}

  /** How many the tenant has; of two who ask at once to add one, the second one sees what the first has added. */
  async countForAnother(tx: SqlRunner, tenantId: string): Promise<number> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<{ n: number }>(
      `select count(*)::int as n from connections where tenant_id = $1 and deleted_at is null`,
      [tenantId],
    );
    return rows[0]!.n;
  }

  async insert(tx: SqlRunner, row: NewConnection): Promise<void> {
    await tx.query(
      `insert into connections (tenant_id, id, slug, type, name, enabled, directory_id, settings, client_secret_sealed,
         private_key_sealed, metadata_checked_at, metadata_problem)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [row.tenant_id, row.id, row.slug, row.type, ...changeable(row)],
    );
  }

  /** Writes what can change, and moves the version. `retest`: earlier sign-ins say nothing about it any more. */
  async update(tx: SqlRunner, row: ConnectionRow, retest: boolean): Promise<void> {
    await tx.query(
      `update connections set name = $3, enabled = $4, directory_id = $5, settings = $6, client_secret_sealed = $7,
         private_key_sealed = $8, metadata_checked_at = $9, metadata_problem = $10, version = version + 1,
         tested_at = case when $11 then null else tested_at end, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [row.tenant_id, row.id, ...changeable(row), retest],
    );
  }

  /** What a look at the metadata said, where it changes nothing that sign-ins use. */
  async noteLook(tx: SqlRunner, row: ConnectionRow, at: Date, problem: string | null): Promise<void> {
    await tx.query(
      `update connections set metadata_checked_at = $3, metadata_problem = $4 where tenant_id = $1 and id = $2`,
      [row.tenant_id, row.id, at, problem],
    );
  }

  /** Newest first; deleted ones are gone. `slug`: only the connection that has it. */
  async list(tenantId: string, slug: string | null, page: PageRequest): Promise<CutRows<ConnectionRow>> {
    const found = await this.db.query<ConnectionRow>(
      cutAtBytes(`select ${COLUMNS} from connections
       where tenant_id = $1 and deleted_at is null and ($2::text is null or id < $2)
         and ($4::text is null or slug = $4) order by id desc limit $3`),
      [tenantId, page.after, page.limit + 1, slug],
    );
    return cutRowsOf(found);
  }

  async find(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<ConnectionRow | null> {
    const { rows } = await db.query<ConnectionRow>(
      `select ${COLUMNS} from connections where tenant_id = $1 and id = $2 and deleted_at is null
       ${lock ? 'for update' : ''}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /**
   * Marks a connection as deleted, with its secrets. The slug stays reserved for the tenant: the IdP still knows our
   * addresses by it. Its domains stay bound to it: an e-mail that only this one could say is not believed from all others
   * because it is gone.
   */
  async markDeleted(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    await tx.query(`update connection_slugs set connection_id = null where tenant_id = $1 and connection_id = $2`, [
      tenantId,
      id,
    ]);
    await tx.query(
      `update connections set deleted_at = now(), updated_at = now(), version = version + 1,
         client_secret_sealed = null, private_key_sealed = null
       where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
  }

  /** Shared with others who name the directory, and closed to whoever deletes it meanwhile. */
  async hasDirectory(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and deleted_at is null for share`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  /** Which of these roles are in the catalogue; closed to whoever deletes one meanwhile. */
  async rolesOf(tx: SqlRunner, tenantId: string, roles: readonly string[]): Promise<Set<string>> {
    const { rows } = await tx.query<{ name: string }>(
      `select name from roles where tenant_id = $1 and name = any($2) order by name for key share`,
      [tenantId, roles],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Takes the right to read a connection's metadata again because of a wrong signature. Of several processes one gets it.
   *
   * @param before since when nobody may have had it
   * @returns the connection; null where somebody has had it since then
   */
  async takeDoubted(tenantId: string, id: string, now: Date, before: Date): Promise<ConnectionRow | null> {
    const { rows } = await this.db.query<ConnectionRow>(
      `update connections set doubted_at = $3
       where tenant_id = $1 and id = $2 and deleted_at is null and (doubted_at is null or doubted_at <= $4)
       returning ${COLUMNS}`,
      [tenantId, id, now, before],
    );
    return rows[0] ?? null;
  }

  /**
   * The enabled SAML connection that was longest not looked after, if it is due, as it was: when its metadata wants to be
   * read again, within these bounds. From now on it counts as looked after, so that several processes share the work and
   * none holds a lock while it reads.
   */
  async takeDue(now: Date, seconds: { least: number; most: number }): Promise<ConnectionRow | null> {
    const { rows } = await this.db.query<ConnectionRow>(
      `with due as (
         select ${COLUMNS} from connections
         where type = 'saml' and enabled and deleted_at is null
           and (metadata_checked_at is null or metadata_checked_at < $1::timestamptz - make_interval(secs =>
             least($3::bigint, greatest($2::bigint, coalesce((settings ->> 'metadata_cache_seconds')::bigint, $3::bigint)))))
         order by metadata_checked_at nulls first limit 1 for update skip locked),
       taken as (
         update connections c set metadata_checked_at = $1 from due
         where c.tenant_id = due.tenant_id and c.id = due.id)
       select ${COLUMNS} from due`,
      [now, seconds.least, seconds.most],
    );
    return rows[0] ?? null;
  }
}

function changeable(row: NewConnection): unknown[] {
  return [
    row.name,
    row.enabled,
    row.directory_id,
    JSON.stringify(row.settings),
    row.client_secret_sealed,
    row.private_key_sealed,
    row.metadata_checked_at,
    row.metadata_problem,
  ];
}
