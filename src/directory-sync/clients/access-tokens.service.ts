import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { Outbound } from '../../base/http/outbound.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import { newId } from '../../base/ids.js';
import { GuardedFetch, IdpLimits } from '../../protocols/oidc/guarded-fetch.js';
import { fitting } from '../../protocols/oidc/jwks.rules.js';
import { JwksStore } from '../../protocols/oidc/jwks.store.js';
import { readToken, type SignedToken } from '../../protocols/oidc/jwt.rules.js';
import { OidcRefused, type OidcRefusalReason } from '../../protocols/oidc/oidc-refused.js';
import { ID_TOKEN_ALGS } from '../../protocols/oidc/oidc-settings.js';
import { isTokenSignedBy } from '../../protocols/oidc/signature.js';
import { SessionsRepository } from '../../tenancy/sessions/sessions.repository.js';
import type { FoundCredential } from '../../tenancy/tenants/credential-cache.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { TokenRefusals } from '../directories/scim-token.store.js';
import { ClientUses, useOf } from './access-token.store.js';
import {
  checkAssertion,
  type ExpectedAssertion,
  tokenAddressOf,
  tenantOfClient,
  type ClientProof,
} from './client.rules.js';
import { type DirectoryClient, ClientStore, type ClientSecret } from './client.store.js';
import { ClientRefused, type ClientRefusalReason, InvalidClient } from './clients.errors.js';

/**
 * The most access tokens of a client. A client that gets one for each of 25 requests a second keeps each for 40
 * seconds.
 * The oldest token ends first: a refusal would stop such a client for the rest of an hour.
 */
const MOST_TOKENS = 1_000;

/**
 * Rows of clients that end automatically. An ended client or secret stays visible for a month, longer in the audit log.
 */
export const CLIENT_LEFTOVERS = [
  // A day longer than they are valid: the refusal of an old token has its reason.
  `delete from access_tokens where expires_at < now() - interval '1 day'`,
  `delete from client_secrets s where least(s.expires_at, s.revoked_at, (select c.revoked_at from directory_clients c
     where c.tenant_id = s.tenant_id and c.id = s.client_id)) < now() - interval '30 days'`,
  `delete from directory_clients c where c.revoked_at < now() - interval '31 days'
     and not exists (select 1 from client_secrets s where s.tenant_id = c.tenant_id and s.client_id = c.id)
     and not exists (select 1 from access_tokens t where t.tenant_id = c.tenant_id and t.client_id = c.id)`,
] as const;

const REASONS: Partial<Record<OidcRefusalReason, ClientRefusalReason>> = {
  algorithm_refused: 'algorithm_refused',
  signature_invalid: 'signature_invalid',
  idp_unreachable: 'keys_unreachable',
  idp_answer_invalid: 'keys_invalid',
};

function refused(error: unknown): ClientRefused {
  if (error instanceof ClientRefused) return error;
  if (error instanceof OidcRefused) return new ClientRefused(REASONS[error.reason] ?? 'assertion_invalid');
  throw error;
}

/** `secret` is null where the client sent an assertion. */
export interface AuthenticatedClient {
  readonly client: DirectoryClient;
  readonly secret: Pick<ClientSecret, 'id' | 'expiresAt'> | null;
}

interface IssuedToken {
  readonly token: string;
  readonly seconds: number;
}

/**
 * Authenticates clients, and gives them access tokens. Verifies assertions (RFC 7523 §3) of a client's own key or of
 * its issuer.
 */
@Injectable()
export class AccessTokens {
  private readonly keys: JwksStore;

  constructor(
    private readonly clients: ClientStore,
    private readonly uses: ClientUses,
    private readonly refusals: TokenRefusals,
    private readonly tries: FailedTries,
    private readonly clock: Clock,
    outbound: Outbound,
    config: Config,
    private readonly addresses: TenantAddresses,
    private readonly sessionRows: SessionsRepository,
    @Optional() limits: IdpLimits = new IdpLimits(),
    private readonly db: Database,
  ) {
    this.keys = new JwksStore(new GuardedFetch(outbound, config, limits), clock);
  }

  /**
   * Authenticates a client. Its directory remembers a refusal and its reason.
   *
   * @param address of the caller
   * @throws {InvalidClient} when it is unknown, or its secret or assertion is not valid
   * @throws {TooManyRequests} in place of it, when many wrong ones came from this address
   */
  authenticate(proof: ClientProof, address: string | undefined): Promise<AuthenticatedClient> {
    return proof.kind === 'secret' ? this.bySecret(proof, address) : this.byAssertion(proof, address);
  }

