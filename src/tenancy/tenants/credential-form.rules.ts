import { parseToken } from '../../base/crypto/tokens.js';

/**
 * What is wrong with the form of a credential. The answer may have it: the form tells nothing about the credentials that
 * exist. `foreign`: no credential of this service.
 */
export type FormProblem = 'incomplete' | 'doubled_bearer' | 'no_bearer' | 'other_kind' | 'foreign';

/** A credential in a header: its kind, the tenant that it names, and what is wrong with its form. */
export interface CredentialForm {
  problem: FormProblem | null;
  /** Null: the header has nothing that looks like a credential of this service. */
  named: { kind: string; tenantId: string } | null;
}

/** The beginning of a credential, with `Bearer` before it or not: it names the kind and the tenant. */
const NAMED = /([Bb]earer )?(tb[ksoncrliaewgd])_([0-9a-z]{8,40})_[0-9A-Za-z]*/;
const MOST_READ = 300;

const WORDS: Record<FormProblem, string> = {
  incomplete:
    'The credential is incomplete or was changed: its length or its checksum is wrong. Copy it again as a whole.',
  doubled_bearer:
    'The header has the word Bearer twice. Enter the token alone: the program that sends it adds Bearer itself.',
  no_bearer: 'The header has no word Bearer before the credential: Authorization: Bearer <token>.',
  other_kind: 'The credential is of another kind. An API key begins with tbk_, a SCIM token with tbs_.',
  foreign: 'The credential is not one of this service. An API key begins with tbk_, a SCIM token with tbs_.',
};

/**
 * Reads the form of the credential in an `Authorization` header.
 *
 * @param kind the kind that the address takes: `tbk` for an API key, `tbs` for a SCIM token or an access token (`tba`)
 */
export function credentialForm(header: string, kind: 'tbk' | 'tbs'): CredentialForm {
  const text = header.slice(0, MOST_READ);
  const found = NAMED.exec(text);
  if (found === null) return { problem: 'foreign', named: null };
  const [token, bearer = '', ownKind, tenant] = found;
  const named = { kind: ownKind!, tenantId: `ten_${tenant!}` };
  const before = text.slice(0, found.index + token.length).toLowerCase();
  const isAccessToken = kind === 'tbs' && ownKind === 'tba';
  if (ownKind !== kind && !isAccessToken) return { problem: 'other_kind', named };
  if (before.includes('bearer bearer')) return { problem: 'doubled_bearer', named };
  if (bearer === '' && !/^bearer\s/i.test(text)) return { problem: 'no_bearer', named };
  return { problem: parseToken(text.slice(found.index + bearer.length)) === null ? 'incomplete' : null, named };
}

/** Says what is wrong with the form of a credential, and what to do. */
export function wordsOfForm(problem: FormProblem): string {
  return WORDS[problem];
}
