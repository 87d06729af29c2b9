import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { DomainEvents } from '../../base/domain-events.js';
import { demandUnused } from '../directories/credential-in-use.js';
import { DirectoryDeleted } from '../directories/directories.events.js';
import { ClientsRepository } from './clients.repository.js';

/** Ends the clients of a directory in the transaction of its deletion; refuses that while one of them is in use. */
@Injectable()
export class DeletedDirectoryClients implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly repository: ClientsRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(DirectoryDeleted, async ({ tx, tenantId, directoryId, force }) => {
      const lastUse = await this.repository.revokeAll(tx, tenantId, directoryId);
      demandUnused(lastUse, this.clock.now(), force);
    });
  }
}
