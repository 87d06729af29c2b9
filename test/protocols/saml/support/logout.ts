import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-settings.js';
import { SP } from './idp.js';
import { RSA_SHA256, signElement } from './sign.js';

export interface LogoutParts {
  id?: string;
  issuer?: string;
  destination?: string | null;
  issueInstant?: string;
  notOnOrAfter?: string;
  version?: string;
  nameIdXml?: string;
  sessionIndexes?: string[];
  status?: string;
}

const IDP = 'https://idp.example.com/saml';

/** An IdP's LogoutRequest or LogoutResponse, unsigned. */
export function logoutXml(kind: 'LogoutRequest' | 'LogoutResponse', parts: LogoutParts = {}): string {
  const destination = parts.destination === undefined ? SP.slo : parts.destination;
  const head =
    `<samlp:${kind} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="${parts.id ?? '_logout-1'}" Version="${parts.version ?? '2.0'}"` +
    ` IssueInstant="${parts.issueInstant ?? new Date().toISOString()}"` +
    `${destination === null ? '' : ` Destination="${destination}"`}` +
    `${parts.notOnOrAfter ? ` NotOnOrAfter="${parts.notOnOrAfter}"` : ''}`;
  const issuer = `<saml:Issuer>${parts.issuer ?? IDP}</saml:Issuer>`;
  if (kind === 'LogoutResponse') {
    const status = parts.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success';
    return (
      `${head} InResponseTo="_ours-1">${issuer}<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>` +
      `</samlp:${kind}>`
    );
  }
  const indexes = (parts.sessionIndexes ?? ['session-1']).map(
    (one) => `<samlp:SessionIndex>${one}</samlp:SessionIndex>`,
  );
  return `${head}>${issuer}${parts.nameIdXml ?? '<saml:NameID>ada-1815</saml:NameID>'}${indexes.join('')}</samlp:${kind}>`;
}

/** The form of the POST binding. */
export function logoutForm(
  kind: 'LogoutRequest' | 'LogoutResponse',
  key: SamlKeyPair | null,
  parts: LogoutParts = {},
): Map<string, string> {
  const xml = logoutXml(kind, parts);
  const message = key === null ? xml : signElement(xml, kind, key);
  const field = kind === 'LogoutRequest' ? 'SAMLRequest' : 'SAMLResponse';
  return new Map([[field, Buffer.from(message).toString('base64')], ['RelayState', 'state-1']]); // prettier-ignore
}

/** The query of the redirect binding, signed as an IdP does (Bindings §3.4.4.1). */
export function logoutQuery(
  kind: 'LogoutRequest' | 'LogoutResponse',
  key: SamlKeyPair | null,
  parts: LogoutParts = {},
  algorithm = RSA_SHA256,
): string {
  const field = kind === 'LogoutRequest' ? 'SAMLRequest' : 'SAMLResponse';
  const message = deflateRawSync(Buffer.from(logoutXml(kind, parts))).toString('base64');
  const signed = `${field}=${encodeURIComponent(message)}&RelayState=state%2d1&SigAlg=${encodeURIComponent(algorithm)}`;
  if (key === null) return signed.replace(/&SigAlg=.*/, '');
  const hash = algorithm.endsWith('sha1') ? 'sha1' : 'sha256';
  const signature = createSign(hash).update(signed).sign(key.privateKey, 'base64');
  return `${signed}&Signature=${encodeURIComponent(signature)}`;
}
