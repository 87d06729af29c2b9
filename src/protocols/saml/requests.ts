import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { SAML, type Profile, type SamlConfig } from '@node-saml/passport-saml';
import { SENDING } from './library.js';
import type { SamlBinding, SamlSettings, SamlKeyPair, NameId } from './saml-settings.js';
import { signedAddress, signedXml } from './signing.js';

/** The next step of the browser: a redirect, or a form to post. */
export type BrowserStep =
  { kind: 'redirect'; url: string } | { kind: 'form'; action: string; fields: Record<string, string> };

/** Our side towards one IdP. */
export interface Sender {
  readonly acsUrl: string;
  readonly sloUrl: string;
  readonly key: SamlKeyPair;
}

/** What a sign-in asks of the IdP. */
export interface AuthnAsk {
  readonly requestId: string;
  readonly relayState: string;
  readonly forceAuthn: boolean;
  /** The user name or e-mail that the person typed, for IdPs that read it (Entra, Okta); null: none. */
  readonly loginHint: string | null;
}

type FormFields = Record<string, string>;

/** The name in OpenID Connect; Entra and Okta read it in SAML requests, too. */
const HINT = 'login_hint';
/** The permitted form of our request ids, a subset of xs:ID that needs no escaping. */
const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;

/** Makes an AuthnRequest (SAML Core §3.4.1, Profiles §4.1.4.1), signed where the connection says so. */
export async function authnRequest(connection: SamlSettings, ask: AuthnAsk, sender: Sender): Promise<BrowserStep> {
  if (!ID.test(ask.requestId)) throw new TypeError('The id of a SAML request has to be an xs:ID.');
  const saml = new SAML({
    ...common(connection, sender, connection.ssoBinding),
    skipRequestCompression: true,
    entryPoint: connection.ssoUrl,
    generateUniqueId: () => ask.requestId,
    identifierFormat: connection.nameIdFormat,
    forceAuthn: ask.forceAuthn,
    authnContext: [...connection.authnContexts],
    disableRequestedAuthnContext: connection.authnContexts.length === 0,
  });
  const key = connection.signRequests ? sender.key.privateKey : null;
  const { SAMLRequest: unsigned, ...others } = (await saml.getAuthorizeMessageAsync(ask.relayState)) as FormFields;
  const bytes = Buffer.from(unsigned!, 'base64');
  if (connection.ssoBinding === 'redirect') {
    const address = withFields(connection.ssoUrl, { SAMLRequest: deflated(bytes), ...others });
    const url = key === null ? address : await signedAddress(address, key);
    return { kind: 'redirect', url: withHint(url, ask.loginHint) };
  }
  const xml = bytes.toString('utf8');
  const message = key === null ? xml : await signedXml(xml, 'AuthnRequest', key);
  const hint: FormFields = ask.loginHint === null ? {} : { [HINT]: ask.loginHint };
  return {
    kind: 'form',
    action: connection.ssoUrl,
    fields: { SAMLRequest: Buffer.from(message, 'utf8').toString('base64'), ...others, ...hint },
  };
}

/** In the event loop, where a message of 600 octets takes a tenth of what the way to a thread and back costs. */
function deflated(message: Buffer): string {
  return deflateRawSync(message).toString('base64');
}

function withFields(address: string, fields: FormFields): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Adds the login hint as a parameter beside the signed ones (SAML Bindings §3.4.4.1 permits others). A Subject in the
 * request would make the IdP refuse every other user (SAML Core §3.4.1.4), also after a typing error.
 */
function withHint(address: string, hint: string | null): string {
  if (hint === null) return address;
  const url = new URL(address);
  if (url.searchParams.has(HINT)) return address;
  // `searchParams` would encode the signed octets again.
  url.search += `&${HINT}=${encodeURIComponent(hint)}`;
  return url.href;
}

/**
 * Makes a signed LogoutRequest for one session at the IdP (SAML Core §3.7.1).
 *
 * @returns the step and the id of the request
 */
