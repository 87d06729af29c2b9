import type { Clock } from '../../base/clock.js';
import type { Database } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { CredentialLookups, nameOfToken, type Named } from './credential-lookups.js';

/** What each kind of credential stores. */
export interface CredentialRow {
  id: string;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** A stored credential, and why it is not valid; null: it is. */
export interface FoundCredential<C> {
  credential: C;
  ended: 'revoked' | 'expired' | null;
}

/** A kind of credentials. */
export interface CredentialKind<Row extends CredentialRow, C> {
  /** The table whose changes drop what is kept. */
  table: string;
  /** The query that reads one credential; the arguments are SQL expressions. */
  query: (tenantId: string, hash: string) => string;
  make: (row: Row, tenantId: string) => C;
  /** The feed of settings has each change that matters: what is kept holds until it says otherwise. */
  isProved: boolean;
}

interface Kept<C> {
  credential: C;
  expiresAt: number;
  revokedAt: number;
}

const TTL = 800;
/** Credentials that are remembered; more than the busiest process has in use. */
const CAPACITY = 20_000;
const NO_HASH = Buffer.alloc(0);

/**
 * Finds the credentials of a kind by their tokens.
 *
 * A token that this process has found before is read again on its tenant's share of the database. Any other token is
 * looked up in a batch with all the other unknown ones: a flood of wrong tokens delays a valid one by a batch and never
 * refuses it.
 */
export class CredentialCache<Row extends CredentialRow, C> {
  private readonly kept: FreshCache<Kept<C> | null>;
  private readonly unknown: CredentialLookups<Row, Named>;
  private readonly readOne: string;
  /** The name under which the token of a credential id is cached. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly kind: CredentialKind<Row, C>,
  ) {
    const { table, query, isProved } = kind;
    this.kept = new FreshCache(clock, TTL, { capacity: CAPACITY, proof: isProved ? db.feed : null });
    db.feed.on([table], (row) => (row === null ? this.dropAll() : this.drop(row.id)));
    this.readOne = query('$1', '$2');
    // No query may use the name `asked` itself: its condition would compare a row with itself. `limit 1` keeps each probe a look into the index, also when the planner misjudges the arrays.
    const many = `select asked.tenant_id as of_tenant, asked.hash as of_hash, c.* from unnest($1::text[], $2::bytea[]) asked (tenant_id, hash)
      cross join lateral (${query('asked.tenant_id', 'asked.hash')} limit 1) c`;
    this.unknown = new CredentialLookups((tokens) => this.readMany(many, tokens));
  }

  /** Returns the credential of a token, also an ended one; null: there is none. */
  async find(token: Named): Promise<FoundCredential<C> | null> {
    const found = await this.keptOf(token);
    return found === null ? null : { credential: found.credential, ended: this.endOf(found) };
  }

  /** After a change made here: resolves when no process goes by the old values. */
  forget(...credentialIds: string[]): Promise<void> {
    for (const id of credentialIds) this.drop(id);
    return this.db.feed.settled();
  }

  /** As `forget`, for all credentials of a tenant: rows of another table that they end with have changed. */
  forgetAll(tenantId: string): Promise<void> {
    this.dropAll(tenantId);
    return this.db.feed.settled();
  }

  /** Removes the credentials of a tenant, or all: they are read again. */
  dropAll(tenantId?: string): void {
    this.kept.dropAll(tenantId === undefined ? '' : nameOfToken(tenantId, NO_HASH));
  }

  private async keptOf(token: Named): Promise<Kept<C> | null> {
    const name = nameOfToken(token.tenantId, token.hash);
    if (this.kept.knows(name)) {
      const known = await this.kept.get(name, async () => {
        const { rows } = await this.db.query<Row>(this.readOne, [token.tenantId, token.hash]);
        return this.remember(name, rows[0] ?? null, token.tenantId);
      });
      if (known === null) this.kept.drop(name);
      return known;
    }
    // Only what exists is kept: wrong tokens must not push valid ones out of the cache.
    const { drops } = this.kept;
    const made = this.remember(name, await this.unknown.find(token), token.tenantId);
    if (made !== null && !this.kept.knows(name) && this.kept.drops === drops) {
      void this.kept.get(name, () => Promise.resolve(made));
    }
    return made;
  }

  private remember(name: string, row: Row | null, tenantId: string): Kept<C> | null {
    if (row === null) return null;
    const { names } = this;
    if (names.size >= 2 * CAPACITY && !names.has(row.id)) names.delete(names.keys().next().value!);
    names.set(row.id, name);
    return {
      credential: this.kind.make(row, tenantId),
      expiresAt: row.expires_at?.getTime() ?? Infinity,
      revokedAt: row.revoked_at?.getTime() ?? Infinity,
    };
  }

  private async readMany(sql: string, tokens: readonly Named[]): Promise<Map<string, Row>> {
    const { rows } = await this.db.query<Row & { of_tenant: string; of_hash: Buffer }>(sql, [
      tokens.map(({ tenantId }) => tenantId),
      tokens.map(({ hash }) => hash),
    ]);
    return new Map(rows.map((row) => [nameOfToken(row.of_tenant, row.of_hash), row]));
  }

  private drop(credentialId: string): void {
    const name = this.names.get(credentialId);
    this.names.delete(credentialId);
    // The name is learned from the row, which may be on its way.
    if (name === undefined) this.kept.dropLoading();
    else this.kept.drop(name);
  }

  private endOf(found: Kept<C>): FoundCredential<C>['ended'] {
    const now = this.clock.now().getTime();
    if (now >= found.revokedAt) return 'revoked';
    return now >= found.expiresAt ? 'expired' : null;
  }
}
