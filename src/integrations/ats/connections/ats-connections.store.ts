import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Sealer } from '../../../base/crypto/seal.js';
import type { ParsedToken } from '../../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { FreshCache } from '../../../base/fresh-cache.js';
import { DestinationNetworks, PRIVATE_HINT, refusalOfUrl } from '../../../base/http/destination-networks.js';
import { Outbound } from '../../../base/http/outbound.js';
import type { SealedColumn } from '../../../base/sealing/reseal.js';
import { parsedUrl } from '../../../base/url.js';
import { CredentialLookups, nameOfToken } from '../../../tenancy/tenants/credential-cache.js';
import type { Credential } from '../api/ats-api.js';
import type { Connector } from '../connectors/connector.js';
import type { AtsConnection, AtsState, Takes, Writes } from './connection.js';

/** The column of the credentials. */
export const ATS_CREDENTIALS: SealedColumn = {
  table: 'ats_connections',
  key: ['tenant_id', 'id'],
  column: 'credential_sealed',
  lasting: true,
  aad: (row) => credentialAad(row['tenant_id']!, row['id']!),
};

/** The column of the secrets that inbound events are signed with. */
export const ATS_SIGNING_SECRETS: SealedColumn = {
  table: 'ats_signing_secrets',
  key: ['tenant_id', 'connection_id', 'id'],
  column: 'sealed',
  lasting: true,
  aad: (row) => signingAad(row['tenant_id']!, row['connection_id']!),
};

function credentialAad(tenantId: string, connectionId: string): string {
  return `${tenantId}:ats_connections.credential:${connectionId}`;
}

function signingAad(tenantId: string, connectionId: string): string {
  return `${tenantId}:ats_signing_secrets.sealed:${connectionId}`;
}

export interface AtsConnectionRow {
  tenant_id: string;
  id: string;
  provider: string;
  name: string;
  region: string;
  base_url: string | null;
  marker: string;
  state: AtsState;
  state_reason: string | null;
  state_since: Date;
  paused: boolean;
  takes: Takes;
  writes: Writes;
  approved_by: string | null;
  credential_sealed: string | null;
  granted_scopes: string[] | null;
  created_at: Date;
  updated_at: Date;
}

export interface AtsGate {
  connection: AtsConnection;
  /** Secrets of signatures, any of which may fit. Empty: signatures are not checked. */
  secrets: readonly string[];
  /** The secrets that were set by hand, not made with a webhook through the API. */
  handMade: readonly string[];
  /** No key of the settings opens a secret: nothing can be checked. */
  unreadable: boolean;
}

const TTL = 800;

export const ATS_CONNECTION_COLUMNS = `tenant_id, id, provider, name, region, base_url, marker, state, state_reason,
  state_since, paused, takes, writes, approved_by, credential_sealed, granted_scopes, created_at, updated_at`;

/** Connections with opened secrets, in the state of the last answered change. Secrets are bound to their connection. */
@Injectable()
export class AtsConnectionStore {
  private readonly lists: FreshCache<readonly AtsConnection[]>;
  private readonly gates: FreshCache<AtsGate | null>;
  /** Look-ups of tokens without a cached gate, in batches. The provider is in the place of the tenant. */
  private readonly tokens: CredentialLookups<true, Pick<ParsedToken, 'tenantId' | 'hash'>>;

