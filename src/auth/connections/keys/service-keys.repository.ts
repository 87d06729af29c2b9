import { Injectable } from '@nestjs/common';
import { Sealer } from '../../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';

/** What a key of the installation signs: JWTs or SAML messages. */
export type KeyPurpose = 'jwt' | 'saml';

/** A key of the installation. `publicKey` is a JWK as text (jwt) or a certificate in PEM (saml). */
export interface ServiceKey {
  id: string;
  /** PKCS#8, PEM. */
  privateKey: string;
  publicKey: string;
  activeFrom: Date;
  /** The end of its use; null: not known yet. */
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

/** SQL of the installation's keys; their private parts are sealed. */
@Injectable()
export class ServiceKeysRepository {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  /** Lists the keys that are not retired, newest first. */
  async list(purpose: KeyPurpose, db: SqlRunner = this.db): Promise<ServiceKey[]> {
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

  /** Locks a purpose against other processes until the transaction ends. */
  async lock(tx: SqlRunner, purpose: KeyPurpose): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock($1::bigint)`, [LOCKS[purpose]]);
  }

  async insert(
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

  /** Sets the end of the keys before the newest one, counted from when it becomes active. */
  async retireOthers(tx: SqlRunner, purpose: KeyPurpose, newest: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update service_keys set retired_at = now() + make_interval(secs => $3)
       where purpose = $1 and id <> $2 and (retired_at is null or retired_at > now() + make_interval(secs => $3))`,
      [purpose, newest, inSeconds],
    );
  }
}
