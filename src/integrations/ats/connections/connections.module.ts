import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { OAuthClients, TokenClient } from '../oauth/token-client.js';
import { AtsConnectionsRepository } from './ats-connections.repository.js';
import { AtsAddresses, AtsConnectionStore, AtsSecrets } from './ats-connections.store.js';
import { AtsCredentials, RenewalsRepository } from './ats-credentials.js';
import { AtsConnectionViews, AtsProgressRepository, AtsStates } from './ats-states.js';
import { AtsWebhookSecretsRepository } from './ats-webhook-secrets.repository.js';

const PARTS = [
  AtsConnectionStore,
  AtsConnectionsRepository,
  AtsWebhookSecretsRepository,
  AtsConnectionViews,
  AtsProgressRepository,
  AtsCredentials,
  AtsSecrets,
  AtsStates,
  AtsAddresses,
  OAuthClients,
  TokenClient,
  RenewalsRepository,
];

/** Connections to ATSs: what they are made of, how they are, and the credentials of their calls. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [PlatformClientModule],
  providers: PARTS,
  exports: PARTS,
})
export class AtsConnectionsModule {}
