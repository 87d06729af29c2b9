import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../platform-client/platform-client.module.js';
import { AuthAddresses } from './addresses.js';
import { OidcAddresses } from '../oidc/oidc-addresses.js';
import { SamlAddresses } from '../saml/saml-addresses.js';
import { SamlKeySource } from '../saml/saml-keys.js';
import { KeyRenewal, ServiceKeys } from './keys/service-keys.js';
import { ServiceKeysRepository } from './keys/service-keys.repository.js';
import { SigningKeysController } from './keys/signing-keys.controller.js';
import { OidcProtocol } from '../oidc/oidc.protocol.js';
import { SamlProtocol } from '../saml/saml.protocol.js';
import { SamlVerifier } from '../saml/verifier.js';

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
  exports: [AuthAddresses, ServiceKeys, KeyRenewal, OidcProtocol, SamlProtocol, SamlVerifier],
})
export class ProtocolsModule {}