  /** Gives an authenticated client an access token, which ends no later than its secret. */
  async issue({ client, secret }: AuthenticatedClient): Promise<IssuedToken> {
    const { tenantId, id: clientId, directoryId, accessTokenSeconds } = client;
    const { token, hash } = mintToken('tba', tenantId);
    const now = this.clock.now().getTime();
    const secretEnds = secret?.expiresAt?.getTime() ?? Infinity;
    const expiresAt = new Date(Math.min(now + accessTokenSeconds * 1_000, secretEnds));
    const secretId = secret?.id ?? null;
    await this.insertToken({ tenantId, id: newId('act'), clientId, directoryId, secretId, hash, expiresAt });
    this.uses.note(useOf({ tenantId, clientId, secretId, directoryId }));
    return { token, seconds: Math.floor((expiresAt.getTime() - now) / 1_000) };
  }

  /** Refuses a client for a reason that its directory remembers; `client` is null for an unknown one. */
  refuse(clientId: string, client: DirectoryClient | null, error: unknown, address: string | undefined): InvalidClient {
    if (!(error instanceof ClientRefused)) throw error;
    const tenantId = client?.tenantId ?? tenantOfClient(clientId);
    if (client !== null) this.refusals.noteClient(client, error.reason, address);
    this.tries.count(address, client?.directoryId ?? tenantId ?? '');
    return new InvalidClient();
  }

  private async bySecret(
    proof: Extract<ClientProof, { kind: 'secret' }>,
    address: string | undefined,
  ): Promise<AuthenticatedClient> {
    // Both look-ups always: an unknown client takes as long as a wrong secret.
    const [secret, named] = await Promise.all([
      this.clients.findSecret(proof.secret),
      this.clients.find(proof.clientId),
    ]);
    try {
      return matching(proof.clientId, secret, named);
    } catch (error) {
      throw this.refuse(proof.clientId, named?.credential ?? secret?.credential.client ?? null, error, address);
    }
  }

  private async byAssertion(
    proof: Extract<ClientProof, { kind: 'assertion' }>,
    address: string | undefined,
  ): Promise<AuthenticatedClient> {
    let clientId = proof.clientId ?? '';
    let client: DirectoryClient | null = null;
    try {
      // Without a client_id the subject of the assertion names the client (RFC 7523 §3).
      if (proof.clientId === null) clientId = subjectOf(this.read(proof.assertion));
      const found = await this.clients.find(clientId);
      client = found?.credential ?? null;
      if (client === null) throw new ClientRefused('client_unknown');
      if (found?.ended != null) throw new ClientRefused('client_deleted');
      if (client.kind === 'secret') throw new ClientRefused('wrong_method');
      await this.verify(client, this.read(proof.assertion));
      return { client, secret: null };
    } catch (error) {
      throw this.refuse(clientId, client, error, address);
    }
  }

  private read(text: string): SignedToken {
    try {
      // Libraries for certificates send theirs along (`x5c`).
      return readToken(text, 'assertion', ID_TOKEN_ALGS, ['x5c']);
    } catch (error) {
      throw refused(error);
    }
  }

  private async verify(client: DirectoryClient, token: SignedToken): Promise<void> {
    // The claims are checked first: an assertion that is refused anyway costs no request for keys.
    const once = checkAssertion(token, await this.expected(client), this.clock.now());
    try {
      await this.verifySignature(client, token);
    } catch (error) {
      throw refused(error);
    }
    if (once !== null && !(await this.sessionRows.use(client.tenantId, client.id, once.id, once.until))) {
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

  /** Adds a token. The oldest tokens of the client end where it has {@link MOST_TOKENS} others. */
  private async insertToken(token: {
    tenantId: string;
    id: string;
    clientId: string;
    directoryId: string;
    secretId: string | null;
    hash: Buffer;
    expiresAt: Date;
  }): Promise<void> {
    await this.db.query(
      `with surplus as (
         delete from access_tokens where tenant_id = $1 and client_id = $3 and id <= (
           select t.id from access_tokens t where t.tenant_id = $1 and t.client_id = $3
           order by t.id desc offset ${MOST_TOKENS - 1} limit 1))
       insert into access_tokens (tenant_id, id, client_id, directory_id, secret_id, hash, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [token.tenantId, token.id, token.clientId, token.directoryId, token.secretId, token.hash, token.expiresAt],
    );
  }
}

function matching(
  clientId: string,
  secret: FoundCredential<ClientSecret> | null,
  named: FoundCredential<DirectoryClient> | null,
): AuthenticatedClient {
  if (named === null) throw new ClientRefused('client_unknown');
  if (named.ended !== null) throw new ClientRefused('client_deleted');
  if (named.credential.kind !== 'secret') throw new ClientRefused('wrong_method');
  if (secret?.credential.client.id !== clientId) throw new ClientRefused('secret_unknown');
  if (secret.ended !== null) throw new ClientRefused(secret.ended === 'expired' ? 'secret_expired' : 'secret_revoked');
  return { client: secret.credential.client, secret: secret.credential };
}

function subjectOf({ claims }: { claims: Record<string, unknown> }): string {
  const { sub } = claims;
  return typeof sub === 'string' ? sub : '';
}
