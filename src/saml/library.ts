import { createRequire } from 'node:module';
import type { CacheProvider, SamlConfig } from '@node-saml/passport-saml';

/** What is used of xml-crypto's signer: with a callback it waits for its algorithm. */
interface XmlSigner {
  readonly SignatureAlgorithms: Record<string, new () => unknown>;
  addReference(reference: { xpath: string; transforms: string[]; digestAlgorithm: string }): void;
  computeSignature(
    xml: string,
    options: { location: { reference: string; action: 'after' } },
    done: (error: Error | null | undefined) => void,
  ): void;
  getSignedXml(): string;
}

const fromHere = createRequire(import.meta.url);
const fromPassport = createRequire(fromHere.resolve('@node-saml/passport-saml'));

const fromNodeSaml = createRequire(fromPassport.resolve('@node-saml/node-saml'));

/** node-saml signs in the event loop, and for logout offers the redirect binding alone. */
export const { SignedXml } = fromNodeSaml('xml-crypto') as {
  SignedXml: new (options: {
    privateKey: string;
    signatureAlgorithm: string;
    canonicalizationAlgorithm: string;
  }) => XmlSigner;
};

/** node-saml remembers nothing for us: requests and used messages are kept in the database. */
export const NO_CACHE: CacheProvider = {
  saveAsync: async () => null,
  getAsync: async () => null,
  removeAsync: async () => null,
};

/**
 * Every option that bears on what we send, written out: no default of the library is relied on. What is believed is
 * decided elsewhere (verify-worker.mjs); the wants here only keep the library consistent.
 */
export const SENDING: Omit<SamlConfig, 'callbackUrl' | 'issuer' | 'idpCert'> = {
  signatureAlgorithm: 'sha256',
  digestAlgorithm: 'sha256',
  wantAssertionsSigned: true,
  wantAuthnResponseSigned: true,
  acceptedClockSkewMs: 0,
  maxAssertionAgeMs: 600_000,
  validateInResponseTo: 'always' as SamlConfig['validateInResponseTo'],
  requestIdExpirationPeriodMs: 600_000,
  cacheProvider: NO_CACHE,
  allowCreate: true,
  passive: false,
  racComparison: 'exact',
  disableRequestAcsUrl: false,
  signMetadata: false,
  additionalParams: {},
  additionalAuthorizeParams: {},
  additionalLogoutParams: {},
};
