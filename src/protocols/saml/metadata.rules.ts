import { isHtmlPage } from '../../base/http/html.js';
import { urlOf } from '../../base/url.js';
import type { SamlBinding } from './saml-settings.js';
import { SamlRefused } from './saml-refused.js';
import { certificateProblem, pemOf } from './certificate.rules.js';
import { durationSeconds, readMoment } from './moment.js';
import { BINDINGS, NS } from './names.js';
import { scanXml, type XmlLimits } from './xml-scan.js';
import { attributeOf, childrenOf, is, type XmlElement } from './xml-tree.js';

/** What a connection takes from the metadata of an IdP. */
export interface IdpMetadata {
  entityId: string;
  ssoUrl: string;
  ssoBinding: SamlBinding;
  /** null: no single logout, or none in a supported binding. */
  sloUrl: string | null;
  sloBinding: SamlBinding | null;
  /**
   * The address for responses to the IdP's logout requests, where it differs (SAML Metadata §2.2.2,
   * `ResponseLocation`).
   */
  sloResponseUrl: string | null;
  /** Signing certificates in PEM; at least one. */
  certificates: string[];
  /** The end of the validity of the document; null: none is stated. */
  validUntil: Date | null;
  /** Seconds after which the IdP wants the document read again (`cacheDuration`); null: not stated. */
  cacheSeconds: number | null;
}

/** Metadata that cannot be used. The message is for the administrator. */
export class MetadataProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MetadataProblem';
  }
}

/** Metadata is larger than a message, and often has comments. */
const METADATA_LIMITS: XmlLimits = {
  bytes: 1024 * 1024,
  elements: 20_000,
  depth: 50,
  attributes: 50,
  allAttributes: 60_000,
  comments: 'skip',
};
const MAX_CERTIFICATES = 10;

/**
 * Reads the metadata of an IdP (SAML Metadata §2.4.3). A signature on it is not checked here: an administrator brings
 * the document, and a refresh is compared with the known one.
 *
 * @param options `entityId` has to be set when the document describes several IdPs
 * @throws {MetadataProblem} when the document cannot be used
 */
export function readIdpMetadata(xml: string, options: { now: Date; entityId?: string }): IdpMetadata {
  const root = readRoot(xml);
  const { entity, role } = chooseIdp(root, options.entityId ?? null);
  const around = [...ancestors(entity), role];
  const validUntil = earliest(around.map((element) => validUntilOf(element)));
  if (validUntil !== null && validUntil <= options.now) {
    throw new MetadataProblem(`The metadata was valid until ${validUntil.toISOString()} and has expired.`);
  }
  const sso = endpointOf(role, 'SingleSignOnService');
  if (sso === null) {
    throw new MetadataProblem('The IdP offers no sign-in by HTTP-Redirect or HTTP-POST (SingleSignOnService).');
  }
  const slo = endpointOf(role, 'SingleLogoutService');
  return {
    entityId: attributeOf(entity, 'entityID') as string,
    ssoUrl: sso.url,
    ssoBinding: sso.binding,
    sloUrl: slo?.url ?? null,
    sloBinding: slo?.binding ?? null,
    sloResponseUrl: slo?.responseUrl ?? null,
    certificates: certificatesOf(role),
    validUntil,
    cacheSeconds: shortest(around.map((element) => durationSeconds(attributeOf(element, 'cacheDuration')))),
  };
}

/** Removes a byte order mark and leading white space, which editors add. */
export function tidied(xml: string): string {
  return xml.replace(/^\ufeff/, '').replace(/^\s+(?=<)/, '');
}

/**
 * Reads a document within the limits of metadata.
 *
 * @throws {MetadataProblem} when it cannot be read
 */
export function readRoot(xml: string): XmlElement {
  try {
    const root = scanXml(tidied(xml), METADATA_LIMITS);
    if (root.name.toLowerCase() === 'html') throw htmlPage();
    return root;
  } catch (error) {
    if (!(error instanceof SamlRefused)) throw error;
    if (isHtmlPage(xml)) throw htmlPage();
    const what = error.message.replace(/^The message/, 'The metadata');
    throw new MetadataProblem(what);
  }
}

function htmlPage(): MetadataProblem {
  return new MetadataProblem(
    'The document is an HTML page and no SAML metadata: take the XML file that the page offers, or its address.',
  );
}

interface Idp {
  readonly entity: XmlElement;
  readonly role: XmlElement;
}

