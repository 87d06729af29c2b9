import type { ConnectionHead, Typed } from './connection.settings.js';

type Paired = Typed<Pick<ConnectionHead, 'directory_id'>>;

/**
 * Returns why a change of a connection ends its bindings; null: it does not. Another IdP's subjects are other people. A
 * newly paired directory decides who its subjects are: a binding made by e-mail, or by the former directory, could open
 * the account of a user whom it does not know. Without a directory no other source decides, so bindings stay.
 */
export function bindingEnd(before: Paired, after: Paired): 'connection_changed' | 'pairing_changed' | null {
  if (idpOf(before) !== idpOf(after)) return 'connection_changed';
  return after.directory_id !== null && after.directory_id !== before.directory_id ? 'pairing_changed' : null;
}

/** The IdP and the attribute that names its subjects. */
function idpOf({ type, settings }: Paired): string {
  if (type === 'oidc') return settings.issuer;
  return JSON.stringify([settings.idp_entity_id, settings.subject_claim ?? null]);
}
