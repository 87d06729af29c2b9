import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import { newId } from '../../base/ids.js';
import type { FoundCredential } from '../../tenancy/tenants/credential-cache.js';
import { TokenRefusals } from '../directories/token-refusals.js';
import { AccessTokensRepository } from './access-tokens.repository.js';
import { ClientAssertions } from './client-assertions.js';
import { tenantOfClient } from './client-id.rules.js';
import { ClientRefused } from './client-refused.js';
import { ClientSecretStore, type ClientSecret } from './client-secret.store.js';
import { ClientUses, useOf } from './access-token.store.js';
import { ClientStore, type DirectoryClient } from './client.store.js';
import { InvalidClient } from './clients.errors.js';
import type { ClientProof } from './token-request.rules.js';

/** A client that is authenticated, with its secret; null for an assertion. */
export interface AuthenticatedClient {
  readonly client: DirectoryClient;
  readonly secret: Pick<ClientSecret, 'id' | 'expiresAt'> | null;
}

/** An access token, and the seconds that it lives. */
interface IssuedToken {
  readonly token: string;
  readonly seconds: number;
}

/** Authenticates clients, and gives them access tokens. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly clients: ClientStore,
    private readonly secrets: ClientSecretStore,
    private readonly assertions: ClientAssertions,
    private readonly repository: AccessTokensRepository,
    private readonly uses: ClientUses,
    private readonly refusals: TokenRefusals,
    private readonly tries: FailedTries,
    private readonly clock: Clock,
  ) {}

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

  /**
   * Gives an authenticated client an access token, which ends no later than the secret. A token of a client that has ended
   * meanwhile is not valid.
   */
  async issue({ client, secret }: AuthenticatedClient): Promise<IssuedToken> {
    const { tenantId, id: clientId, directoryId, accessTokenSeconds } = client;
    const { token, hash } = mintToken('tba', tenantId);
    const now = this.clock.now().getTime();
    const secretEnds = secret?.expiresAt?.getTime() ?? Infinity;
    const expiresAt = new Date(Math.min(now + accessTokenSeconds * 1_000, secretEnds));
    const secretId = secret?.id ?? null;
    await this.repository.insert({ tenantId, id: newId('act'), clientId, directoryId, secretId, hash, expiresAt });
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
    const [secret, named] = await Promise.all([this.secrets.find(proof.secret), this.clients.find(proof.clientId)]);
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
      if (proof.clientId === null) clientId = subjectOf(this.assertions.read(proof.assertion));
      const found = await this.clients.find(clientId);
      client = found?.credential ?? null;
      if (client === null) throw new ClientRefused('client_unknown');
      if (found?.ended != null) throw new ClientRefused('client_deleted');
      if (client.kind === 'secret') throw new ClientRefused('wrong_method');
      await this.assertions.verify(client, this.assertions.read(proof.assertion));
      return { client, secret: null };
    } catch (error) {
      throw this.refuse(clientId, client, error, address);
    }
  }
}

/** Returns the client of a secret, if the secret is valid and the request names its client. */
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
