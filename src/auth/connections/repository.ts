import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { DomainEvents } from '../../base/domain-events.js';
import type { PageRequest } from '../../base/http/page.js';
import { NOW } from '../../base/work/work.js';
import { DirectoryDeleted } from '../../directory-sync/directories/directory-people.js';
import { RoleDeleting } from '../../tenancy/tenants/tenants.events.js';
import type { ConnectionHead, Typed } from './connection.js';
import { ownedDomain } from './domains/domains.store.js';
import type { SealedConnectionSecrets } from './store.js';

interface Upkeep {
  metadata_checked_at: Date | null;
  metadata_problem: string | null;
  created_at: Date;
  updated_at: Date;
}

export type ConnectionRow = Typed<ConnectionHead & SealedConnectionSecrets & Upkeep>;

type NewConnection = Omit<ConnectionRow, 'version' | 'tested_at' | 'created_at' | 'updated_at'>;

const CONNECTION_COLUMNS = `tenant_id, id, slug, name, type, enabled, version, directory_id, settings, client_secret_sealed,
  private_key_sealed, tested_at, metadata_checked_at, metadata_problem, created_at, updated_at`;

/** The bounds of the interval that the metadata states (`cacheDuration`), in seconds. */
const INTERVAL = { least: 3_600, most: 86_400 };

// The first comparison names the index.
const isDueAt = (now: string): string => `type = 'saml' and enabled and deleted_at is null
  and coalesce(metadata_checked_at, '-infinity') < ${now}::timestamptz - interval '${INTERVAL.least} seconds'
  and coalesce(metadata_checked_at, '-infinity') < ${now}::timestamptz - make_interval(secs => least(${INTERVAL.most},
    greatest(${INTERVAL.least}, coalesce((settings ->> 'metadata_cache_seconds')::bigint, ${INTERVAL.most}))))`;

export const DUE_METADATA = `select tenant_id, id, coalesce(metadata_checked_at, created_at) as since, null::text as server
  from connections where ${isDueAt(NOW)}`;

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

/** The least pause between two readings, and the time in which four are the most. Any caller can send a wrong signature. */
const PAUSE_MS = 60_000;
const WINDOW_MS = 10 * 60_000;
/** A reading that has not ended after this time was given up with its process. It takes at most ten seconds. */
const LEASE_MS = 15_000;

@Injectable()
export class ConnectionsRepository {
  constructor(
    private readonly db: Database,
    events: DomainEvents,
  ) {
    events.on(DirectoryDeleted, ({ tx, tenantId, directoryId }) => this.unpair(tx, tenantId, directoryId));
    events.on(RoleDeleting, (event) => this.count(event));
  }

  /** Sign-ins then find the users of the directory as those of an unpaired connection. */
  private async unpair(tx: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
    await tx.query(
      `update connections set directory_id = null, version = version + 1, updated_at = now()
       where tenant_id = $1 and directory_id = $2`,
      [tenantId, directoryId],
    );
  }

  /** A concurrent creation waits and then sees the new connection. */
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

