import { Injectable } from '@nestjs/common';
import { AtsFailure, type AtsApi } from '../calls/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { AtsRecordKind } from '../connectors/ats-records.js';
import { NotUnderstood, type Connector } from '../connectors/connector.js';
import { readRecord, readsKind } from '../records/read-record.js';
import { AtsRecordsRepository } from '../records/records.repository.js';
import { AccountNotKnown, OtherAtsAccount } from './ats.errors.js';
import { AtsCredentials } from './ats-credentials.js';
import type { AtsConnection } from './connection.js';
import type { Credential } from './credential.js';

/** Records of each kind that are asked for. One that the account has is enough. */
const MOST = 5;
const KINDS: readonly AtsRecordKind[] = ['candidate', 'job'];

/** What a record says: the account has it, does not have it, or does not tell. */
type Sign = 'has' | 'lacks' | 'silent';

/**
 * Tells whether a new credential of a connection is of the account that its records came from. In another account none of
 * them would be found, and the next full pass would remove them all. No vendor names the account, so records are asked for.
 */
@Injectable()
export class SameAccount {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly credentials: AtsCredentials,
    private readonly apis: AtsApis,
  ) {}

  /**
   * Lets a credential pass that is of the account. A refused one is of none: its calls will say so.
   *
   * @param connection with the address at which the credential will be used
   * @throws {OtherAtsAccount} when the account has none of the records
   * @throws {AccountNotKnown} when the ATS gives no answer
   */
  async demand(connection: AtsConnection, connector: Connector, credential: Credential): Promise<void> {
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

  private async isOther(connection: AtsConnection, connector: Connector, credential: Credential): Promise<boolean> {
    const known = await Promise.all(KINDS.map((kind) => this.records.someLive(connection, kind, MOST)));
    if (known.every((ids) => ids.length === 0)) return false;
    const api = this.apis.trying(connection, await this.credentials.forCalls(connection, credential));
    let lacking = 0;
    for (const [place, kind] of KINDS.entries()) {
      if (!readsKind(connector, kind)) continue;
      for (const remoteId of known[place]!) {
        const sign = await signOf(connector, api, kind, remoteId);
        if (sign === 'has') return false;
        if (sign === 'lacks') lacking++;
      }
    }
    return lacking > 0;
  }
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
