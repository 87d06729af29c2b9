import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { Fragment } from '../../../base/database/params.js';
import { DomainError } from '../../../base/errors/domain-error.js';
import type { PageRequest } from '../../../base/http/page.js';
import { NOW } from '../../../base/work/work.js';
import { RECHECK_HOURS } from './domain.rules.js';

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

export type Standing = Pick<DomainRow, 'verified_by' | 'verified_at' | 'checked_at' | 'problem' | 'lost_at'>;

const isDueAt = (now: string): string => `verified_by = 'dns'
  and coalesce(checked_at, '-infinity') < ${now}::timestamptz - interval '${RECHECK_HOURS} hours'`;

export const DUE_DOMAINS = `select tenant_id, domain as id, coalesce(checked_at, created_at) as since, null::text as server
  from domains where ${isDueAt(NOW)}`;

/**
 * Returns SQL that is true of a binding `i` which another connection has made by an e-mail of a domain. The bindings of deleted
 * users stay, so that a sign-in never creates the user again.
 *
 * @param spellings the domain in ASCII and in Unicode
 */
export function madeByOthers(spellings: readonly string[], connectionId: string): Fragment {
  const isOf = (email: string, domains: string): string =>
    `lower(regexp_replace(${email}, '^.*@', '')) = any (${domains})`;
  return (p) => {
    const domains = p.add(spellings, 'text[]');
    return `i.connection_id <> ${p.add(connectionId)} and exists (select 1 from users u
      where u.tenant_id = i.tenant_id and u.id = i.user_id
        and ((i.made_by = 'email' and ${isOf('i.made_of', domains)})
          or (i.made_by = 'created' and i.made_of <> '' and ${isOf('u.email', domains)})))`;
  };
}

export interface SignInWay {
  id: string;
  name: string;
  tested: boolean;
}

/**
 * Returns the connection that an act would leave untested; null when the act is permitted.
 *
 * The act would lock users out when a tested connection was available before, and only untested ones are afterwards. An act
 * that leaves no connection at all is permitted: its effect is obvious.
 */
export function untestedLeft(before: readonly SignInWay[], after: readonly SignInWay[]): SignInWay | null {
  if (!before.some(({ tested }) => tested) || after.some(({ tested }) => tested)) return null;
  return after[0] ?? null;
}

export function waysOf(all: readonly SignInWay[], boundTo: string | null): SignInWay[] {
  return boundTo === null ? [...all] : all.filter(({ id }) => id === boundTo);
}

/** Would leave a connection as the only way to sign in before a sign-in through it succeeded. */
class UntestedConnection extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'untested_connection';
  constructor({ id, name }: Pick<SignInWay, 'id' | 'name'>) {
    super(
      `Users could then sign in through "${name}" (${id}) only, and no sign-in through it has succeeded with its present settings. Make a test sign-in first: POST /api/v1/connections/${id}/test-sign-in.`,
      { members: { id } },
    );
  }
}

/** Domains in the database, and the rule that no untested connection becomes the only way to sign in. */
@Injectable()
export class DomainsRepository {
  constructor(private readonly db: Database) {}

  /** @returns false when the tenant has the domain already */
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

  /** Returns the slug of its connection; null when it is bound to none, or to a deleted one. */
  async boundTo(tx: SqlRunner, tenantId: string, domain: string): Promise<string | null> {
    const { rows } = await tx.query<{ slug: string }>(
      `select c.slug from domains d join connections c on c.tenant_id = d.tenant_id and c.id = d.connection_id
       where d.tenant_id = $1 and d.domain = $2 and c.deleted_at is null`,
      [tenantId, domain],
    );
    return rows[0]?.slug ?? null;
  }

  /** A concurrent insert waits and is counted. */
  async count(tx: SqlRunner, tenantId: string): Promise<number> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<{ n: number }>(`select count(*)::int as n from domains where tenant_id = $1`, [
      tenantId,
    ]);
    return rows[0]!.n;
  }

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

  /** Makes the domain this tenant's; false when another tenant has it. A concurrent claim waits. */
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

  async findDue(tenantId: string, domain: string, now: Date): Promise<DomainRow | null> {
    const { rows } = await this.db.query<DomainRow>(
      `select ${COLUMNS} from domains where tenant_id = $1 and domain = $3 and ${isDueAt('$2')}`,
      [tenantId, now, domain],
    );
    return rows[0] ?? null;
  }

  /** @throws {UntestedConnection} when only untested connections would be left without `closing` */
  async demandAnother(tx: SqlRunner, tenantId: string, closing: string): Promise<void> {
    const all = await this.ways(tx, tenantId);
    const before = all.filter(({ enabled }) => enabled);
    refuse(
      untestedLeft(
        before,
        before.filter(({ id }) => id !== closing),
      ),
    );
  }

  /**
   * Checks an act that binds a domain to another connection.
   *
   * @throws {UntestedConnection} when the new connection is untested, and the users of the domain had a tested one
   */
  async demandTested(tx: SqlRunner, tenantId: string, from: string | null, to: string): Promise<void> {
    const all = await this.ways(tx, tenantId);
    // A disabled connection counts as well, by its test.
    const target = all.filter(({ id }) => id === to);
    const enabled = all.filter((way) => way.enabled);
    refuse(untestedLeft(waysOf(enabled, from), target));
  }

  /** A concurrent act waits and sees the effect of this one. */
  private async ways(tx: SqlRunner, tenantId: string): Promise<(SignInWay & { enabled: boolean })[]> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<SignInWay & { enabled: boolean }>(
      `select id, name, enabled, tested_at is not null as tested from connections
       where tenant_id = $1 and deleted_at is null order by id`,
      [tenantId],
    );
    return rows;
  }
}

function refuse(left: SignInWay | null): void {
  if (left !== null) throw new UntestedConnection(left);
}