export async function logoutRequest(
  connection: SamlSettings,
  session: { nameId: NameId; sessionIndex: string | null },
  relayState: string,
  sender: Sender,
): Promise<BrowserStep & { id: string }> {
  const id = newId();
  const { saml, url } = forLogout(connection, sender, id);
  const person = {
    nameID: session.nameId.value,
    nameIDFormat: session.nameId.format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    nameQualifier: session.nameId.nameQualifier ?? undefined,
    spNameQualifier: session.nameId.spNameQualifier ?? undefined,
    sessionIndex: session.sessionIndex ?? undefined,
  } as Profile;
  if (connection.sloBinding === 'redirect') {
    const address = await saml.getLogoutUrlAsync(person, relayState, {});
    return { kind: 'redirect', url: await signedAddress(address, sender.key.privateKey), id };
  }
  const xml = await saml._generateLogoutRequest(person);
  return { ...(await postForm(url, 'SAMLRequest', 'LogoutRequest', xml, relayState, sender)), id };
}

/** Makes a signed response to an IdP's LogoutRequest (SAML Core §3.7.2). */
export async function logoutResponse(
  connection: SamlSettings,
  answer: { inResponseTo: string; success: boolean; relayState: string | null },
  sender: Sender,
): Promise<BrowserStep> {
  const { saml, url } = forLogout(connection, sender, newId(), connection.sloResponseUrl);
  const request = { ID: answer.inResponseTo } as unknown as Profile;
  const relayState = answer.relayState ?? '';
  if (connection.sloBinding === 'redirect') {
    const address = await saml.getLogoutResponseUrlAsync(request, relayState, {}, answer.success);
    return { kind: 'redirect', url: await signedAddress(address, sender.key.privateKey) };
  }
  const xml = saml._generateLogoutResponse(request, answer.success);
  return postForm(url, 'SAMLResponse', 'LogoutResponse', xml, relayState, sender);
}

function forLogout(
  connection: SamlSettings,
  sender: Sender,
  id: string,
  other: string | null = null,
): { saml: SAML; url: string } {
  const url = other ?? connection.sloUrl;
  if (url === null) throw new TypeError('This IdP offers no single logout.');
  const saml = new SAML({
    ...common(connection, sender, connection.sloBinding),
    entryPoint: url,
    logoutUrl: url,
    generateUniqueId: () => id,
    identifierFormat: null,
    forceAuthn: false,
    authnContext: [],
    disableRequestedAuthnContext: true,
  });
  return { saml, url };
}

function common(connection: SamlSettings, sender: Sender, binding: SamlBinding): SamlConfig {
  return {
    ...SENDING,
    callbackUrl: sender.acsUrl,
    logoutCallbackUrl: sender.sloUrl,
    issuer: connection.spEntityId,
    audience: connection.spEntityId,
    idpIssuer: connection.idpEntityId,
    idpCert: [...connection.certificates],
    // Only a URL carries the message deflated (SAML Bindings §3.4.4.1, §3.5.4).
    skipRequestCompression: binding === 'post',
    authnRequestBinding: binding === 'post' ? 'HTTP-POST' : 'HTTP-Redirect',
  };
}

async function postForm(
  action: string,
  field: 'SAMLRequest' | 'SAMLResponse',
  name: 'LogoutRequest' | 'LogoutResponse',
  xml: string,
  relayState: string,
  sender: Sender,
): Promise<Extract<BrowserStep, { kind: 'form' }>> {
  const signed = await signedXml(xml, name, sender.key.privateKey);
  return {
    kind: 'form',
    action,
    fields: {
      [field]: Buffer.from(signed, 'utf8').toString('base64'),
      ...(relayState === '' ? {} : { RelayState: relayState }),
    },
  };
}

function newId(): string {
  return `_${randomBytes(16).toString('hex')}`;
}
