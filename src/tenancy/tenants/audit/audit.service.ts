import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { PageRequest } from '../../../base/http/page.js';
import type { Repeatable } from '../../idempotency/idempotency-keys.js';
import type { Actor } from '../../identity/person.js';

/** A line of the audit log about an administrative write. */
export interface AuditLine {
  tenantId: string;
  actor: Actor;
  /** `<what>.<done>`: `api_key.created`, `directory.changed`. */
  action: string;
  targetType: string;
  targetId: string;
  /** The record before and after, without secrets. Of large records only the changes. */
  before?: unknown;
  after?: unknown;
  requestId: string | null;
  reason?: string;
}

/** Who changes the administration of which tenant, in which request. */
export type AuditBy = Pick<AuditLine, 'tenantId' | 'actor' | 'requestId' | 'reason'> & Repeatable;

/** Writes the audit log: one line for each administrative write, in the same transaction, never changed afterwards. */
@Injectable()
export class AuditService {
  async record(db: SqlRunner, line: AuditLine): Promise<void> {
    await db.query(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        line.tenantId,
        JSON.stringify(line.actor),
        line.action,
        line.targetType,
        line.targetId,
        line.before === undefined ? null : JSON.stringify(line.before),
        jsonAfter(line),
        line.requestId,
      ],
    );
  }

  async recordEach(tx: SqlRunner, line: Omit<AuditLine, 'targetId'>, targetIds: readonly string[]): Promise<void> {
    await tx.query(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
       select $1, $2, $3, $4, t.id, $6, $7, $8 from unnest($5::text[]) as t(id)`,
      [
        line.tenantId,
        JSON.stringify(line.actor),
        line.action,
        line.targetType,
        targetIds,
        JSON.stringify(line.before ?? null),
        jsonAfter(line),
        line.requestId,
      ],
    );
  }

  addTo(statement: WriteStatement, line: AuditLine): void {
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    statement.add(
      (p) => `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
        select ${p.add(line.tenantId)}, ${p.add(json(line.actor), 'jsonb')}, ${p.add(line.action)}, ${p.add(line.targetType)},
          ${p.add(line.targetId)}, ${p.add(json(line.before), 'jsonb')}, ${p.add(jsonAfter(line), 'jsonb')},
          ${p.add(line.requestId, 'text')} from subject`,
    );
  }
}

/** Returns the record after a write as JSON, with the reason of the operator; null without both. */
function jsonAfter({ after, reason }: Pick<AuditLine, 'after' | 'reason'>): string | null {
  if (reason !== undefined) return JSON.stringify({ ...(after as object | null | undefined), reason });
  return after === undefined ? null : JSON.stringify(after);
}

/** An act of the operator that concerns no tenant. */
export interface InstallationAct {
  actor: Actor;
  requestId: string | null;
  /** `<what>.<done>`: `signing_key.rotated`. */
  action: string;
  targetType: string;
  targetId: string;
  after?: unknown;
}

export interface InstallationAuditRow {
  entry_id: string;
  at: Date;
  actor: Actor;
  action: string;
  target_type: string;
  target_id: string;
  after: unknown;
  request_id: string | null;
}

/** The audit log of the installation: one line for each act of the operator that concerns no tenant. */
@Injectable()
export class InstallationAudit {
  constructor(private readonly db: Database) {}

  async record(act: InstallationAct, db: SqlRunner = this.db): Promise<void> {
    await db.query(
      `insert into installation_audit (actor, action, target_type, target_id, after, request_id)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        JSON.stringify(act.actor),
        act.action,
        act.targetType,
        act.targetId,
        act.after === undefined ? null : JSON.stringify(act.after),
        act.requestId,
      ],
    );
  }

  /** Returns a page, newest first, with one row more than asked for where the list continues. */
  async list({ after, limit }: Pick<PageRequest, 'after' | 'limit'>): Promise<InstallationAuditRow[]> {
    const { rows } = await this.db.query<InstallationAuditRow>(
      `select entry_id, at, actor, action, target_type, target_id, after, request_id from installation_audit
       where $1::bigint is null or entry_id < $1 order by entry_id desc limit $2`,
      [after, limit + 1],
    );
    return rows;
  }
}

const ACTOR = JSON.stringify({ kind: 'system', id: 'system', name: 'migrate' });

/** Adds a line about at least one migration. `owner` is a connection of the owner of the tables. */
export async function recordMigrations(
  owner: { query(text: string, values: unknown[]): Promise<unknown> },
  names: readonly string[],
): Promise<void> {
  await owner.query(
    `insert into installation_audit (actor, action, target_type, target_id, after)
     values ($1, 'schema.migrated', 'schema', $2, $3)`,
    [ACTOR, names.at(-1), JSON.stringify({ migrations: names })],
  );
}
