import { constants, createCipheriv, createHash, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-settings.js';

const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

export type OaepHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** The names of hashes as a DigestMethod has them (XML Encryption 1.1 §5.8, RFC 9231 §2.1.3). */
const DIGESTS: Readonly<Record<OaepHash, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: `${XENC}sha256`,
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: `${XENC}sha512`,
};

export interface EncryptOptions {
  cipher?: 'aes128-gcm' | 'aes192-gcm' | 'aes256-gcm' | 'aes128-cbc' | 'aes256-cbc';
  transport?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
  /** The hashes of RSA-OAEP that are used; SHA-1 unless set. */
  digest?: OaepHash;
  mask?: OaepHash;
  /** The digest that the message names, where that is another one. */
  namedDigest?: OaepHash;
  /** Changed after encryption, as an attacker on the way would do. */
  spoil?: boolean;
  /** Where the wrapped key stands. */
  keyBeside?: boolean;
}

/** An EncryptedAssertion (or EncryptedID) of that XML, for the owner of a key (XML Encryption 1.1). */
export function encryptElement(xml: string, to: SamlKeyPair, options: EncryptOptions = {}): string {
  const cipher = options.cipher ?? 'aes256-gcm';
  const key = randomBytes(Number(cipher.slice(3, 6)) / 8);
  const content = encrypted(xml, key, cipher);
  if (options.spoil) content[content.length - 1]! ^= 1;
  const { method, wrapped } = wrap(key, to, options);
  const encryptedKey =
    `<xenc:EncryptedKey xmlns:xenc="${XENC}">${method}` +
    `<xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>`;
  const namespace = cipher.endsWith('gcm') ? XENC11 : XENC;
  const keyInfo = options.keyBeside
    ? ''
    : `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${encryptedKey}</ds:KeyInfo>`;
  return (
    `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">` +
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${namespace}${cipher}"/>${keyInfo}` +
    `<xenc:CipherData><xenc:CipherValue>${content.toString('base64')}</xenc:CipherValue></xenc:CipherData>` +
    `</xenc:EncryptedData>${options.keyBeside ? encryptedKey : ''}</saml:EncryptedAssertion>`
  );
}

function encrypted(xml: string, key: Buffer, cipher: string): Buffer {
  const name = cipher.replace(/^aes(\d+)/, 'aes-$1');
  if (cipher.endsWith('gcm')) {
    const nonce = randomBytes(12);
    const gcm = createCipheriv(name as 'aes-256-gcm', key, nonce);
    const content = Buffer.concat([gcm.update(xml, 'utf8'), gcm.final()]);
    return Buffer.concat([nonce, content, gcm.getAuthTag()]);
  }
  const iv = randomBytes(16);
  const cbc = createCipheriv(name, key, iv);
  return Buffer.concat([iv, cbc.update(xml, 'utf8'), cbc.final()]);
}

function wrap(key: Buffer, to: SamlKeyPair, options: EncryptOptions) {
  const { transport = 'rsa-oaep-mgf1p', digest = 'sha1', mask = 'sha1', namedDigest = digest } = options;
  if (transport === 'rsa-1_5') {
    const padding = constants.RSA_PKCS1_PADDING;
    const method = `<xenc:EncryptionMethod Algorithm="${XENC}rsa-1_5"></xenc:EncryptionMethod>`;
    return { method, wrapped: publicEncrypt({ key: to.certificate, padding }, key) };
  }
  // The mask of SHA-1 is the usual one, so that a message does not name it.
  const mgf = mask === 'sha1' ? '' : `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1${mask}"/>`;
  return {
    method:
      `<xenc:EncryptionMethod Algorithm="${transport === 'rsa-oaep' ? XENC11 : XENC}${transport}">` +
      `<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="${DIGESTS[namedDigest]}"/>${mgf}` +
      `</xenc:EncryptionMethod>`,
    wrapped: rsaOaep(key, to.certificate, digest, mask),
  };
}

/** RSA-OAEP with any two hashes (RFC 8017 §7.1.1): Node.js knows it with one. */
function rsaOaep(data: Buffer, certificate: string, digest: OaepHash, mask: OaepHash): Buffer {
  const key = createPublicKey(certificate);
  return publicEncrypt(
    { key, padding: constants.RSA_NO_PADDING },
    padOaep(data, key.asymmetricKeyDetails!.modulusLength! / 8, digest, mask),
  );
}

/** The padding of RSA-OAEP with an empty label. */
export function padOaep(data: Buffer, length: number, digest: OaepHash, mask: OaepHash): Buffer {
  const label = createHash(digest).digest();
  const zeros = Buffer.alloc(length - data.length - 2 * label.length - 2);
  const block = Buffer.concat([label, zeros, Buffer.from([1]), data]);
  const seed = randomBytes(label.length);
  const masked = masking(block, seed, mask);
  return Buffer.concat([Buffer.from([0]), masking(seed, masked, mask), masked]);
}

/** Returns bytes under the mask MGF1 of a seed, or without it. */
export function masking(bytes: Buffer, seed: Buffer, hash: OaepHash): Buffer {
  const mask: number[] = [];
  for (let i = 0; mask.length < bytes.length; i++) {
    const counter = Buffer.from([0, 0, 0, i]);
    mask.push(...createHash(hash).update(seed).update(counter).digest());
  }
  return bytes.map((byte, i) => byte ^ mask[i]!) as Buffer;
}
