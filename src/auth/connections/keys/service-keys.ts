import { createHash, generateKeyPair as generate } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { exportJWK, importSPKI, type JWK } from 'jose';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Sealer } from '../../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { FreshCache } from '../../../base/fresh-cache.js';
import { Logger } from '../../../base/log/logger.js';
import { IntervalWork } from '../../../base/work/work.js';
import { SamlKeySource, type SamlKeys } from '../../../protocols/saml/saml-settings.js';
import { InstallationAudit, type InstallationAct } from '../../../tenancy/tenants/audit/audit.service.js';

export type KeyPurpose = 'jwt' | 'saml';

/** `publicKey` is a JWK as text (jwt) or a certificate in PEM (saml). */
interface ServiceKey {
  id: string;
  /** PKCS#8, PEM. */
  privateKey: string;
  publicKey: string;
  activeFrom: Date;
  /** null while no newer key replaces it. */
  retiredAt: Date | null;
}

interface Row {
  id: string;
  private_key_sealed: string;
  public_key: string;
  active_from: Date;
  retired_at: Date | null;
}

const LOCKS: Record<KeyPurpose, string> = { jwt: '7234502820', saml: '7234502821' };

/** The additional data of the seal of a private key. */
export const keyAad = (purpose: string, id: string): string => `service_keys.private_key:${purpose}:${id}`;

const generateKeyPair = promisify(generate);
const DAY = 86_400;
/** A stolen key is withdrawn within a second, on every process. */
const TTL_MS = 800;

/** When a new key becomes active and when the old one ends, in seconds: verifiers have to know the new one before. */
const HANDOVER: Record<KeyPurpose, { activeIn: number; retireAfter: number }> = {
  // Verifiers keep a key set for five minutes; a token is valid for five.
  jwt: { activeIn: 600, retireAfter: DAY },
  // Administrators of IdPs load our metadata, many of them by hand.
  saml: { activeIn: 30 * DAY, retireAfter: 30 * DAY },
};
/** The age at which the JWT key is replaced automatically. The SAML key needs people and never is. */
const JWT_KEY_DAYS = 90;

export interface ServiceKeyView {
  id: string;
  purpose: KeyPurpose;
  active_from: Date;
  retired_at: Date | null;
  public_key: string;
}

interface Rotation {
  purpose: KeyPurpose;
  active_in_seconds?: number;
  /** The former key was stolen: the new one is active at once, and signatures of the former ones are refused. */
  retire_old?: boolean;
}

