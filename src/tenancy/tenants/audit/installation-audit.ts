import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { PageRequest } from '../../../base/http/page.js';
import type { Actor } from '../../identity/source.js';

/** An act of the operator that concerns no tenant. */
export interface InstallationAct {
  actor: Actor;
  requestId: string | null;
  /** `<what>.<done>`: `signing_key.rotated`. */
  action: string;
  targetType: string;
  targetId: string;
  /** What came of it, without secrets. */
  after?: unknown;
}

/** A line of the installation's audit log. */
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

  /** Adds a line. `db` is the transaction of the act, where the act has one. */
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

  /** A page, newest first: one row more than asked for says that there is another. */
  async list({ after, limit }: Pick<PageRequest, 'after' | 'limit'>): Promise<InstallationAuditRow[]> {
    const { rows } = await this.db.query<InstallationAuditRow>(
      `select entry_id, at, actor, action, target_type, target_id, after, request_id from installation_audit
       where $1::bigint is null or entry_id < $1 order by entry_id desc limit $2`,
      [after, limit + 1],
    );
    return rows;
  }
}
