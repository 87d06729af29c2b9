import { generate } from 'selfsigned';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-settings.js';

/** A key pair with a self-signed certificate. */
export async function newKey(
  id: string,
  options: { type?: 'rsa' | 'ec'; bits?: number; curve?: 'P-256' | 'P-384' | 'P-521' } = {},
): Promise<SamlKeyPair> {
  const { private: privateKey, cert } = await generate([{ name: 'commonName', value: id }], {
    keyType: options.type ?? 'rsa',
    keySize: options.bits ?? 2048,
    ...(options.curve ? { curve: options.curve } : {}),
    algorithm: 'sha256',
  });
  return { id, privateKey, certificate: cert };
}
