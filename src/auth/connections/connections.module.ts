import { Module } from '@nestjs/common';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { DomainsModule } from './domains/domains.module.js';
import { ProtocolsModule } from './protocols.module.js';
import { CertificateNotices } from './certificate-notices.js';
import { CertificateRenewal } from './certificate-renewal.js';
import { ConnectionChecks } from './connection-checks.js';
import { ConnectionDrafts } from './connection-drafts.js';
import { ConnectionNames } from './connection-names.js';
import { ConnectionSaving } from './connection-saving.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsRepository } from './connections.repository.js';
import { ConnectionsService } from './connections.service.js';
import { MappedRoles } from './mapped-roles.js';
import { MetadataImport } from './metadata-import.js';
import { MetadataDoubtsRepository } from './metadata-doubts.repository.js';
import { MetadataRefresh } from './metadata-refresh.js';
import { MetadataRefreshing } from './metadata-refreshing.js';
import { MetadataSource } from './metadata-source.js';

/** Connections to IdPs: administration, the view of sign-ins, and the upkeep of metadata. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [SessionsModule, PlatformClientModule, ProtocolsModule, DomainsModule],
  controllers: [ConnectionsController],
  providers: [
    ConnectionSecrets,
    ConnectionStore,
    ConnectionsRepository,
    ConnectionNames,
    ConnectionSaving,
    CertificateNotices,
    MappedRoles,
    MetadataSource,
    MetadataImport,
    MetadataRefreshing,
    CertificateRenewal,
    MetadataDoubtsRepository,
    ConnectionDrafts,
    ConnectionsService,
    ConnectionChecks,
    MetadataRefresh,
  ],
  exports: [ConnectionStore, ConnectionsService, CertificateRenewal],
})
export class ConnectionsModule {}
