import type { SqlRunner } from '../../base/database/database.js';
import type { Fragment } from '../../base/database/params.js';
import { WriteStatement, type Part } from '../../base/database/write-statement.js';
import type { EndedSession } from './ended-session.js';

/** Tells that sessions have ended, in the statement that ends them. The room of the events implements it. */
export abstract class SessionEvents {
  /**
   * Adds the events of ended sessions to a statement.
   *
   * @param ended the part that returns `id, user_id, end_reason` of each session
   * @param db where the statement will run, if that is a transaction
   */
  abstract add(statement: WriteStatement, tenantId: string, ended: Part, db?: SqlRunner): Promise<void>;

  /** Runs an update that ends sessions, with their events; returns the sessions. */
  async end(db: SqlRunner, tenantId: string, update: Fragment): Promise<EndedSession[]> {
    const statement = new WriteStatement().subject(update);
    await this.add(statement, tenantId, { name: 'subject' }, db);
    return statement.run<EndedSession>(db);
  }
}
