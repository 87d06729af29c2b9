import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { TokenClient } from '../oauth/token-client.js';
import { AtsAddresses } from './ats-addresses.js';
import { AtsConnectionViews } from './ats-connection-views.js';
import { AtsConnectionsRepository } from './ats-connections.repository.js';
import { AtsConnectionStore } from './ats-connections.store.js';
import { AtsCredentials } from './ats-credentials.js';
import { AtsProgressRepository } from './ats-progress.repository.js';
import { AtsSecrets } from './ats-secrets.js';
import { AtsStates } from './ats-states.js';
import { AtsWebhookSecretsRepository } from './ats-webhook-secrets.repository.js';
import { RenewalsRepository } from './renewals.repository.js';

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