  constructor(
    private readonly db: Database,
    clock: Clock,
    private readonly sealer: Sealer,
  ) {
    this.tokens = new CredentialLookups((tokens) => this.loadTokens(tokens));
    this.lists = new FreshCache(clock, TTL, { proof: db.feed });
    this.gates = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['ats_connections', 'ats_token_hashes', 'ats_signing_secrets'], (row) => {
      if (row === null) this.lists.drop();
      else this.lists.drop(row.tenantId);
      this.gates.drop();
    });
  }

  of(tenantId: string): Promise<readonly AtsConnection[]> {
    return this.lists.get(tenantId, () => this.all(tenantId));
  }

  async get(tenantId: string, id: string): Promise<AtsConnection | undefined> {
    return (await this.of(tenantId)).find((connection) => connection.id === id);
  }

  /** Returns a connection as the database has it now; in a transaction, with its own changes. */
  async fresh(tenantId: string, id: string, db: SqlRunner = this.db): Promise<AtsConnection | undefined> {
    return (await this.all(tenantId, db)).find((connection) => connection.id === id);
  }

  /** Returns all connections of a tenant as the database has them now; in a transaction, with its own changes. */
  async all(tenantId: string, db: SqlRunner = this.db): Promise<readonly AtsConnection[]> {
    const { rows } = await db.query<AtsConnectionRow>(
      `select ${ATS_CONNECTION_COLUMNS} from ats_connections where tenant_id = $1 order by id`,
      [tenantId],
    );
    return rows.map((row) => this.opened(row));
  }

  /** Returns the connection whose webhooks have this token, before the tenant is known; null when there is none. */
  async gateOf(provider: string, token: string): Promise<AtsGate | null> {
    const hash = hashOfAtsToken(token);
    const name = `${provider} ${hash.toString('latin1')}`;
    if (this.gates.knows(name)) return this.gates.get(name, () => this.loadGate(provider, hash));
    // A flood of wrong tokens costs few statements, and displaces no gate from the cache.
    const found = await this.tokens.find({ tenantId: provider, hash });
    return found === null ? null : this.gates.get(name, () => this.loadGate(provider, hash));
  }

  /** Resolves after a change when no process uses the old values. */
  forget(tenantId: string): Promise<void> {
    this.lists.drop(tenantId);
    this.gates.drop();
    return this.db.feed.settled();
  }

  private async loadTokens(
    tokens: readonly Pick<ParsedToken, 'tenantId' | 'hash'>[],
  ): Promise<ReadonlyMap<string, true>> {
    const { rows } = await this.db.query<{ provider: string; hash: Buffer }>(
      `select t.provider, t.hash from unnest($1::text[], $2::bytea[]) as n(provider, hash)
       join ats_token_hashes t on t.provider = n.provider and t.hash = n.hash`,
      [tokens.map(({ tenantId }) => tenantId), tokens.map(({ hash }) => hash)],
    );
    return new Map(rows.map(({ provider, hash }) => [nameOfToken(provider, hash), true]));
  }

  private async loadGate(provider: string, hash: Buffer): Promise<AtsGate | null> {
    const { rows: found } = await this.db.query<{ tenant_id: string; connection_id: string; token_id: string }>(
      `select tenant_id, connection_id, token_id from ats_token_hashes where provider = $1 and hash = $2`,
      [provider, hash],
    );
    if (found.length === 0) return null;
    const { tenant_id: tenantId, connection_id: id, token_id: tokenId } = found[0]!;
    // The token and its secrets in one statement: without the secrets of a removed token, signatures would not be checked.
    const { rows } = await this.db.query<{ sealed: { sealed: string; made: boolean }[] | null }>(
      `select (select jsonb_agg(jsonb_build_object('sealed', s.sealed, 'made', s.remote_id is not null))
               from ats_signing_secrets s
               where s.tenant_id = $1 and s.connection_id = $2) as sealed
       from ats_tokens t where t.tenant_id = $1 and t.connection_id = $2 and t.id = $3`,
      [tenantId, id, tokenId],
    );
    if (rows.length === 0) return null;
    const connection = await this.fresh(tenantId, id);
    if (connection === undefined) return null;
    const opened = (rows[0]!.sealed ?? []).flatMap(({ sealed, made }) => {
      const text = this.openSigningSecret(tenantId, id, sealed);
      return text === null ? [] : [{ text, made }];
    });
    const texts = (some: typeof opened): string[] => some.map(({ text }) => text);
    return {
      connection,
      secrets: texts(opened),
      handMade: texts(opened.filter(({ made }) => !made)),
      unreadable: opened.length < (rows[0]!.sealed?.length ?? 0),
    };
  }

  private opened(row: AtsConnectionRow): AtsConnection {
    const { tenant_id: tenantId, id } = row;
    return {
      tenantId,
      id,
      provider: row.provider,
      name: row.name,
      region: row.region,
      baseUrl: row.base_url,
      marker: row.marker,
      state: row.state,
      paused: row.paused,
      takes: row.takes,
      writes: row.writes,
      approvedBy: row.approved_by,
      credential: this.openCredential(tenantId, id, row.credential_sealed),
      createdAt: row.created_at,
    };
  }

  sealCredential(tenantId: string, connectionId: string, credential: Credential): string {
    return this.sealer.seal(JSON.stringify(credential), credentialAad(tenantId, connectionId));
  }

  sealSigningSecret(tenantId: string, connectionId: string, secret: string): string {
    return this.sealer.seal(secret, signingAad(tenantId, connectionId));
  }

  openCredential(tenantId: string, connectionId: string, sealed: string | null): Credential | null {
    const text = sealed === null ? null : this.sealer.unsealOrNull(sealed, credentialAad(tenantId, connectionId));
    // Sealed by this class alone, and GCM authenticates.
    return text === null ? null : (JSON.parse(text) as Credential);
  }

  private openSigningSecret(tenantId: string, connectionId: string, sealed: string): string | null {
    return this.sealer.unsealOrNull(sealed, signingAad(tenantId, connectionId));
  }
}

