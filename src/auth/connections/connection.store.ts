import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { AuthAddresses } from './addresses.js';
import { ConnectionSecrets, type SealedConnectionSecrets } from './connection-secrets.js';
import { connectionOf } from './connection.mapping.js';
import type { ConnectionHead, Typed } from './connection.settings.js';
import type { Connection } from './connection.js';
import { SLUG } from './slug.rules.js';

type StoredConnection = Typed<ConnectionHead & SealedConnectionSecrets>;

const TTL = 800;
const COLUMNS = `c.tenant_id, c.id, c.slug, c.name, c.type, c.enabled, c.version, c.directory_id, c.settings,
  c.client_secret_sealed, c.private_key_sealed, c.tested_at`;

/** Connections as sign-ins use them: with opened secrets, without deleted ones. */
@Injectable()
export class ConnectionStore {
  private readonly single: FreshCache<Connection | null>;
  private readonly lists: FreshCache<Connection[]>;

  constructor(
    private readonly db: Database,
    private readonly secrets: ConnectionSecrets,
    private readonly addresses: AuthAddresses,
    clock: Clock,
  ) {
    this.single = new FreshCache(clock, TTL, { proof: db.feed });
    this.lists = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['connections', 'connection_slugs'], () => this.drop());
  }

  /**
   * Returns a connection by the slug of an address, before the tenant is known. A text that cannot be a slug is neither
   * queried nor cached.
   */
  bySlug(slug: string): Promise<Connection | null> {
    if (!SLUG.test(slug)) return Promise.resolve(null);
    return this.single.get(`slug ${slug}`, async () => {
      const { rows } = await this.db.query<StoredConnection>(
        `select ${COLUMNS} from connection_slugs s
         join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
         where s.slug = $1 and c.deleted_at is null`,
        [slug],
      );
      return rows[0] === undefined ? null : this.open(rows[0]);
    });
  }

  byId(tenantId: string, id: string): Promise<Connection | null> {
    return this.single.get(`id ${tenantId} ${id}`, async () => {
      const { rows } = await this.db.query<StoredConnection>(
        `select ${COLUMNS} from connections c where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null`,
        [tenantId, id],
      );
      return rows[0] === undefined ? null : this.open(rows[0]);
    });
  }

  /**
   * Returns the enabled OIDC connections of an issuer, of any tenant; at most three, since more than one is ambiguous
   * anyway. Not cached: the text comes from any caller.
   */
  async byIssuer(issuer: string): Promise<Connection[]> {
    if (issuer.length > 2_048 || issuer.includes('\0')) return [];
    const { rows } = await this.db.query<StoredConnection>(
      `select ${COLUMNS} from connections c
       where c.settings ->> 'issuer' = $1 and c.type = 'oidc' and c.enabled and c.deleted_at is null
       limit 3`,
      [issuer],
    );
    return rows.map((row) => this.open(row));
  }

  /** Returns the enabled connections of a tenant, oldest first. */
  ofTenant(tenantId: string): Promise<Connection[]> {
    return this.lists.get(tenantId, async () => {
      const { rows } = await this.db.query<StoredConnection>(
        `select ${COLUMNS} from connections c
         where c.tenant_id = $1 and c.enabled and c.deleted_at is null order by c.id`,
        [tenantId],
      );
      return rows.map((row) => this.open(row));
    });
  }

  /**
   * Whether a connection is enabled and unchanged since a sign-in began. Run in the transaction that writes the
   * session: a change of the connection waits for it, and then ends the session.
   */
  async holds(tx: SqlRunner, connection: Connection): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from connections
       where tenant_id = $1 and id = $2 and version = $3 and enabled and deleted_at is null for share`,
      [connection.tenantId, connection.id, connection.version],
    );
    return rowCount === 1;
  }

  /** Notes a successful sign-in, real or test, with the present settings. */
  async noteSuccess({ tenantId, id, version, testedAt }: Connection): Promise<void> {
    if (testedAt !== null) return;
    await this.db.query(
      `update connections set tested_at = now()
       where tenant_id = $1 and id = $2 and version = $3 and tested_at is null and deleted_at is null`,
      [tenantId, id, version],
    );
    this.drop();
  }

  /** After a change made here: resolves when no process goes by the old values. */
  forget(): Promise<void> {
    this.drop();
    return this.db.feed.settled();
  }

  private drop(): void {
    this.single.drop();
    this.lists.drop();
  }

  private open(row: StoredConnection): Connection {
    const { tenant_id, id } = row;
    return connectionOf(row, {
      clientSecret: this.secrets.clientSecret(tenant_id, id, row.client_secret_sealed),
      privateKey: this.secrets.privateKey(tenant_id, id, row.private_key_sealed),
      metadataAddress: this.addresses.metadata(row.slug),
    });
  }
}
