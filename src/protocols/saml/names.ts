/** The namespaces of SAML 2.0, XML Signature and XML Encryption. */
export const NS = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  xml: 'http://www.w3.org/XML/1998/namespace',
  xmlns: 'http://www.w3.org/2000/xmlns/',
} as const;

export const BINDINGS = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const;

export const STATUS_SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
/** The default format of an Issuer; no other format names an IdP (SAML Core §8.3.6). */
export const ENTITY_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';

/**
 * The accepted signature algorithms: asymmetric, with SHA-2. XML Signature and the query of the redirect binding use
 * the same names (RFC 9231 §2.3). A key of another type is never tried with them.
 */
export const SIGNATURE_ALGORITHMS: ReadonlyMap<string, { key: 'rsa' | 'ec'; hash: string; pss?: true }> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', { key: 'rsa', hash: 'sha256' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', { key: 'rsa', hash: 'sha384' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { key: 'rsa', hash: 'sha512' }],
  ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', { key: 'rsa', hash: 'sha256', pss: true }],
  ['http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1', { key: 'rsa', hash: 'sha384', pss: true }],
  ['http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1', { key: 'rsa', hash: 'sha512', pss: true }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256', { key: 'ec', hash: 'sha256' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384', { key: 'ec', hash: 'sha384' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512', { key: 'ec', hash: 'sha512' }],
]);

export const DIGEST_ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

export const ENVELOPED_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/** Exclusive canonicalization without comments; also the namespace of its parameters. */
export const EXCLUSIVE_C14N = NS.exclusive;
