import type { ParsedToken } from '../../base/crypto/tokens.js';
import { Unavailable } from '../../base/errors/domain-error.js';
import { Gatherer, type GatherPolicy } from '../../base/gatherer.js';

/** Open connections bound the look-ups that wait as well. */
const POLICY: GatherPolicy = {
  items: 500,
  bytes: Infinity,
  large: Infinity,
  waiting: 10_000,
  waitingBytes: Infinity,
  order: 'in turn',
};

/** What names a token: the tenant, or what else its hash is looked up within. */
export type Named = Pick<ParsedToken, 'tenantId' | 'hash'>;

/**
 * Looks up tokens that this process does not know, in batches: one statement at a time, with all that came meanwhile.
 * However many wrong tokens come, they cost one connection and an index probe each, so that no limit is needed in
 * front of them that a valid token could run into. The load is the installation's: a wrong token names any tenant.
 */
export class CredentialLookups<Row, Token extends Named = ParsedToken> {
  private readonly gatherer: Gatherer<Token, Row | null>;

  /** @param load answers the rows of the tokens that exist, by {@link nameOfToken} */
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

  /**
   * The row of a token, or null when there is none.
   *
   * @throws {Unavailable} when too many look-ups wait
   */
  find(token: Token): Promise<Row | null> {
    return this.gatherer.run('', token);
  }
}

const keyOf = ({ tenantId, hash }: Named): string => nameOfToken(tenantId, hash);

/** The name of a token in a batch. */
export function nameOfToken(tenantId: string, hash: Buffer): string {
  return `${tenantId} ${hash.toString('latin1')}`;
}
