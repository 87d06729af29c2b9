/** Why a session ended; stored with the session. */
export type SessionEnd =
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
export type ConnectionEnd = Extract<SessionEnd, `connection_${string}`>;

/** Why a binding ended because of its connection; stored with the binding. */
export type BindingEnd = 'connection_changed' | 'pairing_changed' | 'connection_deleted';
