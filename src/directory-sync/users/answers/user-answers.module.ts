import { Global, Module } from '@nestjs/common';
import { NamedUsers } from '../../../forwarding/connections.js';
import { SeatHolders } from '../../../seats/ledger/seat-holders.js';
import { KnownUsers } from '../../../tenancy/tenants/caller.js';
import { KnownUsersRepository, NamedUsersRepository, SeatHoldersRepository } from './user-answers.js';

/** Provides the ports by which lower rooms read users; global, because those rooms do not import this one. */
@Global()
@Module({
  providers: [
    { provide: KnownUsers, useClass: KnownUsersRepository },
    { provide: NamedUsers, useClass: NamedUsersRepository },
    { provide: SeatHolders, useClass: SeatHoldersRepository },
  ],
  exports: [KnownUsers, NamedUsers, SeatHolders],
})
export class UserAnswersModule {}
