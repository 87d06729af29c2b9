import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Outbound } from '../../base/http/outbound.js';
import { GuardedFetch, IdpLimits } from '../../protocols/oidc/guarded-fetch.js';
import { fitting } from '../../protocols/oidc/jwks.rules.js';
import { JwksStore } from '../../protocols/oidc/jwks.store.js';
import { readToken, type SignedToken } from '../../protocols/oidc/jwt.rules.js';
import { OidcRefused, type OidcRefusalReason } from '../../protocols/oidc/oidc-refused.js';
import { ID_TOKEN_ALGS } from '../../protocols/oidc/oidc-settings.js';
import { isTokenSignedBy } from '../../protocols/oidc/signature.js';
import { UsedMessages } from '../../tenancy/sessions/sessions.repository.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { checkAssertion, type ExpectedAssertion } from './client-assertion.rules.js';
import { ClientRefused, type ClientRefusalReason } from './client-refused.js';
import type { DirectoryClient } from './client.store.js';
import { tokenAddressOf } from './token-address.js';

const REASONS: Partial<Record<OidcRefusalReason, ClientRefusalReason>> = {
  algorithm_refused: 'algorithm_refused',
  signature_invalid: 'signature_invalid',
  idp_unreachable: 'keys_unreachable',
  idp_answer_invalid: 'keys_invalid',
};

/** Verifies the assertions of clients (RFC 7523 §3): of their own key, or of the issuer that they are federated with. */
@Injectable()
export class ClientAssertions {
  private readonly keys: JwksStore;

  constructor(
    outbound: Outbound,
    config: Config,
    private readonly clock: Clock,
    private readonly addresses: TenantAddresses,
    private readonly used: UsedMessages,
    @Optional() limits: IdpLimits = new IdpLimits(),
  ) {
    this.keys = new JwksStore(new GuardedFetch(outbound, config, limits), clock);
  }

  /**
   * Splits an assertion, which is not verified.
   *
   * @throws {ClientRefused} when it is no signed JWT, or is signed with an algorithm that is not accepted
   */
  read(text: string): SignedToken {
    try {
      // Libraries for certificates send theirs along (`x5c`).
      return readToken(text, 'assertion', ID_TOKEN_ALGS, ['x5c']);
    } catch (error) {
      throw refused(error);
    }
  }

  /**
   * Verifies the assertion of a client, and uses its `jti` up.
   *
   * @throws {ClientRefused} with the reason
   */
  async verify(client: DirectoryClient, token: SignedToken): Promise<void> {
    // The claims are checked first: an assertion that is refused anyway costs no request for keys.
    const once = checkAssertion(token, await this.expected(client), this.clock.now());
    try {
      await this.verifySignature(client, token);
    } catch (error) {
      throw refused(error);
    }
    if (once !== null && !(await this.used.use(client.tenantId, client.id, once.id, once.until))) {
      throw new ClientRefused('assertion_replayed');
    }
  }

  private async expected({ tenantId, id, issuer, subject, audience }: DirectoryClient): Promise<ExpectedAssertion> {
    if (issuer !== null && subject !== null && audience !== null) {
      return { issuer, subject, audiences: [audience], isOwn: false };
    }
    const bases = await this.addresses.allOf(tenantId);
    return { issuer: id, subject: id, audiences: bases.flatMap((base) => [base, tokenAddressOf(base)]), isOwn: true };
  }

  private async verifySignature(
    { tenantId, id, issuer, keys, jwksUrl }: DirectoryClient,
    token: SignedToken,
  ): Promise<void> {
    const { alg, kid } = token.header;
    if (jwksUrl !== null) {
      const owner = { tenantId, id, version: 0, issuer: issuer ?? id };
      return this.keys.verify(owner, { jwksUri: jwksUrl }, token, 'caller');
    }
    const isSigned = await isTokenSignedBy(tenantId, token, fitting(keys, alg, kid));
    if (!isSigned) throw new ClientRefused('signature_invalid');
  }
}

/** Returns the refusal of a client; another error is thrown on. */
function refused(error: unknown): ClientRefused {
  if (error instanceof ClientRefused) return error;
  if (error instanceof OidcRefused) return new ClientRefused(REASONS[error.reason] ?? 'assertion_invalid');
  throw error;
}
