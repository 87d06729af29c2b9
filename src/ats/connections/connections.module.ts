import { Module } from '@nestjs/common';
import { AtsConnectionStore } from './ats-connections.store.js';
import { AtsCredentials } from './ats-credentials.js';
import { AtsSecrets } from './ats-secrets.js';
import { AtsStates } from './ats-states.js';

/** Connections to ATSs: what they are made of, and how they are. */
@Module({
  providers: [AtsConnectionStore, AtsCredentials, AtsSecrets, AtsStates],
  exports: [AtsConnectionStore, AtsCredentials, AtsSecrets, AtsStates],
})
export class AtsConnectionsModule {}
