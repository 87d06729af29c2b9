import type { Clock } from '../../base/clock.js';
import { OidcRefused } from './oidc-refused.js';
import { discoveryKeyOf, type KeyOwner } from './discovery.js';
import type { OidcServer } from './discovery.rules.js';
import type { GuardedFetch } from './guarded-fetch.js';
import { fitting, readKeys, type IdpKey } from './jwks.rules.js';
import type { SignedToken } from './jwt.rules.js';
import { shorten } from './json.rules.js';
import { isTokenSignedBy } from './signature.js';
import { IDP_RETRIES_MS, LastGood } from './last-good.js';

const MINUTE = 60_000;

type KeySetPlace = Pick<OidcServer, 'jwksUri'>;

/** The source of a token: the IdP, in answer to our request, or any caller who posts a token. */
type TokenSource = 'idp' | 'caller';

/**
 * The key sets of IdPs. A set is used for a minute, so that a withdrawn key is accepted no longer than that. While the
 * IdP is not available, the last set is used for a day.
 *
 * An unknown key makes the set be read again, at most once a minute, and after 2, 5 and 15 s when that failed or
 * brought no such key. The first token with a new key therefore meets the rotation, and forged tokens cost the IdP
 * little. Tokens of callers have a budget of their own: they cannot use up that of sign-ins.
 */
export class JwksStore {
  private readonly known: LastGood<readonly IdpKey[]>;

  constructor(
    private readonly idp: GuardedFetch,
    clock: Clock,
  ) {
    const pauses = { pauseMs: MINUTE, retriesMs: IDP_RETRIES_MS };
    this.known = new LastGood(clock, { freshMs: MINUTE, keepMs: 24 * 60 * MINUTE, ...pauses, capacity: 2_000 });
  }

  /**
   * Verifies the signature of a token with the keys of the IdP. A token without `kid` is tried with five keys that fit.
   *
   * @throws {OidcRefused} `signature_invalid`; `idp_unreachable`, `idp_answer_invalid` when the key set cannot be read
   */
  async verify(owner: KeyOwner, server: KeySetPlace, token: SignedToken, source: TokenSource): Promise<void> {
    const key = `${discoveryKeyOf(owner)} ${server.jwksUri}`;
    const load = (): Promise<readonly IdpKey[]> => this.read(owner.tenantId, server);
    const { alg, kid } = token.header;
    const keys = await this.known.get(key, load);
    const known = fitting(keys, alg, kid);
    if (await isTokenSignedBy(owner.tenantId, token, known)) return;
    let newer = keys;
    try {
      newer = await this.known.again(key, source, load, (found) => fitting(found, alg, kid).length > 0);
    } catch (error) {
      // When a known key fits, the signature is wrong. When none fits, the outage is the reason.
      if (known.length === 0) throw error;
    }
    const fit = newer === keys ? known : fitting(newer, alg, kid);
    if (newer !== keys && (await isTokenSignedBy(owner.tenantId, token, fit))) return;
    throw new OidcRefused(
      'signature_invalid',
      fit.length > 0
        ? `The signature (${alg}) was not made with the key of the IdP.`
        : `The IdP has no key ${kid === null ? '' : `${shorten(kid, 80)} `}for signatures with ${alg}.`,
    );
  }

  /** Reads the present keys past the cache. Throws as `verify`. */
  async read(tenantId: string, server: KeySetPlace): Promise<readonly IdpKey[]> {
    return readKeys(await this.idp.of(tenantId).json('jwks', server.jwksUri));
  }
}
