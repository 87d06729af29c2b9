import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../base/clock.js';
import type { ParsedToken } from '../../base/crypto/tokens.js';
import type { Database } from '../../base/database/database.js';
import { Unavailable } from '../../base/errors/domain-error.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { Gatherer, type GatherPolicy } from '../../base/gatherer.js';
import type { Logger } from '../../base/log/logger.js';

/** The number of open connections bounds waiting look-ups as well. */
const POLICY: GatherPolicy = {
  items: 500,
  bytes: Infinity,
  large: Infinity,
  waiting: 10_000,
  waitingBytes: Infinity,
  order: 'in turn',
};

/** The name of a token: its hash within a tenant, or within another owner. */
export type Named = Pick<ParsedToken, 'tenantId' | 'hash'>;

/**
 * Looks up tokens that this process does not know, in batches: one statement at a time for all that have arrived. Any
 * number of wrong tokens costs one connection and an index probe each. So no limit is needed that could refuse a valid
 * token. The load is the installation's: a wrong token can name any tenant.
 */
export class CredentialLookups<Row, Token extends Named = ParsedToken> {
  private readonly gatherer: Gatherer<Token, Row | null>;

  /** @param load returns the rows of existing tokens, by {@link nameOfToken} */
  constructor(load: (tokens: readonly Token[]) => Promise<ReadonlyMap<string, Row>>) {
    const together = async (tokens: readonly Token[]): Promise<(Row | null)[]> => {
      const rows = await load(tokens);
      return tokens.map((token) => rows.get(keyOf(token)) ?? null);
    };
    this.gatherer = new Gatherer<Token, Row | null>({
      alone: async (token) => (await together([token]))[0]!,
      together,
      keyOf,
      busy: () => new Unavailable('Too many unknown credentials are being looked up just now.', 1),
      policy: POLICY,
    });
  }

  /** @throws {Unavailable} when too many look-ups wait */
  find(token: Token): Promise<Row | null> {
    return this.gatherer.run('', token);
  }
}

const keyOf = ({ tenantId, hash }: Named): string => nameOfToken(tenantId, hash);

/** Returns the name of a token in a batch. */
export function nameOfToken(tenantId: string, hash: Buffer): string {
  return `${tenantId} ${hash.toString('latin1')}`;
}

/** The columns of each kind of credential. */
export interface CredentialRow {
  id: string;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** A stored credential, and why it is not valid; null for a valid one. */
export interface FoundCredential<C> {
  credential: C;
  ended: 'revoked' | 'expired' | null;
}

interface CredentialKind<Row extends CredentialRow, C> {
  table: string;
  /** The query that reads one credential; the arguments are SQL expressions. */
  query: (tenantId: string, hash: string) => string;
  make: (row: Row, tenantId: string) => C;
  /** The feed of settings has each relevant change: cached credentials are valid until it reports one. */
  isProved: boolean;
}

interface Kept<C> {
  credential: C;
  expiresAt: number;
  revokedAt: number;
}

const TTL = 800;
/** Cached credentials, more than the busiest process uses. */
const CAPACITY = 20_000;
const NO_HASH = Buffer.alloc(0);

/**
 * Finds the credentials of a kind by their tokens.
 *
 * A token that this process has found before is read again on its tenant's share of the database. Any other token is
 * looked up in a batch with all unknown ones: a flood of wrong tokens delays a valid one by a batch and never refuses
 * it.
 */
export class CredentialCache<Row extends CredentialRow, C> {
  private readonly kept: FreshCache<Kept<C> | null>;
  private readonly unknown: CredentialLookups<Row, Named>;
  private readonly readOne: string;
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
    // No query may use the name `asked` itself: its condition would compare a row with itself. `limit 1` keeps each
    // probe a look into the index, also when the planner misjudges the arrays.
    const many = `select asked.tenant_id as of_tenant, asked.hash as of_hash, c.* from unnest($1::text[], $2::bytea[]) asked (tenant_id, hash)
      cross join lateral (${query('asked.tenant_id', 'asked.hash')} limit 1) c`;
    this.unknown = new CredentialLookups((tokens) => this.readMany(many, tokens));
  }

  async find(token: Named): Promise<FoundCredential<C> | null> {
    const found = await this.keptOf(token);
    return found === null ? null : { credential: found.credential, ended: this.endOf(found) };
  }

  /** Resolves when no process uses the values before a change made here. */
  forget(...credentialIds: string[]): Promise<void> {
    for (const id of credentialIds) this.drop(id);
    return this.db.feed.settled();
  }

  /** The same for all credentials of a tenant, after a change of rows of another table that end them. */
  forgetAll(tenantId: string): Promise<void> {
    this.dropAll(tenantId);
    return this.db.feed.settled();
  }

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
    // Only existing credentials are cached: wrong tokens must not push valid ones out.
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
    // The row has the name, and may still be loading.
    if (name === undefined) this.kept.dropLoading();
    else this.kept.drop(name);
  }

  private endOf(found: Kept<C>): FoundCredential<C>['ended'] {
    const now = this.clock.now().getTime();
    if (now >= found.revokedAt) return 'revoked';
    return now >= found.expiresAt ? 'expired' : null;
  }
}

/** A credential of a tenant. */
export interface UsedCredential {
  tenantId: string;
  id: string;
}

const FLUSH_EVERY = 5_000;

/**
 * When each credential was last used. Stored in memory and written in batches, at most once a minute for a credential:
 * no request waits for the write, and a busy token does not become a busy row.
 */
export abstract class CredentialUses<Used extends UsedCredential = UsedCredential>
  implements OnModuleInit, OnApplicationShutdown
{
  private uses = new Map<string, Used & { at: Date }>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly logger: Logger) {}

  protected abstract write(uses: readonly (Used & { at: Date })[]): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.flush();
  }

  /** Stores that a credential is used now; of the uses until the next flush the last one counts. */
  note(used: Used): void {
    const known = this.uses.get(used.id);
    if (known === undefined) this.uses.set(used.id, { ...used, at: new Date() });
    else Object.assign(known, used, { at: new Date() });
  }

  /** Writes the stored uses. A use that cannot be written is dropped: it is a hint, not evidence. */
  async flush(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()];
    this.uses = new Map();
    try {
      await this.write(uses);
    } catch (error) {
      this.logger.warn('last uses of credentials not written', { error });
    }
  }
}

/** Stores the last uses in a table of credentials. */
export async function storeLastUses(
  db: Database,
  table: string,
  uses: readonly (UsedCredential & { at: Date })[],
): Promise<void> {
  await db.query(
    `update ${table} c set last_used_at = u.at
     from unnest($1::text[], $2::text[], $3::timestamptz[]) u (tenant_id, id, at)
     where c.tenant_id = u.tenant_id and c.id = u.id
       and (c.last_used_at is null or c.last_used_at < u.at - interval '60 seconds')`,
    [uses.map((use) => use.tenantId), uses.map((use) => use.id), uses.map((use) => use.at)],
  );
}
