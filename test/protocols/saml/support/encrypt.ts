import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-keys.js';

const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

export interface EncryptOptions {
  cipher?: 'aes128-gcm' | 'aes192-gcm' | 'aes256-gcm' | 'aes128-cbc' | 'aes256-cbc';
  transport?: 'rsa-oaep-mgf1p' | 'rsa-oaep-sha256' | 'rsa-1_5';
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
  const { method, wrapped } = wrap(key, to, options.transport ?? 'rsa-oaep-mgf1p');
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

function wrap(key: Buffer, to: SamlKeyPair, transport: NonNullable<EncryptOptions['transport']>) {
  const name = transport === 'rsa-oaep-sha256' ? `${XENC11}rsa-oaep` : `${XENC}${transport}`;
  const parameters =
    transport === 'rsa-oaep-sha256'
      ? `<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="${XENC}sha256"/>` +
        `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1sha256"/>`
      : transport === 'rsa-oaep-mgf1p'
        ? `<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/>`
        : '';
  const padding = transport === 'rsa-1_5' ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING;
  const oaepHash = transport === 'rsa-oaep-sha256' ? 'sha256' : 'sha1';
  return {
    method: `<xenc:EncryptionMethod Algorithm="${name}">${parameters}</xenc:EncryptionMethod>`,
    wrapped: publicEncrypt({ key: to.certificate, padding, ...(transport === 'rsa-1_5' ? {} : { oaepHash }) }, key),
  };
}