  /** Moves the version. `retest`: earlier sign-ins no longer count as a test. */
  async update(tx: SqlRunner, row: ConnectionRow, retest: boolean): Promise<void> {
    await tx.query(
      `update connections set name = $3, enabled = $4, directory_id = $5, settings = $6, client_secret_sealed = $7,
         private_key_sealed = $8, metadata_checked_at = $9, metadata_problem = $10, version = version + 1,
         tested_at = case when $11 then null else tested_at end, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [row.tenant_id, row.id, ...changeable(row), retest],
    );
  }

  /** Notes a look at the metadata that changes nothing for sign-ins. */
  async noteLook(db: SqlRunner, row: ConnectionRow, at: Date, problem: string | null): Promise<void> {
    await db.query(
      `update connections set metadata_checked_at = $3, metadata_problem = $4 where tenant_id = $1 and id = $2`,
      [row.tenant_id, row.id, at, problem],
    );
  }

  async list(tenantId: string, slug: string | null, page: PageRequest): Promise<CutRows<ConnectionRow>> {
    const found = await this.db.query<ConnectionRow>(
      cutAtBytes(`select ${CONNECTION_COLUMNS} from connections
       where tenant_id = $1 and deleted_at is null and ($2::text is null or id < $2)
         and ($4::text is null or slug = $4) order by id desc limit $3`),
      [tenantId, page.after, page.limit + 1, slug],
    );
    return cutRowsOf(found);
  }

  async find(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<ConnectionRow | null> {
    const { rows } = await db.query<ConnectionRow>(
      `select ${CONNECTION_COLUMNS} from connections where tenant_id = $1 and id = $2 and deleted_at is null
       ${lock ? 'for update' : ''}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /**
   * Marks a connection as deleted and drops its secrets. The slug stays reserved for the tenant, because the IdP still knows
   * our addresses by it. Its domains stay bound to it: no other connection may vouch for their e-mails.
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

  /** Whether a directory exists; holds it against a concurrent deletion. */
  async hasDirectory(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and deleted_at is null for share`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  /** Returns which of these roles exist; holds them against a concurrent deletion. */
  async rolesOf(tx: SqlRunner, tenantId: string, roles: readonly string[]): Promise<Set<string>> {
    const { rows } = await tx.query<{ name: string }>(
      `select name from roles where tenant_id = $1 and name = any($2) order by name for key share`,
      [tenantId, roles],
    );
    return new Set(rows.map(({ name }) => name));
  }

  async findDue(tenantId: string, id: string, now: Date): Promise<ConnectionRow | null> {
    const { rows } = await this.db.query<ConnectionRow>(
      `select ${CONNECTION_COLUMNS} from connections where tenant_id = $1 and id = $3 and ${isDueAt('$2')}`,
      [tenantId, now, id],
    );
    return rows[0] ?? null;
  }

  /**
   * Takes the right to read the metadata of a connection. One of several processes gets it.
   *
   * @returns the connection; null when the last reading began less than a minute ago, or the fourth last one less than ten
   */
  async takeDoubt(tenantId: string, id: string, now: Date): Promise<ConnectionRow | null> {
    const { rows } = await this.db.query<ConnectionRow>(
      `update connections set doubted_at = $3, doubt_ended_at = null, earlier_doubts = (array_prepend(doubted_at, earlier_doubts))[1:3]
       where tenant_id = $1 and id = $2 and deleted_at is null and (doubted_at is null or doubted_at <= $4)
         and (earlier_doubts[3] is null or earlier_doubts[3] <= $5)
       returning ${CONNECTION_COLUMNS}`,
      [tenantId, id, now, new Date(now.getTime() - PAUSE_MS), new Date(now.getTime() - WINDOW_MS)],
    );
    return rows[0] ?? null;
  }

  async endDoubt(tenantId: string, id: string, began: Date): Promise<void> {
    await this.db.query(
      `update connections set doubt_ended_at = now()
       where tenant_id = $1 and id = $2 and doubted_at = $3`,
      [tenantId, id, began],
    );
  }

  async isDoubtUnderWay(tenantId: string, id: string, now: Date): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `select 1 from connections where tenant_id = $1 and id = $2 and deleted_at is null and doubted_at > $3
         and doubt_ended_at is null`,
      [tenantId, id, new Date(now.getTime() - LEASE_MS)],
    );
    return rowCount === 1;
  }

  private async count(event: RoleDeleting): Promise<void> {
    const { rows } = await event.tx.query<{ uses: number }>(
      `select count(*)::int as uses from connections c where c.tenant_id = $1 and c.deleted_at is null
         and (c.settings ->> 'default_role' = $2 or exists (
           select 1 from jsonb_array_elements(c.settings -> 'role_map') m where m ->> 1 = $2))`,
      [event.tenantId, event.role],
    );
    event.uses += rows[0]!.uses;
  }
}

/** Holds a connection until the commit of a statement. The part finds no row when it has changed since `version`. */
export function holdConnection(
  statement: WriteStatement,
  { tenantId, id, version }: { tenantId: string; id: string; version: number },
): Part {
  return statement.given(
    (p) => `select c.id from connections c
        where c.tenant_id = ${p.add(tenantId)} and c.id = ${p.add(id)} and c.version = ${p.add(version, 'int')}
          and c.enabled and c.deleted_at is null for share`,
  );
}

/** Holds a verified domain until the commit of a statement. The part finds a row while the domain counts for the connection. */
export function holdDomain(
  statement: WriteStatement,
  domain: string,
  { tenantId, id }: { tenantId: string; id: string },
): Part {
  return statement.given((p) => ownedDomain(p.add(tenantId), p.add(domain), p.add(id)));
}
