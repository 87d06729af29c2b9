import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../base/domain-events.js';
import type { AtsApi } from '../api/ats-api.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';

/** Finds the user of the ATS who approved a connection. */
@Injectable()
export class AtsApprovers {
  constructor(
    private readonly repository: AtsConnectionsRepository,
    private readonly store: AtsConnectionStore,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Notes the approver, a user of the ATS: the owner of the credential, else the one with the person's e-mail.
   *
   * @returns whether there is such a user
   * @throws {AtsFailure} when the ATS refuses the call or gives no answer
   */
  async note(connection: AtsConnection, connector: Connector, api: AtsApi, userId: string | null): Promise<boolean> {
    const email = userId === null ? null : await this.repository.emailOf(connection.tenantId, userId);
    const user =
      (await connector.self?.(api)) ?? (email === null ? null : await connector.userByEmail?.(api, email)) ?? null;
    if (user === null) return false;
    await this.repository.setApprover(connection.tenantId, connection.id, user.id);
    await this.store.forget(connection.tenantId);
    await this.events.publish(new AtsConnectionReady({ ...connection, approvedBy: user.id }));
    return true;
  }
}
