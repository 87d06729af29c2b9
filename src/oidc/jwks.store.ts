import type { Clock } from '../base/clock.js';
import type { OidcSettings } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import { keyOf } from './discovery.js';
import type { OidcServer } from './discovery.rules.js';
import type { GuardedFetch } from './guarded-fetch.js';
import { fitting, readKeys, type IdpKey } from './jwks.rules.js';
import type { SignedToken } from './jwt.rules.js';
import { shorten } from './json.rules.js';
import { isSignedBy } from './signature.js';
import { IDP_RETRIES_MS, LastGood } from './last-good.js';

const MINUTE = 60_000;

/** Who brings a token: the IdP itself, whom we have asked for it, or anybody, who says that it is a logout. */
export type TokenBringer = 'idp' | 'anybody';

/**
 * The keys of IdPs. A set is used for a minute after the IdP gave it, so that a key which the IdP withdraws is believed no
 * longer than that; while the IdP gives none, the last set is used for a day.
 *
 * A key that is not known makes the set be fetched again, once a minute, and after 2, 5 and 15 s where that failed or
 * brought no such key: so a rotation is met by the first token that shows it, and made-up tokens cost an IdP little. What
 * anybody may bring has a budget of its own: it cannot use up the one by which a sign-in would meet the rotation.
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
   * Verifies the signature of a token with the keys of the connection's IdP. A token that names no key is tried with
   * each one that fits.
   *
   * @throws OidcRefused signature_invalid; idp_unreachable, idp_answer_invalid: of the key set
   */
  async verify(connection: OidcSettings, server: OidcServer, token: SignedToken, bringer: TokenBringer): Promise<void> {
    const key = `${keyOf(connection)} ${server.jwksUri}`;
    const load = (): Promise<readonly IdpKey[]> => this.read(connection.tenantId, server);
    const { alg, kid } = token.header;
    const keys = await this.known.get(key, load);
    const known = fitting(keys, alg, kid);
    if (await isSignedBy(token, known)) return;
    let newer = keys;
    try {
      newer = await this.known.again(key, bringer, load, (found) => fitting(found, alg, kid).length > 0);
    } catch (error) {
      // With keys that fit the answer is known: the signature is wrong. Without any, it is the outage that is to blame.
      if (known.length === 0) throw error;
    }
    const fit = newer === keys ? known : fitting(newer, alg, kid);
    if (newer !== keys && (await isSignedBy(token, fit))) return;
    throw new OidcRefused(
      'signature_invalid',
      fit.length > 0
        ? `The signature (${alg}) was not made with the key of the IdP.`
        : `The IdP has no key ${kid === null ? '' : `${shorten(kid, 80)} `}for signatures with ${alg}.`,
    );
  }

  /** The keys as the IdP gives them now, kept for nobody. Throws as `verify`. */
  async read(tenantId: string, server: OidcServer): Promise<readonly IdpKey[]> {
    return readKeys(await this.idp.of(tenantId).json('jwks', server.jwksUri));
  }
}
