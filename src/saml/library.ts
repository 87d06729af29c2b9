import type { CacheProvider, SamlConfig } from '@node-saml/passport-saml';

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