export function hashOfAtsToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** The one rule for addresses of ATSs that tenants name, and our own addresses that ATSs know. */
@Injectable()
export class AtsAddresses {
  constructor(
    private readonly config: Config,
    private readonly outbound: Outbound,
  ) {}

  /** Returns why an address of an API cannot be used, or null. `Outbound` checks each connection again. */
  async problemOf(text: string, tenantId: string, connector: Connector): Promise<string | null> {
    const anyPrivate = this.config.allowPrivateDestinations;
    const admission = { anyPrivate, networks: new DestinationNetworks(this.config.destinationNetworks) };
    const refusal = refusalOfUrl(text, 'platform', admission);
    // Where private addresses are allowed, ports are not limited; an address outside the web is refused anyway.
    if (refusal !== null && !(anyPrivate && isWeb(text))) return refusal;
    const url = new URL(text);
    if (url.search !== '' || url.hash !== '') return 'must have neither a query nor a fragment';
    const wrong = connector.addressProblem?.(url) ?? null;
    if (wrong !== null) return wrong;
    const found = await this.outbound.refusalOf(url, tenantId, anyPrivate);
    if (found === null) return null;
    return found === 'unknown_name'
      ? 'cannot be reached: its name cannot be looked up'
      : `must lead to public addresses alone (${PRIVATE_HINT})`;
  }

  /** The address to which an ATS sends its webhooks; with the token, as the ATS has it. */
  inbound(provider: string, token?: string): string {
    const address = `${this.config.baseUrl}/api/webhooks/${provider}`;
    return token === undefined ? address : `${address}?api_token=${encodeURIComponent(token)}`;
  }

  /** Returns the token of an address that leads to {@link inbound}; null for other addresses. */
  tokenIn(address: string, provider: string): string | null {
    const url = parsedUrl(address);
    if (url === null) return null;
    const token = url.searchParams.get('api_token') ?? '';
    return url.origin + url.pathname === new URL(this.inbound(provider)).href && token !== '' ? token : null;
  }

  callback(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/callback`;
  }

  /** Where a person begins; an ATS opens it from its settings page. */
  start(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/start`;
  }

  connectLink(provider: string, secret?: string): string {
    const page = `${this.config.appUrl}/api/integrations/${provider}/connect`;
    return secret === undefined ? page : `${page}#${secret}`;
  }

  writer(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/writer`;
  }

  get origin(): string {
    return new URL(this.config.appUrl).origin;
  }
}

function isWeb(text: string): boolean {
  const url = parsedUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '';
}
