import { createSign, createHash, constants } from 'node:crypto';
import { createRequire } from 'node:module';
import type { SamlKeyPair } from '../../../../src/protocols/saml/saml-settings.js';
import { base64Of } from '../../../../src/protocols/saml/certificate.rules.js';

const require = createRequire(import.meta.url);

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- JavaScript whose registries are filled here
const { SignedXml } = require('xml-crypto') as { SignedXml: new (options: object) => any };

export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
export const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export interface SignOptions {
  algorithm?: string;
  digest?: string;
  canonicalization?: string;
  transforms?: string[];
  /** The key whose certificate KeyInfo has; null: there is no KeyInfo. */
  keyInfo?: SamlKeyPair | null;
  /** As the first child, where metadata has it; else after the Issuer. */
  first?: boolean;
}

const MORE_SIGNATURES: Record<string, { hash: string; pss?: true; ec?: true }> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': { hash: 'sha384' },
  'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1': { hash: 'sha512', pss: true },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256': { hash: 'sha256', ec: true },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384': { hash: 'sha384', ec: true },
};

/**
 * Writes as references the characters that would arrive changed: a Buffer makes U+FFFD of half a surrogate pair, and XML
 * takes the others for line ends.
 */
function written(xml: string): string {
  return xml.replace(/[\r\u0085\u2028\ud800-\udfff]/gu, (one) => `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`);
}

/** Signs the element of that local name, the signature behind its Issuer: as an IdP does, or as an attacker would. */
export function signElement(xml: string, name: string, key: SamlKeyPair, options: SignOptions = {}): string {
  const xpath = `//*[local-name(.)='${name}']`;
  const keyInfo = options.keyInfo === undefined ? key : options.keyInfo;
  const signer = new SignedXml({
    privateKey: key.privateKey,
    signatureAlgorithm: options.algorithm ?? RSA_SHA256,
    canonicalizationAlgorithm: options.canonicalization ?? EXC_C14N,
    getKeyInfoContent: () =>
      keyInfo === null
        ? null
        : `<ds:X509Data><ds:X509Certificate>${base64Of(keyInfo.certificate)}</ds:X509Certificate></ds:X509Data>`,
  });
  if (options.algorithm?.includes('hmac')) signer.enableHMAC();
  for (const [algorithm, { hash, pss, ec }] of Object.entries(MORE_SIGNATURES)) {
    signer.SignatureAlgorithms[algorithm] = class {
      getAlgorithmName = () => algorithm;
      getSignature = (material: string, privateKey: string) =>
        createSign(hash)
          .update(material)
          .sign(
            {
              key: privateKey,
              ...(ec ? { dsaEncoding: 'ieee-p1363' as const } : {}),
              ...(pss
                ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
                : {}),
            },
            'base64',
          );
    };
  }
  signer.HashAlgorithms['http://www.w3.org/2001/04/xmldsig-more#sha384'] = class {
    getAlgorithmName = () => 'http://www.w3.org/2001/04/xmldsig-more#sha384';
    getHash = (text: string) => createHash('sha384').update(text, 'utf8').digest('base64');
  };
  signer.addReference({
    xpath,
    transforms: options.transforms ?? [ENVELOPED, EXC_C14N],
    digestAlgorithm: options.digest ?? SHA256,
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location:
      options.first === true
        ? { reference: xpath, action: 'prepend' }
        : { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return written(signer.getSignedXml() as string);
}
