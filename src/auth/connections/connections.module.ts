import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { OidcAddresses } from '../../protocols/oidc/oidc-settings.js';
import { OidcProtocol } from '../../protocols/oidc/oidc.protocol.js';
import { SamlAddresses, SamlKeySource } from '../../protocols/saml/saml-settings.js';
import { SamlProtocol } from '../../protocols/saml/saml.protocol.js';
import { SamlVerifier } from '../../protocols/saml/signature-verifier.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { AuthAddresses } from './addresses.js';
import { ConnectionsController } from './controller.js';
import { DomainsModule } from './domains/domains.module.js';
import { KeyRenewal, ServiceKeys } from './keys/service-keys.js';
import { SigningKeysController } from './keys/signing-keys.controller.js';
import { MetadataSource } from './metadata.js';
import { MetadataRefreshing, MetadataRefresh } from './refresh.js';
import { ConnectionsRepository } from './repository.js';
import { ConnectionsService } from './service.js';
import { ConnectionStore } from './store.js';

/** The protocols OpenID Connect and SAML, with our addresses and our keys. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [PlatformClientModule],
  controllers: [SigningKeysController],
  providers: [
    AuthAddresses,
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

/** Connections to IdPs: administration, the view of sign-ins, and the upkeep of metadata. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [SessionsModule, PlatformClientModule, ProtocolsModule, DomainsModule],
  controllers: [ConnectionsController],
  providers: [
    ConnectionStore,
    ConnectionsRepository,
    ConnectionsService,
    MetadataRefreshing,
    MetadataSource,
    MetadataRefresh,
  ],
  exports: [ConnectionStore, ConnectionsService, MetadataRefreshing],
})
export class ConnectionsModule {}
