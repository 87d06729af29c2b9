import { urlOf } from '../../base/url.js';
import { OidcRefused } from './oidc-refused.js';
import { shorten, type IdpObject } from './json.rules.js';

/** The metadata of an IdP that is used (OIDC Discovery §3, RFC 8414 §2, RFC 9207 §3). */
export interface OidcServer {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userInfoEndpoint: string | null;
  readonly endSessionEndpoint: string | null;
  /** null: the IdP announces none. */
  readonly idTokenAlgs: readonly string[] | null;
  readonly tokenAuthMethods: readonly string[] | null;
  /** Whether each callback carries `iss` (RFC 9207). */
  readonly promisesIss: boolean;
  readonly logout: IdpLogout;
}

/** The kinds of logout that the IdP begins, as announced (OIDC Back-Channel and Front-Channel Logout 1.0 §2.1, §3). */
interface IdpLogout {
  readonly backChannel: boolean;
  readonly frontChannel: boolean;
  /** Whether its front-channel logout names the session (`iss`, `sid`). Without them no session can be found. */
  readonly frontChannelSession: boolean;
}

const DISCOVERY = '/.well-known/openid-configuration';

/** Why an issuer is stored in another form than it was given. */
export const CUT_ISSUER = `The address of the metadata was given as issuer; the issuer is the part before ${DISCOVERY}.`;

/** Returns the issuer of a text: an address of metadata that was pasted in its place is cut to what is before. */
export function issuerOf(text: string): string {
  const address = text.replace(/\/$/, '');
  return address.endsWith(DISCOVERY) ? address.slice(0, -DISCOVERY.length) : text;
}

/** Returns the address of an issuer's metadata (OIDC Discovery §4). A slash at the end of the issuer is not doubled. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}${DISCOVERY}`;
}

/**
 * Reads a discovery document.
 *
 * @param issuer the configured issuer
 * @param allowHttp permits http, for development and tests
 * @param problemOfCalled returns why the service must not call an address; null: it may
 * @throws {OidcRefused} `issuer_mismatch` when the document names another issuer, even by a slash (OIDC Discovery §4.3)
 * @throws {OidcRefused} `idp_answer_invalid` when an endpoint is missing or is not an address
 */
export function readDiscoveryDocument(
  document: IdpObject,
  issuer: string,
  allowHttp: boolean,
  problemOfCalled: (address: string) => string | null,
): OidcServer {
  if (document['issuer'] !== issuer) {
    const found = typeof document['issuer'] === 'string' ? shorten(document['issuer'], 200) : 'no issuer';
    // Entra's addresses for many tenants name a template.
    const hint = /\{\w+\}/.test(found)
      ? 'It is for many tenants: the issuer of the connection has to name one of them.'
      : 'They have to be equal letter by letter.';
    throw new OidcRefused(
      'issuer_mismatch',
      `The discovery document is of ${found}, configured is ${shorten(issuer, 200)}. ${hint}`,
    );
  }
  const optional = (name: string): string | null => {
    const value = document[name];
    if (value === undefined || value === null || value === '') return null;
    const problem = problemOfAddress(value, allowHttp);
    if (problem !== null) throw invalid(`${name} ${problem}`);
    return value as string;
  };
  const required = (name: string): string => {
    const value = optional(name);
    if (value === null) throw invalid(`${name} is missing`);
    return value;
  };
  const called = (name: string, address: string | null): string | null => {
    const problem = address === null ? null : problemOfCalled(address);
    if (problem !== null) throw invalid(`${name} ${problem}`);
    return address;
  };
  return {
    issuer,
    authorizationEndpoint: required('authorization_endpoint'),
    tokenEndpoint: called('token_endpoint', required('token_endpoint'))!,
    jwksUri: called('jwks_uri', required('jwks_uri'))!,
    userInfoEndpoint: called('userinfo_endpoint', optional('userinfo_endpoint')),
    endSessionEndpoint: optional('end_session_endpoint'),
    idTokenAlgs: words(document['id_token_signing_alg_values_supported']),
    tokenAuthMethods: words(document['token_endpoint_auth_methods_supported']),
    promisesIss: document['authorization_response_iss_parameter_supported'] === true,
    logout: {
      backChannel: document['backchannel_logout_supported'] === true,
      frontChannel: document['frontchannel_logout_supported'] === true,
      frontChannelSession: document['frontchannel_logout_session_supported'] === true,
    },
  };
}

// Browsers go to some of these addresses, so the scheme counts: no `javascript:`.
function problemOfAddress(value: unknown, allowHttp: boolean): string | null {
  const url = typeof value === 'string' ? urlOf(value) : null;
  if (url === null) return 'is not a complete address';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'does not begin with https://';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  return url.hash === '' ? null : 'contains a fragment';
}

function words(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((one): one is string => typeof one === 'string').slice(0, 100);
}

function invalid(problem: string): OidcRefused {
  return new OidcRefused('idp_answer_invalid', `The discovery document cannot be used: ${problem}.`);
}
