import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { AuthAddresses } from './addresses.js';
import { OidcAddresses } from '../../protocols/oidc/oidc-addresses.js';
import { SamlAddresses } from '../../protocols/saml/saml-addresses.js';
import { SamlKeySource } from '../../protocols/saml/saml-keys.js';
import { KeyRenewal, ServiceKeys } from './keys/service-keys.js';
import { ServiceKeysRepository } from './keys/service-keys.repository.js';
import { SigningKeysController } from './keys/signing-keys.controller.js';
import { OidcProtocol } from '../../protocols/oidc/oidc.protocol.js';
import { SamlProtocol } from '../../protocols/saml/saml.protocol.js';
import { SamlVerifier } from '../../protocols/saml/signature-verifier.js';

/** The protocols OpenID Connect and SAML, with our addresses and our keys. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [PlatformClientModule],
  controllers: [SigningKeysController],
  providers: [
    AuthAddresses,
    ServiceKeysRepository,
    ServiceKeys,
    { provide: SamlAddresses, useExisting: AuthAddresses },
    { provide: OidcAddresses, useExisting: AuthAddresses },
    { provide: SamlKeySource, useExisting: ServiceKeys },
    KeyRenewal,
    OidcProtocol,
    SamlVerifier,
    SamlProtocol,
  ],
  exports: [AuthAddresses, ServiceKeys, OidcProtocol, SamlProtocol, SamlVerifier],
})
export class ProtocolsModule {}
