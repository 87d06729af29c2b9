import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { newId } from '../../../base/ids.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { ATS_CONNECTIONS_CAP } from '../connections/ats-connections.cap.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { AtsConnectionSetup } from '../administration/ats-connection-setup.js';
import { atsAuditView, missingScopes } from '../connections/ats-connection.mapping.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { atsConnectionDraft, type AtsConnection } from '../connections/connection.js';
import { SameAccount } from '../administration/same-account.js';
import { AccountNotKnown, AtsAccountTaken, OtherAtsAccount } from '../connections/ats.errors.js';
import { freeMarker, takesOf, usualWrites } from '../connections/ats-settings.rules.js';
import type { Connector } from '../connectors/connector.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { ConnectRefused } from './marketplace.errors.js';
import type { Grant } from '../oauth/token-answer.mapping.js';

/** What a grant is for. */
interface Granted {
  grant: Grant;
  linkId: string | null;
  connectionId: string | null;
  region: string;
  /** The signed-in person who approved; null: the holder of a link. */
  userId: string | null;
}

/** A connection that is made. */
export interface Connected {
  tenantId: string;
  connectionId: string;
  marker: string;
  missing: string[];
}

/** Makes a connection of a grant, or gives the grant to one that is there. */
@Injectable()
export class GrantedConnections {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly links: ConnectLinksRepository,
    private readonly clients: OAuthClients,
    private readonly setup: AtsConnectionSetup,
    private readonly connections: AtsConnectionStore,
    private readonly account: SameAccount,
    private readonly audit: AuditService,
  ) {}

  /**
   * @throws {ConnectRefused} `link_over` where the link was used meanwhile, `other_account` where the grant is of another
   * account than the records of the connection, `account_taken` where another connection is of the account
   */
  async make(by: AuditBy, connector: Connector, granted: Granted): Promise<Connected> {
    const { tenantId } = by;
    const { region } = granted;
    // A simulator is no region of the connector: calls need its address.
    const baseUrl = connector.regions[region] === undefined ? this.clients.region(connector, region)!.api : null;
    await this.demandSameAccount(tenantId, connector, granted, { region, baseUrl });
    // Vendors may leave the scopes out where they are those that were asked for (RFC 6749 §5.1).
    const scopes = granted.grant.scopes ?? [...connector.oauth!.scopes];
    const { id, marker } = await this.db.transaction(tenantId, async (tx) => {
      if (granted.linkId !== null && (await this.links.use(tx, tenantId, granted.linkId)) === null) {
        throw new ConnectRefused('link_over');
      }
      const made = await this.store(tx, by, connector, granted);
      await this.repository.setGrant(tx, tenantId, made.id, { region, baseUrl, scopes, approvedBy: null });
      await this.repository.setCredential(tx, tenantId, made.id, granted.grant.credential);
      await this.setup.begin(tx, by, { tenantId, id: made.id, provider: connector.provider }, granted.userId);
      return made;
    });
    const key = { tenantId, id, provider: connector.provider };
    const missing = missingScopes(connector, scopes);
    await this.setup.begun(key, missing);
    return { tenantId, connectionId: id, marker, missing };
  }

  private async demandSameAccount(
    tenantId: string,
    connector: Connector,
    { connectionId, grant }: Granted,
    at: Pick<AtsConnection, 'region' | 'baseUrl'>,
  ): Promise<void> {
    const known = connectionId === null ? undefined : await this.connections.fresh(tenantId, connectionId);
    const settings = { takes: takesOf(undefined), writes: usualWrites(connector), credential: grant.credential };
    try {
      const connection = known ?? atsConnectionDraft({ tenantId, id: newId('ats'), connector, ...at, ...settings });
      await this.account.demand({ ...connection, ...at }, connector, grant.credential);
    } catch (error) {
      if (error instanceof AtsAccountTaken) throw new ConnectRefused('account_taken');
      if (error instanceof OtherAtsAccount) throw new ConnectRefused('other_account');
      if (error instanceof AccountNotKnown) throw new ConnectRefused('ats_away');
      throw error;
    }
  }

  private async store(
    tx: SqlRunner,
    by: AuditBy,
    connector: Connector,
    { connectionId }: Granted,
  ): Promise<{ id: string; marker: string }> {
    const { tenantId } = by;
    const known =
      connectionId === null ? undefined : await this.repository.row(tenantId, connectionId, { db: tx, lock: true });
    if (known !== undefined) {
      await this.note(tx, by, 'ats_connection.reconnected', known.id, {});
      return { id: known.id, marker: known.marker };
    }
    await demandRoom(tx, ATS_CONNECTIONS_CAP, tenantId);
    const rows = await this.repository.rows(tenantId, tx);
    const marker = freeMarker(connector.marker, new Set(rows.map((row) => row.marker)));
    const [takes, writes, id] = [takesOf(undefined), usualWrites(connector), newId('ats')];
    const { provider, title: name } = connector;
    await this.repository.insert(tx, {
      tenantId,
      id,
      provider,
      name,
      region: Object.keys(connector.regions)[0]!,
      baseUrl: null,
      marker,
      takes,
      writes,
      approvedBy: null,
      credential: null,
      grantedScopes: null,
      createdBy: by.actor,
    });
    await this.note(tx, by, 'ats_connection.created', id, atsAuditView({ provider, name, marker, takes, writes }));
    return { id, marker };
  }

  private note(tx: SqlRunner, by: AuditBy, action: string, targetId: string, after: object): Promise<void> {
    return this.audit.record(tx, { ...by, action, targetType: 'ats_connection', targetId, after });
  }
}
