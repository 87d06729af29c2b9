import { Injectable } from '@nestjs/common';
import { InvalidFields, type FieldError } from '../../../base/errors/domain-error.js';
import type { Credential } from '../api/credential.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import type { ChangeAtsConnection, CreateAtsConnection, CredentialFields } from '../connections/ats-connections.dto.js';
import { credentialOf, usualWrites, writesOf, writesProblems } from '../connections/ats-settings.rules.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { AtsUsers } from './ats-users.js';
import { SameAccount } from './same-account.js';

/** Checks the settings and the credential of a request against the connector and the ATS. */
@Injectable()
export class AtsConnectionInput {
  constructor(
    private readonly clients: OAuthClients,
    private readonly addresses: AtsAddresses,
    private readonly account: SameAccount,
    private readonly users: AtsUsers,
  ) {}

  /**
   * Reads the settings of a new connection.
   *
   * @throws {InvalidFields} for settings or a credential that do not fit the connector
   */
  async ofNew(tenantId: string, connector: Connector, input: CreateAtsConnection) {
    const names = this.clients.regionNames(connector);
    const problems: FieldError[] = [];
    const region = input.region ?? names[0]!;
    if (!names.includes(region)) problems.push({ field: 'region', message: `must be one of: ${names.join(', ')}` });
    const baseUrl = input.base_url ?? null;
    const refusal = baseUrl === null ? null : await this.addresses.problemOf(baseUrl, tenantId, connector);
    if (refusal !== null) problems.push({ field: 'base_url', message: refusal });
    const writes = writesOf(input.writes, usualWrites(connector));
    problems.push(...writesProblems(connector, writes));
    const credential = this.readCredential(connector, input.credential, problems);
    if (problems.length > 0) throw new InvalidFields(problems);
    return { region, baseUrl, writes, credential };
  }

  /**
   * Reads the changed settings of a connection.
   *
   * @throws {InvalidFields} for settings or a credential that do not fit the connector
   */
  ofChange({ writes: before }: AtsConnection, connector: Connector, input: ChangeAtsConnection) {
    const writes = writesOf(input.writes, before);
    const problems = writesProblems(connector, writes);
    const credential = this.readCredential(connector, input.credential, problems);
    if (problems.length > 0) throw new InvalidFields(problems);
    return { writes, credential };
  }

  /**
   * Asks the ATS whether the credential is of the account, and whether it has the user as whom the connection writes.
   *
   * @throws {AtsAccountTaken} when another connection of the tenant is of the account
   * @throws {OtherAtsAccount} when the account has none of the records
   * @throws {InvalidFields} for `writes.as_user`
   */
  async demandKnown(
    connection: AtsConnection,
    connector: Connector,
    asUser: Parameters<AtsUsers['demand']>[2],
    credential: Credential | null,
  ): Promise<void> {
    if (credential !== null) await this.account.demand(connection, connector, credential);
    await this.users.demand(connection, connector, asUser, credential);
  }

  private readCredential(
    connector: Connector,
    sent: CredentialFields | undefined,
    problems: FieldError[],
  ): Credential | null {
    if (sent === undefined) return null;
    const read = credentialOf(connector, sent);
    if (!Array.isArray(read)) return read;
    problems.push(...read);
    return null;
  }
}
