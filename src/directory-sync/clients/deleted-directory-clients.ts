import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { DirectoryDeleted } from '../directories/directories.events.js';
import { ClientsRepository } from './clients.repository.js';

/** Ends the clients of a directory in the transaction of its deletion. */
@Injectable()
export class DeletedDirectoryClients implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly repository: ClientsRepository,
  ) {}

  onModuleInit(): void {
    this.events.on(DirectoryDeleted, ({ tx, tenantId, directoryId }) =>
      this.repository.revokeAll(tx, tenantId, directoryId),
    );
  }
}