function chooseIdp(root: XmlElement, entityId: string | null): Idp {
  const idps = entitiesIn(root).flatMap((entity): Idp[] => {
    const [role] = childrenOf(entity, NS.metadata, 'IDPSSODescriptor').filter(speaksSaml2);
    return role === undefined || !attributeOf(entity, 'entityID') ? [] : [{ entity, role }];
  });
  const named = idps.filter(({ entity }) => entityId === null || attributeOf(entity, 'entityID') === entityId);
  const [found, second] = named;
  if (found === undefined) {
    throw new MetadataProblem(
      entityId === null || idps.length === 0
        ? 'The document describes no SAML 2.0 identity provider (EntityDescriptor with IDPSSODescriptor).'
        : `The document does not describe ${entityId}.`,
    );
  }
  if (second !== undefined) {
    throw new MetadataProblem(
      entityId === null
        ? `The document describes ${named.length} identity providers; say which one by its entity id.`
        : `The document describes ${entityId} more than once.`,
    );
  }
  return found;
}

function entitiesIn(root: XmlElement): XmlElement[] {
  if (is(root, NS.metadata, 'EntityDescriptor')) return [root];
  if (!is(root, NS.metadata, 'EntitiesDescriptor')) {
    throw new MetadataProblem(
      'The document is not SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor.',
    );
  }
  const groups = [root];
  const entities: XmlElement[] = [];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    entities.push(...childrenOf(group, NS.metadata, 'EntityDescriptor'));
    groups.push(...childrenOf(group, NS.metadata, 'EntitiesDescriptor'));
  }
  return entities;
}

function speaksSaml2(role: XmlElement): boolean {
  return (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(NS.protocol);
}

/** Prefers the redirect binding: a request is small, and a redirect needs no page. */
function endpointOf(
  role: XmlElement,
  name: string,
): { url: string; binding: SamlBinding; responseUrl: string | null } | null {
  const services = childrenOf(role, NS.metadata, name);
  for (const binding of ['redirect', 'post'] as const) {
    const service = services.find((one) => attributeOf(one, 'Binding') === BINDINGS[binding]);
    if (service === undefined) continue;
    const answers = attributeOf(service, 'ResponseLocation') !== null;
    return {
      url: addressIn(service, 'Location', name),
      binding,
      responseUrl: answers ? addressIn(service, 'ResponseLocation', name) : null,
    };
  }
  return null;
}

function addressIn(service: XmlElement, attribute: string, name: string): string {
  const url = attributeOf(service, attribute)?.trim() ?? '';
  if (/^https?:$/.test(urlOf(url)?.protocol ?? '')) return url;
  throw new MetadataProblem(`The ${attribute} of a ${name} is not an http(s) address.`);
}

function certificatesOf(role: XmlElement): string[] {
  const texts = childrenOf(role, NS.metadata, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => childrenOf(key, NS.signature, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, NS.signature, 'X509Data'))
    // The first certificate is the signer's; those after it in the same X509Data are its chain.
    .flatMap((data) => childrenOf(data, NS.signature, 'X509Certificate').slice(0, 1))
    .map(({ text }) => pemOf(text));
  const certificates: string[] = [];
  let first: string | null = null;
  for (const pem of texts) {
    const problem = pem === null ? 'is not base64' : certificateProblem(pem);
    if (problem !== null) first ??= problem;
    else if (!certificates.includes(pem as string)) certificates.push(pem as string);
  }
  // A certificate that cannot be used is ignored where there is another: an old key must not keep a new one out.
  if (certificates.length === 0) {
    throw new MetadataProblem(
      first === null
        ? 'The IdP names no certificate for its signatures.'
        : `A signing certificate in the metadata ${first}.`,
    );
  }
  if (certificates.length > MAX_CERTIFICATES) {
    throw new MetadataProblem(`The IdP names more than ${MAX_CERTIFICATES} certificates for its signatures.`);
  }
  return certificates;
}

function validUntilOf(element: XmlElement): Date | null {
  const text = attributeOf(element, 'validUntil');
  if (text === null) return null;
  const moment = readMoment(text.trim());
  if (moment === null) throw new MetadataProblem('The validUntil of the metadata is not a time with its zone.');
  return moment;
}

function ancestors(element: XmlElement): XmlElement[] {
  const all: XmlElement[] = [];
  for (let one: XmlElement | null = element; one !== null; one = one.parent) all.push(one);
  return all;
}

function earliest(moments: readonly (Date | null)[]): Date | null {
  return moments.reduce((first, one) => (first === null || (one !== null && one < first) ? one : first), null);
}

function shortest(durations: readonly (number | null)[]): number | null {
  const said = durations.filter((one) => one !== null);
  return said.length === 0 ? null : Math.min(...said);
}
