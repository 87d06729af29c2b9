import type { SqlRunner } from '../../base/database/database.js';
import type { Fragment } from '../../base/database/params.js';
import { WriteStatement, type Part } from '../../base/database/write-statement.js';
import type { NameId } from '../../protocols/saml/saml-settings.js';

/** How a subject of an IdP was linked to a user: by the immutable id, a name, the e-mail, or by creating the user. */
export type LinkKind = 'claim' | 'user_name' | 'email' | 'created';

/** The link between a subject of an IdP and a user. */
export interface Binding {
  subject: string;
  user_id: string;
  made_by: LinkKind;
  /** The value that matched. Of `created`: the subject, or empty while the binding is unproven (`isUnproven`). */
  made_of: string;
}

/** A stored binding; `removed`: it ended because its user was removed. */
export interface StoredBinding extends Binding {
  ended: boolean;
  removed: boolean;
}

/** What a new binding replaces: the former subject of its user, and the former user of its subject. */
export interface Replaced {
  subject: string | null;
  userId: string | null;
}

/** A binding as administrators see it. */
export interface BindingFacts {
  subject: string;
  made_by: LinkKind;
  made_of: string;
  created_at: Date;
  last_sign_in_at: Date;
  ended_at: Date | null;
  end_reason: string | null;
}

/** The columns of {@link BindingFacts}, of the binding `i`. */
export const BINDING_FACTS = `i.subject, i.made_by, i.made_of, i.created_at, i.last_sign_in_at, i.ended_at, i.end_reason`;

/** Why a session ended; stored with the session. */
export type EndReason =
  | 'deactivated'
  | 'deleted'
  | 'role_changed'
  | 'signed_out'
  | 'signed_in_again'
  | 'idp_logout'
  | 'binding_moved'
  | 'person_changed'
  | 'ended_by_admin'
  | 'too_many_sessions'
  | 'connection_changed'
  | 'connection_disabled'
  | 'connection_deleted';

export type ConnectionEndReason = Extract<EndReason, `connection_${string}`>;

/** Why a binding ended because of its connection; stored with the binding. */
export type BindingEndReason = 'connection_changed' | 'pairing_changed' | 'connection_deleted';

/** An ended session, with the facts that single logout needs. */
export interface EndedSession {
  id: string;
  user_id: string;
  connection_id: string | null;
  subject: string;
  idp_session: string | null;
  name_id: NameId | null;
  id_token_sealed: string | null;
}

/** Records ended sessions in the statement that ends them. The room of the events implements it. */
export abstract class SessionEvents {
  /**
   * Adds the events of ended sessions to a statement.
   *
   * @param ended the part that returns `id, user_id, end_reason` of each session
   * @param db the transaction of the statement, if there is one
   */
  abstract add(statement: WriteStatement, tenantId: string, ended: Part, db?: SqlRunner): Promise<void>;

  /** Runs an update that ends sessions, with their events; returns the sessions. */
  async end(db: SqlRunner, tenantId: string, update: Fragment): Promise<EndedSession[]> {
    const statement = new WriteStatement().subject(update);
    await this.add(statement, tenantId, { name: 'subject' }, db);
    return statement.run<EndedSession>(db);
  }
}
