import { X509Certificate } from 'node:crypto';

/** The accepted curves, P-256 and stronger, by their OpenSSL names. */
const CURVES = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const MAX_PEM = 16 * 1024;
const MIN_RSA_BITS = 2048;
/** A verification with a longer key, or with an exponent as long as the key, costs the service too much. */
const MAX_RSA_BITS = 8192;
const MAX_EXPONENT = 2n ** 32n;

/**
 * Returns why a certificate cannot be an IdP's; null: it can. Accepted is one X.509 certificate in PEM with an RSA key
 * of 2048 to 8192 bits or a NIST curve from P-256 up. SAML pins keys, so issuer and dates do not count: an expired
 * certificate still verifies, and its owner gets a notice.
 */
export function certificateProblem(pem: string): string | null {
  if (pem.length > MAX_PEM) return 'is too long for a certificate';
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1 || !/^\s*-----BEGIN CERTIFICATE-----/.test(pem)) {
    return 'must be one certificate in PEM form';
  }
  let key: X509Certificate['publicKey'];
  try {
    key = new X509Certificate(pem).publicKey;
  } catch {
    return 'is not a certificate that can be read';
  }
  const details = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    const bits = details.modulusLength ?? 0;
    if (bits < MIN_RSA_BITS) return 'has an RSA key of less than 2048 bits';
    if (bits > MAX_RSA_BITS) return 'has an RSA key of over 8192 bits';
    return (details.publicExponent ?? 0n) < MAX_EXPONENT ? null : 'has an RSA key with an exponent of over 32 bits';
  }
  if (key.asymmetricKeyType === 'ec') {
    return CURVES.has(details.namedCurve ?? '') ? null : 'has a key on a curve other than P-256, P-384 and P-521';
  }
  return 'has a key that is neither RSA nor elliptic-curve';
}

/** The first and the last line of PEM, which some IdPs also write into XML. */
const ARMOUR = /-----(?:BEGIN|END) (?:X509 )?CERTIFICATE-----/g;

/** Returns the PEM of one certificate in base64, as in XML or with the lines of PEM; null: it is something else. */
export function pemOf(text: string): string | null {
  const lines = text.match(ARMOUR) ?? [];
  if (lines.length > 2) return null;
  const compact = text.replace(ARMOUR, '').replace(/[\t\n\r ]+/g, '');
  if (compact === '' || compact.length > MAX_PEM || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return null;
  const rows = compact.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${rows.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Returns the base64 of a certificate in PEM, on one line, as XML carries it. */
export function base64Of(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}
