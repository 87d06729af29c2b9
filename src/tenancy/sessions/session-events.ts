import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { Fragment } from '../../base/database/params.js';
import { WriteStatement, type Part } from '../../base/database/write-statement.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import type { EndedSession } from './ended-session.js';

/** The data of an event, from ids and a word of ours, which need no escapes in JSON. */
const DATA = `'{"session_id":"' || r.id || '","user_id":"' || r.user_id || '","reason":"' || r.end_reason || '"}'`;

/** Tells that sessions have ended, in the statement that ends them. */
@Injectable()
export class SessionEvents {
  constructor(private readonly recorder: EventRecorder) {}

  /**
   * Adds the events of ended sessions to a statement.
   *
   * @param ended the part that returns `id, user_id, end_reason` of each session
   * @param db where the statement will run, if that is a transaction
   */
  async add(statement: WriteStatement, tenantId: string, ended: Part, db?: SqlRunner): Promise<void> {
    await this.recorder.addAbout(statement, tenantId, { event: 'session.ended', rows: ended, data: DATA }, db);
  }

  /** Runs an update that ends sessions, with their events; returns the sessions. */
  async end(db: SqlRunner, tenantId: string, update: Fragment): Promise<EndedSession[]> {
    const statement = new WriteStatement().subject(update);
    await this.add(statement, tenantId, { name: 'subject' }, db);
    return statement.run<EndedSession>(db);
  }
}
