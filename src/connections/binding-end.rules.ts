import type { ConnectionHead, Typed } from './connection.settings.js';

type Paired = Typed<Pick<ConnectionHead, 'directory_id'>>;

/**
 * Why a change of a connection ends what binds subjects to people, or null. In: the connection before and afterwards.
 * Another IdP's subjects are other people. With another directory, who a subject is has to be found by that directory's
 * people: a binding that was made by e-mail, or by the directory before, would go on opening the accounts of people whom
 * the new one does not know. Without a directory nobody else says who people are, so what is known is kept.
 */
export function bindingEnd(before: Paired, after: Paired): 'connection_changed' | 'pairing_changed' | null {
  if (idpOf(before) !== idpOf(after)) return 'connection_changed';
  return after.directory_id !== null && after.directory_id !== before.directory_id ? 'pairing_changed' : null;
}

/** Who says who people are, and by what: the names of one attribute are not those of another one. */
function idpOf({ type, settings }: Paired): string {
  if (type === 'oidc') return settings.issuer;
  return JSON.stringify([settings.idp_entity_id, settings.subject_claim ?? null]);
}
