import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../base/domain-events.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { encodeCursor, type Page, type PageRequest } from '../../../base/http/page.js';
import { AtsFailure, type Credential, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { AtsUserBody } from '../connections/ats-connections.dto.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsCredentials } from '../connections/ats-credentials.js';
import { NoUsersKnown, AtsConnectionReady } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsUser, Connector } from '../connectors/connector.js';

interface Place {
  cursor: string | null;
  shown: number;
}

const FIRST: Place = { cursor: null, shown: 0 };

/** Finds the users of the ATS: those as whom a connection can write, and the one who approved a connection. */
@Injectable()
export class AtsUsers {
  constructor(
    private readonly apis: AtsApis,
    private readonly credentials: AtsCredentials,
    private readonly repository: AtsConnectionsRepository,
    private readonly store: AtsConnectionStore,
    private readonly events: DomainEvents,
  ) {}

  /** Returns active users, none where the vendor needs no user. @throws {NoUsersKnown} when the ATS gives no answer */
  async page(connection: AtsConnection, connector: Connector, request: PageRequest): Promise<Page<AtsUserBody>> {
    if (connector.users === undefined) return { data: [], next_cursor: null };
    const place: Place = request.after === null ? FIRST : (JSON.parse(request.after) as Place);
    try {
      const { records, next } = await connector.users(this.apis.of(connection), place.cursor);
      const active = records.filter((user) => user.active);
      const end = place.shown + request.limit;
      const after: Place | null =
        active.length > end ? { ...place, shown: end } : next === null ? null : { cursor: next, shown: 0 };
      return {
        data: active.slice(place.shown, end).map(({ id, name, email }) => ({ id, name, email })),
        next_cursor: after === null ? null : encodeCursor({ a: JSON.stringify(after), l: request.list }),
      };
    } catch (error) {
      if (error instanceof AtsFailure) throw new NoUsersKnown(error.message);
      throw error;
    }
  }

  /**
   * Refuses a user whom the ATS does not have. Without a credential, and while the ATS gives no answer, the user is
   * accepted: a write checks its user again.
   *
   * @param credential of the calls, where the connection does not have it yet
   * @throws {InvalidFields} for `writes.as_user`
   */
  async demand(
    connection: AtsConnection,
    connector: Connector,
    id: string | null | undefined,
    credential: Credential | null,
  ): Promise<void> {
    if (id === null || id === undefined || (credential ?? connection.credential) === null) return;
    const user = await this.read(connection, connector, id, credential);
    if (user === 'unanswered' || user?.active === true) return;
    const problem =
      user === null ? `is no user of ${connector.title}` : `is a user who is not active in ${connector.title}`;
    throw new InvalidFields([{ field: 'writes.as_user', message: `${problem}; GET …/users lists the active ones` }]);
  }

  private async read(
    connection: AtsConnection,
    connector: Connector,
    id: string,
    credential: Credential | null,
  ): Promise<AtsUser | null | 'unanswered'> {
    try {
      const api =
        credential === null
          ? this.apis.of(connection)
          : this.apis.beforeStored(connection, await this.credentials.forCalls(connection, credential));
      return await connector.user(api, id);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      // A text that is no id of the vendor is refused with 400.
      return error.kind === 'rejected' || error.kind === 'not_found' ? null : 'unanswered';
    }
  }

  /**
   * Notes the approver, a user of the ATS: the owner of the credential, else the one with the person's e-mail.
   *
   * @returns whether there is such a user
   * @throws {AtsFailure} when the ATS refuses the call or gives no answer
   */
  async noteApprovers(
    connection: AtsConnection,
    connector: Connector,
    api: AtsApi,
    userId: string | null,
  ): Promise<boolean> {
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
