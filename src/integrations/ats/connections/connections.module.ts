import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { TokenClient } from '../oauth/token-client.js';
import { AtsConnectionsRepository } from './ats-connections.repository.js';
import { AtsAddresses, AtsConnectionStore } from './ats-connections.store.js';
import { AtsCredentials } from './ats-credentials.js';
import { AtsStates } from './ats-states.js';
import { AtsWebhookSecretsRepository } from './ats-webhook-secrets.repository.js';

const PARTS = [
  AtsConnectionStore,
  AtsConnectionsRepository,
  AtsWebhookSecretsRepository,
  AtsStates,
  AtsCredentials,
  AtsAddresses,
  TokenClient,
];

@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [PlatformClientModule],
  providers: PARTS,
  exports: PARTS,
})
export class AtsConnectionsModule {}
