import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { PageRequest } from '../../../base/http/page.js';
import { NOW } from '../../../base/work/work.js';
import { RECHECK_HOURS } from './domain-check.rules.js';

/** A domain in the list of a tenant. */
export interface DomainRow {
  tenant_id: string;
  domain: string;
  connection_id: string | null;
  challenge: string;
  verified_by: 'dns' | 'operator' | null;
  verified_at: Date | null;
  checked_at: Date | null;
  problem: string | null;
  lost_at: Date | null;
  created_at: Date;
}

const COLUMNS = `tenant_id, domain, connection_id, challenge, verified_by, verified_at, checked_at, problem, lost_at,
  created_at`;

/** The verification columns of a domain. */
export type Standing = Pick<DomainRow, 'verified_by' | 'verified_at' | 'checked_at' | 'problem' | 'lost_at'>;

const isDueAt = (now: string): string => `verified_by = 'dns'
  and coalesce(checked_at, '-infinity') < ${now}::timestamptz - interval '${RECHECK_HOURS} hours'`;

/** The domains whose check is due, as SQL. */
export const DUE_DOMAINS = `select tenant_id, domain as id, coalesce(checked_at, created_at) as since, null::text as server
  from domains where ${isDueAt(NOW)}`;

/** SQL of domains for their administration. */
@Injectable()
export class DomainsRepository {
  constructor(private readonly db: Database) {}

  /** Inserts a domain; false when the tenant has it already. */
  async insert(
    tx: SqlRunner,
    row: Pick<DomainRow, 'tenant_id' | 'domain' | 'connection_id' | 'challenge'>,
  ): Promise<boolean> {
    const { rowCount } = await tx.query(
      `insert into domains (tenant_id, domain, connection_id, challenge) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [row.tenant_id, row.domain, row.connection_id, row.challenge],
    );
    return rowCount === 1;
  }

  /** Returns the slug of the connection to which a domain is bound; null: to none, or to a deleted one. */
  async boundTo(tx: SqlRunner, tenantId: string, domain: string): Promise<string | null> {
    const { rows } = await tx.query<{ slug: string }>(
      `select c.slug from domains d join connections c on c.tenant_id = d.tenant_id and c.id = d.connection_id
       where d.tenant_id = $1 and d.domain = $2 and c.deleted_at is null`,
      [tenantId, domain],
    );
    return rows[0]?.slug ?? null;
  }

  /** Counts the domains of a tenant. A concurrent insert waits and is counted. */
  async count(tx: SqlRunner, tenantId: string): Promise<number> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<{ n: number }>(`select count(*)::int as n from domains where tenant_id = $1`, [
      tenantId,
    ]);
    return rows[0]!.n;
  }

  /** Lists domains by name. */
  async list(tenantId: string, page: PageRequest): Promise<DomainRow[]> {
    const { rows } = await this.db.query<DomainRow>(
      `select ${COLUMNS} from domains where tenant_id = $1 and ($2::text is null or domain > $2)
       order by domain limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async find(tenantId: string, domain: string, db: SqlRunner = this.db, lock = false): Promise<DomainRow | null> {
    const { rows } = await db.query<DomainRow>(
      `select ${COLUMNS} from domains where tenant_id = $1 and domain = $2 ${lock ? 'for update' : ''}`,
      [tenantId, domain],
    );
    return rows[0] ?? null;
  }

  async bind(tx: SqlRunner, tenantId: string, domain: string, connectionId: string | null): Promise<void> {
    await tx.query(`update domains set connection_id = $3 where tenant_id = $1 and domain = $2`, [
      tenantId,
      domain,
      connectionId,
    ]);
  }

  async stand(tx: SqlRunner, tenantId: string, domain: string, standing: Standing): Promise<void> {
    const { verified_by, verified_at, checked_at, problem, lost_at } = standing;
    await tx.query(
      `update domains set verified_by = $3, verified_at = $4, checked_at = $5, problem = $6, lost_at = $7
       where tenant_id = $1 and domain = $2`,
      [tenantId, domain, verified_by, verified_at, checked_at, problem, lost_at],
    );
  }

  /** Makes the domain this tenant's over all tenants; false when it is another one's. A concurrent claim waits. */
  async claim(tx: SqlRunner, tenantId: string, domain: string): Promise<boolean> {
    await tx.query(`insert into verified_domains (tenant_id, domain) values ($1, $2) on conflict do nothing`, [
      tenantId,
      domain,
    ]);
    const { rowCount } = await tx.query(`select 1 from verified_domains where tenant_id = $1 and domain = $2`, [
      tenantId,
      domain,
    ]);
    return rowCount === 1;
  }

  async release(tx: SqlRunner, tenantId: string, domain: string): Promise<void> {
    await tx.query(`delete from verified_domains where tenant_id = $1 and domain = $2`, [tenantId, domain]);
  }

  async delete(tx: SqlRunner, tenantId: string, domain: string): Promise<void> {
    await this.release(tx, tenantId, domain);
    await tx.query(`delete from domains where tenant_id = $1 and domain = $2`, [tenantId, domain]);
  }

  /** Whether a connection exists; holds it against a concurrent deletion. */
  async hasConnection(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from connections where tenant_id = $1 and id = $2 and deleted_at is null for share`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  /** Returns a domain whose check is due; null: it is not due any more. */
  async findDue(tenantId: string, domain: string, now: Date): Promise<DomainRow | null> {
    const { rows } = await this.db.query<DomainRow>(
      `select ${COLUMNS} from domains where tenant_id = $1 and domain = $3 and ${isDueAt('$2')}`,
      [tenantId, now, domain],
    );
    return rows[0] ?? null;
  }
}
