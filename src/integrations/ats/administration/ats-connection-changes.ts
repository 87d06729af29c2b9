import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { atsAuditView } from '../connections/ats-connection.mapping.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionStore, type AtsConnectionRow } from '../connections/ats-connections.store.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';

/** Runs changes of connections under their locks, each with a line in the audit log. */
@Injectable()
export class AtsConnectionChanges {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly store: AtsConnectionStore,
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns a connection that is not disconnected.
   *
   * @throws {NotFound} when the tenant has no such connection
   * @throws {WrongAtsState} when it is disconnected
   */
  async connected(tenantId: string, id: string): Promise<AtsConnection> {
    const connection = await this.store.fresh(tenantId, id);
    if (connection === undefined) throw new NotFound('ATS connection');
    if (connection.state === 'disconnected') {
      throw new WrongAtsState('The connection is disconnected. Connect it again in a browser, or make another one.');
    }
    return connection;
  }

  /** Runs a change of the connections of a tenant; afterwards no process goes by the former ones. */
  async run(tenantId: string, work: (tx: SqlRunner) => Promise<void>): Promise<void> {
    await this.db.transaction(tenantId, work);
    await this.store.forget(tenantId);
  }

  /** Runs a write that makes something to be shown once, and returns it: the same for a repeated Idempotency-Key. */
  async make<T>(by: Repeatable, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const made = await once(this.db, by, work);
    await this.store.forget(by.tenantId);
    return made;
  }

  /** Runs a change of one connection under its lock, with a line in the audit log. */
  async change(
    caller: AuditBy,
    id: string,
    action: string,
    work: (tx: SqlRunner, before: AtsConnectionRow) => Promise<AtsConnectionRow>,
  ): Promise<void> {
    await this.run(caller.tenantId, (tx) => this.changeIn(tx, caller, id, action, work));
  }

  /** The same inside a transaction of the caller's. */
  async changeIn(
    tx: SqlRunner,
    caller: AuditBy,
    id: string,
    action: string,
    work: (tx: SqlRunner, before: AtsConnectionRow) => Promise<AtsConnectionRow>,
  ): Promise<void> {
    const before = await this.repository.row(caller.tenantId, id, { db: tx, lock: true });
    if (before === undefined) throw new NotFound('ATS connection');
    const after = await work(tx, before);
    const states = after === before ? {} : { before: atsAuditView(before), after: atsAuditView(after) };
    await this.note(tx, caller, action, id, states);
  }

  /** Writes a line of the audit log about a connection. */
  note(
    tx: SqlRunner,
    { tenantId, actor, requestId }: AuditBy,
    action: string,
    targetId: string,
    states: { before?: object; after?: object },
  ): Promise<void> {
    const target = { targetType: 'ats_connection', targetId };
    return this.audit.record(tx, { tenantId, actor, requestId, action, ...target, ...states });
  }
}