/** The signing keys of the installation. A key is generated at first need, and published before its use. */
@Injectable()
export class ServiceKeys extends SamlKeySource {
  private readonly cache: FreshCache<ServiceKey[]>;
  private askedAnew = -Infinity;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly audit: InstallationAudit,
    private readonly sealer: Sealer,
  ) {
    super();
    this.cache = new FreshCache(clock, TTL_MS, { proof: db.feed });
    db.feed.on(['service_keys'], () => this.cache.drop());
  }

  override async samlKeys(): Promise<SamlKeys> {
    const keys = await this.keys('saml');
    const pairs = keys.map((key) => ({ id: key.id, privateKey: key.privateKey, certificate: key.publicKey }));
    return { current: pairs[keys.indexOf(this.active(keys))]!, all: pairs };
  }

  async signer(): Promise<{ kid: string; privateKey: string }> {
    const { id, privateKey } = this.active(await this.keys('jwt'));
    return { kid: id, privateKey };
  }

  async jwks(): Promise<{ keys: JWK[] }> {
    return { keys: (await this.keys('jwt')).map((key) => JSON.parse(key.publicKey) as JWK) };
  }

  /** Reads the keys from the database, at most once a second: for a token with an unknown key. */
  async jwksAnew(): Promise<{ keys: JWK[] }> {
    const now = this.clock.monotonic();
    if (now - this.askedAnew >= 1_000) {
      this.askedAnew = now;
      this.cache.drop('jwt');
    }
    return this.jwks();
  }

  async list(purpose: KeyPurpose): Promise<ServiceKeyView[]> {
    return (await this.keys(purpose)).map((key) => ({
      id: key.id,
      purpose,
      active_from: key.activeFrom,
      retired_at: key.retiredAt,
      public_key: key.publicKey,
    }));
  }

  /**
   * Makes the next key. It is published at once, becomes active later, and the former one ends after that. The audit line of
   * the installation is written with the key.
   */
  async rotate(by: Pick<InstallationAct, 'actor' | 'requestId'>, how: Rotation): Promise<ServiceKeyView[]> {
    const { purpose, active_in_seconds: inSeconds, retire_old: retireOld = false } = how;
    const activeInSeconds = retireOld ? 0 : (inSeconds ?? HANDOVER[purpose].activeIn);
    await this.keys(purpose);
    const made = await this.make(purpose);
    await this.db.transaction(null, async (tx) => {
      await this.lockKeys(tx, purpose);
      await this.insertKey(tx, purpose, made, activeInSeconds);
      const retireIn = retireOld ? 0 : activeInSeconds + HANDOVER[purpose].retireAfter;
      await this.retireOthers(tx, purpose, made.id, retireIn);
      const act = { ...by, action: 'signing_key.rotated', targetType: 'signing_key', targetId: made.id };
      const after = { purpose, active_in_seconds: activeInSeconds, retire_old: retireOld };
      await this.audit.record({ ...act, after }, tx);
    });
    this.cache.drop(purpose);
    await this.db.feed.settled();
    return this.list(purpose);
  }

  /** Replaces the JWT key when it is old. One of several processes does it. */
  async rotateIfOld(): Promise<boolean> {
    const keys = await this.keys('jwt');
    const newest = keys[0]!.activeFrom.getTime();
    if (this.clock.now().getTime() - newest < JWT_KEY_DAYS * DAY * 1000) return false;
    const made = await this.make('jwt');
    const rotated = await this.db.transaction(null, async (tx) => {
      await this.lockKeys(tx, 'jwt');
      const [latest] = await this.keyRows('jwt', tx);
      if (latest!.id !== keys[0]!.id) return false;
      await this.insertKey(tx, 'jwt', made, HANDOVER.jwt.activeIn);
      await this.retireOthers(tx, 'jwt', made.id, HANDOVER.jwt.activeIn + HANDOVER.jwt.retireAfter);
      return true;
    });
    this.cache.drop('jwt');
    return rotated;
  }

  private keys(purpose: KeyPurpose): Promise<ServiceKey[]> {
    return this.cache.get(purpose, async () => {
      const known = await this.keyRows(purpose);
      return known.length > 0 ? known : this.makeFirst(purpose);
    });
  }

  private async makeFirst(purpose: KeyPurpose): Promise<ServiceKey[]> {
    const made = await this.make(purpose);
    return this.db.transaction(null, async (tx) => {
      await this.lockKeys(tx, purpose);
      const known = await this.keyRows(purpose, tx);
      if (known.length > 0) return known; // another process was faster
      await this.insertKey(tx, purpose, made, 0);
      return this.keyRows(purpose, tx);
    });
  }

  /** Returns the newest key that is already active, else the oldest. */
  private active(keys: ServiceKey[]): ServiceKey {
    const now = this.clock.now().getTime();
    return keys.find((key) => key.activeFrom.getTime() <= now) ?? keys.at(-1)!;
  }

  private async make(purpose: KeyPurpose): Promise<Pick<ServiceKey, 'id' | 'privateKey' | 'publicKey'>> {
    const { publicKey, privateKey } = await generateKeyPair('rsa', {
      modulusLength: purpose === 'jwt' ? 2048 : 3072,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const id = createHash('sha256').update(publicKey).digest('base64url').slice(0, 22);
    if (purpose === 'jwt') {
      const jwk = await exportJWK(await importSPKI(publicKey, 'RS256'));
      return { id, privateKey, publicKey: JSON.stringify({ ...jwk, kid: id, alg: 'RS256', use: 'sig' }) };
    }
    // SAML pins keys and ignores names and dates (SAML Metadata Interoperability Profile §2.6.1).
    const now = this.clock.now();
    // A large module, needed once in years.
    const { generate: selfSigned } = await import('selfsigned');
    const { cert } = await selfSigned(
      [{ name: 'commonName', value: `talent-bridge ${new URL(this.config.appUrl).hostname}` }],
      {
        keyPair: { publicKey, privateKey },
        algorithm: 'sha256',
        notBeforeDate: now,
        notAfterDate: new Date(now.getTime() + 10 * 365 * DAY * 1000),
      },
    );
    return { id, privateKey, publicKey: cert };
  }

  private async keyRows(purpose: KeyPurpose, db: SqlRunner = this.db): Promise<ServiceKey[]> {
    const { rows } = await db.query<Row>(
      `select id, private_key_sealed, public_key, active_from, retired_at from service_keys
       where purpose = $1 and (retired_at is null or retired_at > now()) order by created_at desc, id desc`,
      [purpose],
    );
    return rows.map((row) => ({
      id: row.id,
      privateKey: this.sealer.unseal(row.private_key_sealed, keyAad(purpose, row.id)),
      publicKey: row.public_key,
      activeFrom: row.active_from,
      retiredAt: row.retired_at,
    }));
  }

  private async lockKeys(tx: SqlRunner, purpose: KeyPurpose): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock($1::bigint)`, [LOCKS[purpose]]);
  }

  private async insertKey(
    tx: SqlRunner,
    purpose: KeyPurpose,
    key: Pick<ServiceKey, 'id' | 'privateKey' | 'publicKey'>,
    activeInSeconds: number,
  ): Promise<void> {
    await tx.query(
      // The time of writing: the transaction may have begun before another one ended.
      `insert into service_keys (purpose, id, private_key_sealed, public_key, created_at, active_from)
       values ($1, $2, $3, $4, clock_timestamp(), now() + make_interval(secs => $5))`,
      [purpose, key.id, this.sealer.seal(key.privateKey, keyAad(purpose, key.id)), key.publicKey, activeInSeconds],
    );
  }

  /** Sets the end of the other keys, counted from when the newest one becomes active. */
  private async retireOthers(tx: SqlRunner, purpose: KeyPurpose, newest: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update service_keys set retired_at = now() + make_interval(secs => $3)
       where purpose = $1 and id <> $2 and (retired_at is null or retired_at > now() + make_interval(secs => $3))`,
      [purpose, newest, inSeconds],
    );
  }
}

@Injectable()
export class KeyRenewal extends IntervalWork {
  override readonly kind = 'service_keys.renewal';
  override readonly everyMs = 6 * 3_600_000;

  constructor(
    private readonly keys: ServiceKeys,
    private readonly logger: Logger,
  ) {
    super();
  }

  override async run(): Promise<void> {
    if (await this.keys.rotateIfOld()) this.logger.info('a new key signs tokens soon');
  }
}
