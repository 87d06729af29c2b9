import { Global, Module } from '@nestjs/common';
import { ConsoleCredentials } from '../../tenancy/tenants/console-credentials.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionUses, ConsoleSessionsStore } from './console-sessions.store.js';

/** The sessions of the console. Global, because the guards of every room look for them. */
@Global()
@Module({
  providers: [
    ConsoleSessionsRepository,
    ConsoleSessionUses,
    ConsoleSessionsStore,
    { provide: ConsoleCredentials, useExisting: ConsoleSessionsStore },
  ],
  exports: [ConsoleSessionsRepository, ConsoleSessionsStore, ConsoleCredentials],
})
export class ConsoleSessionsModule {}
