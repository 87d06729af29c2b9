import { Injectable } from '@nestjs/common';
import { trimEndOf } from '../../../base/characters.js';
import type { SqlRunner } from '../../../base/database/statement-batches.js';
import { AtsFailure, type AtsApi, type Credential } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsCredentials } from '../connections/ats-credentials.js';
import { AccountNotKnown, AtsAccountTaken, OtherAtsAccount } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import { type AtsRecordKind, NotUnderstood, type Connector } from '../connectors/connector.js';
import { TokenClient } from '../oauth/token-client.js';
import { readRecord, readsKind } from '../records/record.js';
import { AtsRecordsRepository } from '../records/records.repository.js';

const MOST = 5;
/** Records of each other connection that could be of the account of a new one. */
const FEW = 2;
const KINDS: readonly AtsRecordKind[] = ['candidate', 'job'];

type Sign = 'has' | 'lacks' | 'silent';

/**
 * Finds out whether a new credential of a connection is of the account that its records came from. Another account has
 * none of them, so the next full pass would remove them all. No vendor names the account, so records are asked for.
 */
@Injectable()
export class SameAccount {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly credentials: AtsCredentials,
    private readonly apis: AtsApis,
    private readonly store: AtsConnectionStore,
    private readonly clients: TokenClient,
  ) {}

  /**
   * Accepts a credential of the account. A refused one is of no account: its calls will fail.
   *
   * @param connection with the address at which the credential will be used; it need not be stored yet
   * @throws {AtsAccountTaken} when another connection of the tenant is of the account
   * @throws {OtherAtsAccount} when the account has none of the records
   * @throws {AccountNotKnown} when the ATS gives no answer
   */
  async demand(connection: AtsConnection, connector: Connector, credential: Credential): Promise<void> {
    await this.demandFree(connection, connector, credential);
    let isOther: boolean;
    try {
      isOther = await this.isOther(connection, connector, credential);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      if (error.kind === 'refused') return;
      throw new AccountNotKnown(error.message);
    }
    if (isOther) throw new OtherAtsAccount(connector.title);
  }

  /**
   * Refuses a credential of an account that another connection of the tenant has: the same key, or one that shows its
   * records. A refused credential passes, and any credential while the ATS gives no answer.
   *
   * @throws {AtsAccountTaken}
   */
  private async demandFree(connection: AtsConnection, connector: Connector, credential: Credential): Promise<void> {
    const others = await this.others(connection, connector);
    this.demandOtherKey(others, connector, credential);
    try {
      for (const other of others) {
        const signs = await this.signs(other, connector, credential, FEW);
        if (signs.includes('has')) throw new AtsAccountTaken(connector.title, other.id);
      }
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
    }
  }

  /**
   * Refuses the key of another connection, in the transaction that stores it: of two creates at once, the second one
   * is refused.
   *
   * @throws {AtsAccountTaken}
   */
  async demandFreeKey(tx: SqlRunner, connection: AtsConnection, connector: Connector, key: Credential): Promise<void> {
    this.demandOtherKey(await this.others(connection, connector, tx), connector, key);
  }

  private demandOtherKey(others: readonly AtsConnection[], { title }: Connector, credential: Credential): void {
    const same = others.find((other) => isSameKey(other.credential, credential));
    if (same !== undefined) throw new AtsAccountTaken(title, same.id);
  }

  private async others(connection: AtsConnection, connector: Connector, db?: SqlRunner): Promise<AtsConnection[]> {
    const address = this.addressOf(connection, connector);
    return (await this.store.all(connection.tenantId, db)).filter(
      (other) =>
        other.id !== connection.id &&
        other.provider === connection.provider &&
        other.credential !== null &&
        this.addressOf(other, connector) === address,
    );
  }

  private addressOf({ baseUrl, region }: AtsConnection, connector: Connector): string | undefined {
    const address = baseUrl ?? this.clients.region(connector, region)?.api;
    return address === undefined ? undefined : trimEndOf(address, '/');
  }

  private async isOther(connection: AtsConnection, connector: Connector, credential: Credential): Promise<boolean> {
    const signs = await this.signs(connection, connector, credential, MOST);
    return !signs.includes('has') && signs.includes('lacks');
  }

  private async signs(
    connection: AtsConnection,
    connector: Connector,
    credential: Credential,
    most: number,
  ): Promise<Sign[]> {
    const known = await Promise.all(KINDS.map((kind) => this.records.someLive(connection, kind, most)));
    if (known.every((ids) => ids.length === 0)) return [];
    const api = this.apis.trying(connection, await this.credentials.forCalls(connection, credential));
    const signs: Sign[] = [];
    for (const [place, kind] of KINDS.entries()) {
      if (!readsKind(connector, kind)) continue;
      for (const remoteId of known[place]!) {
        signs.push(await signOf(connector, api, kind, remoteId));
        if (signs.at(-1) === 'has') return signs;
      }
    }
    return signs;
  }
}

/** Returns whether two credentials are one key; grants of OAuth differ each time. */
function isSameKey(one: Credential | null, other: Credential): boolean {
  if (one?.kind === 'api_key') return other.kind === 'api_key' && one.key === other.key;
  return one?.kind === 'client_credentials' && other.kind === one.kind && one.clientId === other.clientId;
}

async function signOf(connector: Connector, api: AtsApi, kind: AtsRecordKind, remoteId: string): Promise<Sign> {
  try {
    return (await readRecord({ connector, api }, kind, remoteId, new Date())) === null ? 'lacks' : 'has';
  } catch (error) {
    if (error instanceof NotUnderstood) return 'silent';
    if (!(error instanceof AtsFailure) || error.kind === 'away' || error.kind === 'refused') throw error;
    return error.kind === 'not_found' ? 'lacks' : 'silent';
  }
}
