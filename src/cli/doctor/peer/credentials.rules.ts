import { isRecord, jsonOf, type JsonRecord } from '../forms/answer.js';

/** A credential that an IdP has for a SCIM service. */
export type DirectoryCredential =
  | { kind: 'token'; token: string }
  | { kind: 'secret'; clientId: string; secret: string; tokenUrl?: string }
  | { kind: 'private_key_jwt'; clientId: string; key: string | JsonRecord; keyId?: string; tokenUrl?: string }
  | { kind: 'federated'; clientId: string; assertion: Assertion; tokenUrl?: string };

/** The assertion of an IdP: as the IdP has signed it, or what to sign with a key of the IdP. */
export type Assertion =
  { signed: string } | { key: string | JsonRecord; keyId?: string; issuer: string; subject: string; audience: string };

/** What can be given, for the help and for messages. */
export const CREDENTIAL_FORMS =
  'standard input: a SCIM token; client id and client secret on two lines; or JSON: {"token"}, {"client_id","client_secret"}, ' +
  '{"client_id","private_key"}, {"client_id","assertion"}, or with issuer, subject and audience beside the private_key (PEM or JWK) of ' +
  'an IdP; a list of these for several methods. credentials.json of npm start is such a JSON';

/**
 * Reads the credentials that were given by standard input.
 *
 * @returns one at least, or null where the text has none of the forms
 */
export function credentialsOf(text: string): DirectoryCredential[] | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^[[{]/.test(trimmed)) {
    const all = [jsonOf(trimmed)].flat().map(credentialOf);
    return all.length === 0 || all.includes(null) ? null : (all as DirectoryCredential[]);
  }
  const lines = trimmed.split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => line === '' || /\s/.test(line)) || lines.length > 2) return null;
  const [first, second] = lines as [string, string | undefined];
  return [second === undefined ? { kind: 'token', token: first } : { kind: 'secret', clientId: first, secret: second }];
}

function credentialOf(value: unknown): DirectoryCredential | null {
  if (!isRecord(value)) return null;
  const text = (name: string) => (typeof value[name] === 'string' && value[name] !== '' ? value[name] : undefined);
  const token = text('token') ?? text('scim_token');
  const clientId = text('client_id');
  if (clientId === undefined) return token === undefined ? null : { kind: 'token', token };
  const place = text('token_url') === undefined ? {} : { tokenUrl: text('token_url')! };
  const secret = text('client_secret');
  if (secret !== undefined) return { kind: 'secret', clientId, secret, ...place };
  const signed = text('assertion');
  if (signed !== undefined) return { kind: 'federated', clientId, assertion: { signed }, ...place };
  const key = isRecord(value['private_key']) ? value['private_key'] : text('private_key');
  if (key === undefined) return null;
  const named = text('key_id') === undefined ? {} : { keyId: text('key_id')! };
  const [issuer, subject, audience] = [text('issuer'), text('subject'), text('audience')];
  if (issuer === undefined && subject === undefined && audience === undefined) {
    return { kind: 'private_key_jwt', clientId, key, ...named, ...place };
  }
  if (issuer === undefined || subject === undefined || audience === undefined) return null;
  return { kind: 'federated', clientId, assertion: { key, ...named, issuer, subject, audience }, ...place };
}
