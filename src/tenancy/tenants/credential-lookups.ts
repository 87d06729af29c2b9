import type { ParsedToken } from '../../base/crypto/tokens.js';
import { Unavailable } from '../../base/errors/domain-error.js';

/** Tokens of one statement at the most. */
const BATCH = 500;
/** Look-ups that wait at the most; open connections bound them as well. */
const WAITING = 10_000;

/** What names a token: the tenant, or what else its hash is looked up within. */
export type Named = Pick<ParsedToken, 'tenantId' | 'hash'>;

interface Pending<Row, Token> {
  token: Token;
  found: Promise<Row | null>;
  resolve: (row: Row | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Looks up tokens that this process does not know, in batches: one statement at a time, with all that came meanwhile.
 * However many wrong tokens come, they cost one connection and an index probe each, so that no limit is needed in
 * front of them that a valid token could run into. The load is the installation's: a wrong token names any tenant.
 */
export class CredentialLookups<Row, Token extends Named = ParsedToken> {
  private waiting = new Map<string, Pending<Row, Token>>();
  private running = false;

  /** @param load answers the rows of the tokens that exist, by {@link nameOfToken} */
  constructor(private readonly load: (tokens: readonly Token[]) => Promise<ReadonlyMap<string, Row>>) {}

  /**
   * The row of a token, or null when there is none.
   *
   * @throws {Unavailable} when too many look-ups wait
   */
  find(token: Token): Promise<Row | null> {
    const name = nameOfToken(token.tenantId, token.hash);
    const known = this.waiting.get(name);
    if (known !== undefined) return known.found;
    if (this.waiting.size >= WAITING) {
      return Promise.reject(new Unavailable('Too many unknown credentials are being looked up just now.', 1));
    }
    let pending!: Pending<Row, Token>;
    const found = new Promise<Row | null>((resolve, reject) => {
      pending = { token, resolve, reject } as Pending<Row, Token>;
    });
    pending.found = found;
    this.waiting.set(name, pending);
    if (!this.running) void this.run();
    return found;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.size > 0) {
      const batch = [...this.waiting].slice(0, BATCH);
      for (const [name] of batch) this.waiting.delete(name);
      try {
        const rows = await this.load(batch.map(([, { token }]) => token));
        for (const [name, { resolve }] of batch) resolve(rows.get(name) ?? null);
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    this.running = false;
  }
}

/** The name of a token in a batch. */
export function nameOfToken(tenantId: string, hash: Buffer): string {
  return `${tenantId} ${hash.toString('latin1')}`;
}
