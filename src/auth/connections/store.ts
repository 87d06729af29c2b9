import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Sealer } from '../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { clientKeyProblem, newClientKey } from '../../protocols/oidc/client-keys.js';
import { AuthAddresses } from './addresses.js';
import type { Connection, ConnectionHead, Typed } from './connection.js';
import type { ConnectionDraft } from './draft.rules.js';
import type { ConnectionFields } from './dto.js';
import { SLUG } from './names.rules.js';
import type { SecretPlan } from './oidc.rules.js';

export type PrivateJwk = Readonly<Record<string, unknown>>;

export interface SealedConnectionSecrets {
  client_secret_sealed: string | null;
  private_key_sealed: string | null;
}

function sealedAfter(
  plan: SecretPlan<string | PrivateJwk>,
  stored: string | null,
  made: string | null,
  seal: (text: string) => string,
): string | null {
  switch (plan.kind) {
    case 'keep':
      return stored;
    case 'drop':
      return null;
    case 'make':
      return made === null ? null : seal(made);
    case 'set':
      return seal(typeof plan.secret === 'string' ? plan.secret : JSON.stringify(plan.secret));
  }
}

function aad(tenantId: string, secret: 'client_secret' | 'private_key', id: string): string {
  return `${tenantId}:connections.${secret}:${id}`;
}

export interface Opened {
  clientSecret: string | null;
  privateKey: Readonly<Record<string, unknown>> | null;
  metadataAddress: string;
}

export function connectionOf(row: Typed<ConnectionHead>, opened: Opened): Connection {
  const { settings } = row;
  const common = {
    tenantId: row.tenant_id,
    id: row.id,
    slug: row.slug,
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    testedAt: row.tested_at,
    directoryId: row.directory_id,
    linkClaim: settings.link_claim,
    claimMap: settings.claim_map,
    emailTrust: settings.email_trust ?? ('domain' as const),
    roleMap: settings.role_map,
    jit: settings.jit,
    defaultRole: settings.default_role,
    returnOrigins: settings.return_origins,
  };
  if (row.type === 'oidc') {
    const oidc = row.settings;
    return {
      ...common,
      type: 'oidc',
      issuer: oidc.issuer,
      discoveryUrl: oidc.discovery_url ?? null,
      clientId: oidc.client_id,
      tokenAuth: oidc.token_auth,
      clientSecret: opened.clientSecret,
      privateKey: opened.privateKey,
      scopes: oidc.scopes,
      idTokenAlg: oidc.id_token_alg,
      userInfo: oidc.user_info,
      maxAgeSeconds: oidc.max_age_seconds,
      acrValues: oidc.acr_values,
    };
  }
  const saml = row.settings;
  return {
    ...common,
    type: 'saml',
    idpEntityId: saml.idp_entity_id,
    ssoUrl: saml.sso_url,
    ssoBinding: saml.sso_binding,
    sloUrl: saml.slo_url,
    sloBinding: saml.slo_binding,
    sloResponseUrl: saml.slo_response_url,
    certificates: saml.certificates.map(({ pem }) => pem),
    signed: saml.signed,
    signRequests: saml.sign_requests,
    allowIdpInitiated: saml.allow_idp_initiated,
    nameIdFormat: saml.name_id_format,
    subjectClaim: saml.subject_claim ?? null,
    spEntityId: saml.sp_entity_id ?? opened.metadataAddress,
    clockSkewSeconds: saml.clock_skew_seconds,
    authnContexts: saml.authn_contexts,
  };
}

type StoredConnection = Typed<ConnectionHead & SealedConnectionSecrets>;

const TTL = 800;
const COLUMNS = `c.tenant_id, c.id, c.slug, c.name, c.type, c.enabled, c.version, c.directory_id, c.settings,
  c.client_secret_sealed, c.private_key_sealed, c.tested_at`;

