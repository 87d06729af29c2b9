import type { NameId } from '../../protocols/saml/saml-sign-in.js';

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

/** Why a session ended because of its connection. */
export type ConnectionEndReason = Extract<EndReason, `connection_${string}`>;

/** Why a binding ended because of its connection; stored with the binding. */
export type BindingEndReason = 'connection_changed' | 'pairing_changed' | 'connection_deleted';

/** An ended session, with what single logout needs. */
export interface EndedSession {
  id: string;
  user_id: string;
  connection_id: string | null;
  subject: string;
  idp_session: string | null;
  name_id: NameId | null;
  id_token_sealed: string | null;
}
