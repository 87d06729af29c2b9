import type { CacheProvider, SamlConfig } from '@node-saml/passport-saml';

/** The cache of node-saml stores nothing: requests and used messages are in the database. */
const NO_CACHE: CacheProvider = {
  saveAsync: async () => null,
  getAsync: async () => null,
  removeAsync: async () => null,
};

/**
 * Every option of node-saml that shapes what is sent, so that no default counts. The options about answers are needed
 * to be consistent and have no effect: answers are verified in `signature-worker.mjs` and judged in `assertion.rules.ts`.
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