/** Connections as sign-ins use them: secrets in plain text, no deleted ones. Each seal is bound to tenant, column and row. */
@Injectable()
export class ConnectionStore {
  private readonly single: FreshCache<Connection | null>;
  private readonly lists: FreshCache<Connection[]>;

  constructor(
    private readonly db: Database,
    private readonly addresses: AuthAddresses,
    clock: Clock,
    private readonly sealer: Sealer,
  ) {
    this.single = new FreshCache(clock, TTL, { proof: db.feed });
    this.lists = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['connections', 'connection_slugs'], () => this.drop());
  }

  /** Returns the connection of a slug. A text that cannot be a slug is neither queried nor cached. */
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

  /** Of any tenant, at most three: more than one is ambiguous. Not cached: the text comes from any caller. */
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

  /** Oldest first. */
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
   * Whether a connection is enabled and unchanged since a sign-in began. Run in the transaction that writes the session: a
   * change of the connection waits for the transaction, and then ends the session.
   */
  async holds(tx: SqlRunner, connection: Connection): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from connections
       where tenant_id = $1 and id = $2 and version = $3 and enabled and deleted_at is null for share`,
      [connection.tenantId, connection.id, connection.version],
    );
    return rowCount === 1;
  }

  async noteSuccess({ tenantId, id, version, testedAt }: Connection): Promise<void> {
    if (testedAt !== null) return;
    await this.db.query(
      `update connections set tested_at = now()
       where tenant_id = $1 and id = $2 and version = $3 and tested_at is null and deleted_at is null`,
      [tenantId, id, version],
    );
    this.drop();
  }

  /** Resolves when no process uses the values from before a change. */
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
      clientSecret: this.clientSecret(tenant_id, id, row.client_secret_sealed),
      privateKey: this.privateKey(tenant_id, id, row.private_key_sealed),
      metadataAddress: this.addresses.metadata(row.slug),
    });
  }

  /**
   * Returns the private key of a request, or a new one where the request may need it. Generating a key takes time, so this runs
   * before anything is locked.
   *
   * @throws {InvalidFields} for a key that cannot be used
   */
  async keyFor(input: ConnectionFields, type: 'oidc' | 'saml'): Promise<PrivateJwk | null> {
    const { private_key: key } = input;
    if (type === 'saml') return null;
    if (key == null) {
      return key === null || input.token_auth === 'private_key_jwt' ? { ...(await newClientKey()) } : null;
    }
    const problem = clientKeyProblem(key);
    if (problem !== null) throw new InvalidFields([{ field: 'private_key', message: problem }]);
    return key;
  }

  sealedSecrets(
    tenantId: string,
    id: string,
    draft: ConnectionDraft,
    before: SealedConnectionSecrets | null,
    key: PrivateJwk | null,
  ): SealedConnectionSecrets {
    if (draft.type === 'saml') return { client_secret_sealed: null, private_key_sealed: null };
    const { clientSecret, privateKey } = draft.plans;
    const seal = (name: 'client_secret' | 'private_key') => (text: string) =>
      this.sealer.seal(text, aad(tenantId, name, id));
    const made = key === null ? null : JSON.stringify(key);
    return {
      client_secret_sealed: sealedAfter(
        clientSecret,
        before?.client_secret_sealed ?? null,
        null,
        seal('client_secret'),
      ),
      private_key_sealed: sealedAfter(privateKey, before?.private_key_sealed ?? null, made, seal('private_key')),
    };
  }

  private clientSecret(tenantId: string, id: string, sealed: string | null): string | null {
    return sealed === null ? null : this.sealer.unseal(sealed, aad(tenantId, 'client_secret', id));
  }

  private privateKey(tenantId: string, id: string, sealed: string | null): PrivateJwk | null {
    if (sealed === null) return null;
    return JSON.parse(this.sealer.unseal(sealed, aad(tenantId, 'private_key', id))) as PrivateJwk;
  }
}
