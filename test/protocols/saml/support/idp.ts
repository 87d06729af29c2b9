import type { SamlConnection } from '../../../../src/auth/connections/connection.js';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-settings.js';
import { encryptElement, type EncryptOptions } from './encrypt.js';
import { newKey } from './keys.js';
import { signElement, type SignOptions } from './sign.js';

/** The service provider that the answers are made for, unless a test says otherwise. */
export const SP = {
  appUrl: 'http://127.0.0.1:3000',
  entityId: 'http://127.0.0.1:3000/api/auth/metadata/acme',
  acs: 'http://127.0.0.1:3000/api/auth/callback/acme',
  slo: 'http://127.0.0.1:3000/api/auth/slo/acme',
  request: '_request-1',
} as const;

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** What an answer says. Texts are put into the XML as they are, so that a test can put anything there; null: left out. */
export interface AnswerParts {
  now?: Date;
  issuer?: string | null;
  responseIssuer?: string | null;
  audience?: string | null;
  recipient?: string | null;
  destination?: string | null;
  /** In both places; the others win over it. */
  inResponseTo?: string | null;
  responseInResponseTo?: string | null;
  subjectInResponseTo?: string | null;
  status?: string;
  /** The words of the IdP beside the status. */
  statusMessage?: string;
  version?: string;
  assertionVersion?: string;
  nameId?: string;
  nameIdXml?: string;
  nameIdFormat?: string;
  method?: string;
  issueInstant?: string;
  conditionsXml?: string;
  notBefore?: string;
  notOnOrAfter?: string;
  confirmationXml?: string;
  confirmationNotOnOrAfter?: string | null;
  confirmationNotBefore?: string;
  authnXml?: string;
  sessionNotOnOrAfter?: string;
  authnContext?: string;
  attributesXml?: string;
  assertionId?: string;
  responseId?: string;
  /** Placed in the Response after its Issuer. */
  extensionsXml?: string;
  /** Replaces the assertion. */
  assertionXml?: string;
}

export interface AnswerShape {
  sign?: 'assertion' | 'response' | 'both' | 'neither';
  key?: SamlKeyPair;
  signing?: SignOptions;
  encryptTo?: SamlKeyPair;
  encryption?: EncryptOptions;
}

/** An IdP whose answers a test sets, with real keys. */
export async function samlIdp(entityId = 'https://idp.example.com/saml') {
  const key = await newKey('idp');
  return {
    entityId,
    key,
    connection: (changes: Partial<SamlConnection> = {}) => connection(entityId, key, changes),
    assertion: (parts: AnswerParts = {}) => assertionXml(entityId, parts),
    /** The XML of an answer. */
    answer: (parts: AnswerParts = {}, shape: AnswerShape = {}) => answerXml(entityId, key, parts, shape),
    /** The same as the form that a browser posts. */
    form: (parts: AnswerParts = {}, shape: AnswerShape = {}) => formOf(answerXml(entityId, key, parts, shape)),
  };
}

export type SamlIdp = Awaited<ReturnType<typeof samlIdp>>;

/** A posted form around some XML. */
export function formOf(xml: string | Buffer, relayState: string | null = null): Map<string, string> {
  const form = new Map([['SAMLResponse', Buffer.from(xml as string).toString('base64')]]);
  if (relayState !== null) form.set('RelayState', relayState);
  return form;
}

function connection(entityId: string, key: SamlKeyPair, changes: Partial<SamlConnection>): SamlConnection {
  return {
    type: 'saml',
    tenantId: 'tnt_1',
    id: 'con_1',
    slug: 'acme',
    name: 'Acme',
    enabled: true,
    version: 1,
    directoryId: null,
    linkClaim: null,
    claimMap: {},
    emailTrust: 'domain',
    roleMap: [],
    jit: false,
    defaultRole: 'viewer',
    testedAt: null,
    returnOrigins: [],
    idpEntityId: entityId,
    ssoUrl: 'https://idp.example.com/sso',
    ssoBinding: 'redirect',
    sloUrl: 'https://idp.example.com/slo',
    sloBinding: 'redirect',
    sloResponseUrl: null,
    certificates: [key.certificate],
    signed: 'assertion',
    signRequests: true,
    allowIdpInitiated: false,
    nameIdFormat: null,
    subjectClaim: null,
    spEntityId: SP.entityId,
    clockSkewSeconds: 60,
    authnContexts: [],
    ...changes,
  };
}

function answerXml(entityId: string, idpKey: SamlKeyPair, parts: AnswerParts, shape: AnswerShape): string {
  const { sign = 'assertion', key = idpKey } = shape;
  let inner = parts.assertionXml ?? assertionXml(entityId, parts);
  if (sign === 'assertion' || sign === 'both') inner = signElement(inner, 'Assertion', key, shape.signing);
  if (shape.encryptTo) inner = encryptElement(inner, shape.encryptTo, shape.encryption);
  const outer = responseXml(entityId, parts, inner);
  return sign === 'response' || sign === 'both' ? signElement(outer, 'Response', key, shape.signing) : outer;
}

