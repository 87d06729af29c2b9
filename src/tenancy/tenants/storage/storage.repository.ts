import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { StorageClass } from './counted-tables.js';
import { LOG_PART, type StorageState } from './storage.rules.js';

/** All sizes in bytes. */
export interface StorageRow {
  tenantId: string;
  limit: number | null;
  /** The limit of the tenant alone; null when that of the installation applies. */
  ownLimit: number | null;
  /** The last measurement and later writes. */
  used: number;
  /** Written since the beginning of the last measurement. */
  written: number;
  /** The log of requests: the last measurement and later writes; and the latter alone. */
  logUsed: number;
  logWritten: number;
  classes: Partial<Record<StorageClass, number>>;
  state: StorageState;
  measuredAt: Date | null;
}

interface Measured {
  bytes: number;
  classes: Partial<Record<StorageClass, number>>;
  written: number;
  logWritten: number;
  /** Seconds until the next measurement, and until the first one that follows from writes. */
  nextSeconds: number;
  restSeconds: number;
}

/** More exhausted tenants would be an outage of another kind. */
const MOST_EXHAUSTED = 100_000;
/** A tenant that has written this part of its limit since the last measurement is measured again. */
const GROWN_PART = 20;

/** SQL of the tenants whose measurement is due. */
export const DUE_STORAGE = `select tenant_id, '' collate "C" as id, due_at as since, null::text as server
  from tenant_storage where due_at <= now()`;

const rowOf = (defaultLimit: string): string => `s.tenant_id as "tenantId",
  coalesce(s.limit_bytes, ${defaultLimit}::bigint)::float8 as limit, s.limit_bytes::float8 as "ownLimit",
  (s.measured + s.written)::float8 as used, s.written::float8 as written,
  (coalesce((s.classes ->> 'request_log')::bigint, 0) + s.log_written)::float8 as "logUsed",
  s.log_written::float8 as "logWritten", s.classes, s.state,
  s.measured_at as "measuredAt"`;

@Injectable()
export class StorageRepository {
  private readonly defaultLimit: number | null;

  constructor(
    private readonly db: Database,
    config: Config,
  ) {
    this.defaultLimit = config.tenantStorageLimit;
  }

  /** Adds written bytes by tenant, and those of the log of requests; returns the rows. Unknown ids are left out. */
  async add(bytes: ReadonlyMap<string, number>, logged: ReadonlyMap<string, number>): Promise<StorageRow[]> {
    const ids = [...new Set([...bytes.keys(), ...logged.keys()])];
    const { rows } = await this.db.query<StorageRow>(
      `insert into tenant_storage as s (tenant_id, written, log_written)
       select t.id, w.bytes, w.logged from unnest($1::text[], $2::bigint[], $4::bigint[]) w(id, bytes, logged)
       join tenants t on t.id = w.id order by t.id
       on conflict (tenant_id) do update set written = s.written + excluded.written,
         log_written = s.log_written + excluded.log_written,
         due_at = case when greatest(s.written + excluded.written, (s.log_written + excluded.log_written) * ${LOG_PART})
             * ${GROWN_PART} >= coalesce(s.limit_bytes, $3::bigint)
           then least(s.due_at, greatest(now(), s.rest_until)) else s.due_at end
       returning ${rowOf('$3')}`,
      [ids, ids.map((id) => bytes.get(id) ?? 0), this.defaultLimit, ids.map((id) => logged.get(id) ?? 0)],
    );
    return rows;
  }

  async exhausted(): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `select tenant_id from tenant_storage where state <> 'ok' and state = 'exhausted' limit ${MOST_EXHAUSTED}`,
    );
    return rows.map(({ tenant_id: id }) => id);
  }

  async find(tenantId: string, db: SqlRunner = this.db): Promise<StorageRow | undefined> {
    const { rows } = await db.query<StorageRow>(`select ${rowOf('$2')} from tenant_storage s where s.tenant_id = $1`, [
      tenantId,
      this.defaultLimit,
    ]);
    return rows[0];
  }

  /** The same for an existing tenant, with its row locked. */
  async locked(tx: SqlRunner, tenantId: string): Promise<StorageRow> {
    await tx.query(`insert into tenant_storage (tenant_id) values ($1) on conflict do nothing`, [tenantId]);
    const { rows } = await tx.query<StorageRow>(
      `select ${rowOf('$2')} from tenant_storage s where s.tenant_id = $1 for update`,
      [tenantId, this.defaultLimit],
    );
    return rows[0]!;
  }

  /** `limit` null: that of the installation applies. */
  async setLimit(tx: SqlRunner, tenantId: string, limit: number | null): Promise<void> {
    await tx.query(`update tenant_storage set limit_bytes = $2 where tenant_id = $1`, [tenantId, limit]);
  }

  async setState(tx: SqlRunner, tenantId: string, state: StorageState): Promise<void> {
    await tx.query(`update tenant_storage set state = $2 where tenant_id = $1`, [tenantId, state]);
  }

  /** Returns the writes of a tenant so far; undefined when its measurement is not due. */
  async due(tenantId: string): Promise<Pick<StorageRow, 'written' | 'logWritten'> | undefined> {
    const { rows } = await this.db.query<Pick<StorageRow, 'written' | 'logWritten'>>(
      `select written::float8 as written, log_written::float8 as "logWritten" from tenant_storage
       where tenant_id = $1 and due_at <= now()`,
      [tenantId],
    );
    return rows[0];
  }

  /** Measures rows after the key `after`. `last` is the key of the last row; null when no rows follow. */
  async piece(
    tenantId: string,
    table: string,
    after: string[] | null,
    most: number,
  ): Promise<{ bytes: number; last: string[] | null }> {
    const { rows } = await this.db.query<{ bytes: number; last: string[] | null }>(
      `select bytes::float8 as bytes, last from measure_rows($1, $2, $3, $4)`,
      [tenantId, table, after, most],
    );
    return rows[0]!;
  }

  async measured(tx: SqlRunner, tenantId: string, found: Measured): Promise<void> {
    await tx.query(
      `update tenant_storage set measured = $2, written = greatest(written - $3, 0), log_written = greatest(log_written - $7, 0),
         classes = $4, measured_at = now(), due_at = now() + $5 * interval '1 second', rest_until = now() + $6 * interval '1 second'
       where tenant_id = $1`,
      [
        tenantId,
        Math.round(found.bytes),
        Math.round(found.written),
        JSON.stringify(found.classes),
        found.nextSeconds,
        found.restSeconds,
        Math.round(found.logWritten),
      ],
    );
  }
}
