import { createHash } from 'node:crypto';
import { base64Of } from './certificate.rules.js';
import { BINDINGS, NS } from './names.js';
import type { SamlSettings, SamlKeys } from './saml-settings.js';

/** The media type of SAML metadata (SAML Metadata §4.1.1). */
export const METADATA_TYPE = 'application/samlmetadata+xml';

const CIPHERS = ['aes256-gcm', 'aes192-gcm', 'aes128-gcm'].map((name) => `${NS.encryption11}${name}`);
const KEY_TRANSPORTS = [`${NS.encryption}rsa-oaep-mgf1p`, `${NS.encryption11}rsa-oaep`];

/**
 * Makes our metadata for one connection (SAML Metadata §2.4.4): entity id, addresses, signing and encryption keys.
 * While keys roll over it names all of them, the signing one first.
 */
export function spMetadata(
  connection: SamlSettings,
  { acsUrl, sloUrl, keys }: { acsUrl: string; sloUrl: string; keys: SamlKeys },
): string {
  const certificates = [keys.current, ...keys.all.filter(({ id }) => id !== keys.current.id)].map((key) =>
    base64Of(key.certificate),
  );
  const body = [
    ...certificates.map((certificate) => keyDescriptor('signing', certificate, '')),
    ...certificates
      .slice(0, mayEncrypt(connection) ? 1 : 0)
      .map((certificate) => keyDescriptor('encryption', certificate, methods())),
    ...(['redirect', 'post'] as const).map(
      (binding) => `    <md:SingleLogoutService Binding="${BINDINGS[binding]}" Location="${escaped(sloUrl)}"/>`,
    ),
    ...(connection.nameIdFormat === null
      ? []
      : [`    <md:NameIDFormat>${escaped(connection.nameIdFormat)}</md:NameIDFormat>`]),
    `    <md:AssertionConsumerService Binding="${BINDINGS.post}" Location="${escaped(acsUrl)}" index="0" isDefault="true"/>`,
  ].join('\n');
  // The ID is derived from the contents: equal metadata is an equal document.
  const id = `_${createHash('sha256').update(`${connection.spEntityId}\n${body}`).digest('hex').slice(0, 32)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NS.metadata}" xmlns:ds="${NS.signature}" ID="${id}" entityID="${escaped(connection.spEntityId)}">
  <md:SPSSODescriptor protocolSupportEnumeration="${NS.protocol}" AuthnRequestsSigned="${connection.signRequests}" WantAssertionsSigned="${connection.signed !== 'response'}">
${body}
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

/**
 * ADFS encrypts whenever there is a key, with AES-CBC, and by default signs the assertion inside alone. That would be
 * refused, so no encryption key is offered.
 */
function mayEncrypt({ ssoUrl, signed }: SamlSettings): boolean {
  return signed !== 'assertion' || !/\/adfs\/ls\/?$/i.test(new URL(ssoUrl).pathname);
}

function keyDescriptor(use: 'signing' | 'encryption', certificate: string, more: string): string {
  return `    <md:KeyDescriptor use="${use}">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>${certificate}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>${more}
    </md:KeyDescriptor>`;
}

function methods(): string {
  return [...CIPHERS, ...KEY_TRANSPORTS]
    .map((algorithm) => `\n      <md:EncryptionMethod Algorithm="${algorithm}"/>`)
    .join('');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