function responseXml(entityId: string, parts: AnswerParts, inner: string): string {
  const answered = parts.responseInResponseTo === undefined ? inResponseTo(parts) : parts.responseInResponseTo;
  const issuer = parts.responseIssuer === undefined ? entityId : parts.responseIssuer;
  const destination = parts.destination === undefined ? SP.acs : parts.destination;
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="${parts.responseId ?? '_response-1'}" Version="${parts.version ?? '2.0'}" IssueInstant="${instant(parts, 0)}"` +
    `${attribute('Destination', destination)}${attribute('InResponseTo', answered)}>` +
    `${issuer === null ? '' : `<saml:Issuer>${issuer}</saml:Issuer>`}${parts.extensionsXml ?? ''}` +
    `<samlp:Status><samlp:StatusCode Value="${parts.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success'}"/>` +
    `${parts.statusMessage === undefined ? '' : `<samlp:StatusMessage>${parts.statusMessage}</samlp:StatusMessage>`}</samlp:Status>` +
    `${inner}</samlp:Response>`
  );
}

function assertionXml(entityId: string, parts: AnswerParts): string {
  const issuer = parts.issuer === undefined ? entityId : parts.issuer;
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="http://www.w3.org/2001/XMLSchema"` +
    ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ID="${parts.assertionId ?? '_assertion-1'}"` +
    ` Version="${parts.assertionVersion ?? '2.0'}" IssueInstant="${parts.issueInstant ?? instant(parts, 0)}">` +
    `${issuer === null ? '' : `<saml:Issuer>${issuer}</saml:Issuer>`}` +
    `<saml:Subject>${
      parts.nameIdXml ??
      `<saml:NameID Format="${parts.nameIdFormat ?? PERSISTENT}">${parts.nameId ?? 'ada-1815'}</saml:NameID>`
    }${parts.confirmationXml ?? confirmation(parts)}</saml:Subject>` +
    `${parts.conditionsXml ?? conditions(parts)}${parts.authnXml ?? authn(parts)}` +
    `${parts.attributesXml ?? ATTRIBUTES}</saml:Assertion>`
  );
}

const ATTRIBUTES =
  `<saml:AttributeStatement><saml:Attribute Name="urn:oid:0.9.2342.19200300.100.1.3" FriendlyName="mail">` +
  `<saml:AttributeValue xsi:type="xs:string">ada@example.com</saml:AttributeValue></saml:Attribute>` +
  `<saml:Attribute Name="groups"><saml:AttributeValue>staff</saml:AttributeValue>` +
  `<saml:AttributeValue>maths</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;

function confirmation(parts: AnswerParts): string {
  const request = parts.subjectInResponseTo === undefined ? inResponseTo(parts) : parts.subjectInResponseTo;
  const until = parts.confirmationNotOnOrAfter === undefined ? instant(parts, 300_000) : parts.confirmationNotOnOrAfter;
  const recipient = parts.recipient === undefined ? SP.acs : parts.recipient;
  return (
    `<saml:SubjectConfirmation Method="${parts.method ?? 'urn:oasis:names:tc:SAML:2.0:cm:bearer'}">` +
    `<saml:SubjectConfirmationData${attribute('NotBefore', parts.confirmationNotBefore ?? null)}` +
    `${attribute('NotOnOrAfter', until)}${attribute('Recipient', recipient)}${attribute('InResponseTo', request)}/>` +
    `</saml:SubjectConfirmation>`
  );
}

function conditions(parts: AnswerParts): string {
  const audience = parts.audience === undefined ? SP.entityId : parts.audience;
  return (
    `<saml:Conditions NotBefore="${parts.notBefore ?? instant(parts, -60_000)}"` +
    ` NotOnOrAfter="${parts.notOnOrAfter ?? instant(parts, 300_000)}">` +
    `${audience === null ? '' : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`}` +
    `</saml:Conditions>`
  );
}

function authn(parts: AnswerParts): string {
  const context = parts.authnContext ?? 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
  return (
    `<saml:AuthnStatement AuthnInstant="${instant(parts, 0)}" SessionIndex="session-1"` +
    `${attribute('SessionNotOnOrAfter', parts.sessionNotOnOrAfter ?? null)}><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>${context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`
  );
}

function inResponseTo({ inResponseTo: request }: AnswerParts): string | null {
  return request === undefined ? SP.request : request;
}

function instant({ now = new Date() }: AnswerParts, plus: number): string {
  return new Date(now.getTime() + plus).toISOString();
}

function attribute(name: string, value: string | null): string {
  return value === null ? '' : ` ${name}="${value}"`;
}
