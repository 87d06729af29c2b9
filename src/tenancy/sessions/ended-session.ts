import type { NameId } from '../../protocols/saml/saml-sign-in.js';

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
