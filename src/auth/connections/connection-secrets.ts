import { Injectable } from '@nestjs/common';
import { Sealer } from '../../base/crypto/seal.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { clientKeyProblem, newClientKey } from '../../protocols/oidc/client-keys.js';
import type { ConnectionDraft } from './connection-draft.rules.js';
import type { ConnectionFields } from './connections.dto.js';
import type { SecretPlan } from './oidc-settings.rules.js';

/** A private key as a JWK. */
export type PrivateJwk = Readonly<Record<string, unknown>>;

/** The secrets in the row of a connection. */
export interface SealedConnectionSecrets {
  client_secret_sealed: string | null;
  private_key_sealed: string | null;
}

/** Seals and opens the secrets of connections, each bound to its tenant, column and row. */
@Injectable()
export class ConnectionSecrets {
  constructor(private readonly sealer: Sealer) {}

  /**
   * Returns the private key of a request, or a new one where the request may need it. Generating a key takes time, so
   * this runs before anything is locked.
   *
   * @throws {InvalidFields} for a key that cannot be used
   */
  async keyFor(input: ConnectionFields, type: 'oidc' | 'saml'): Promise<PrivateJwk | null> {
    const { private_key: key } = input;
    if (type === 'saml') return null;
    if (key == null) {
      return key === null || input.token_auth === 'private_key_jwt' ? { ...(await newClientKey()) } : null;
    }
    const problem = clientKeyProblem(key);
    if (problem !== null) throw new InvalidFields([{ field: 'private_key', message: problem }]);
    return key;
  }

  /**
   * Returns the sealed secrets of a row after a change.
   *
   * @param before the row before; null: a new one
   * @param key the result of `keyFor`
   */
  sealed(
    tenantId: string,
    id: string,
    draft: ConnectionDraft,
    before: SealedConnectionSecrets | null,
    key: PrivateJwk | null,
  ): SealedConnectionSecrets {
    if (draft.type === 'saml') return { client_secret_sealed: null, private_key_sealed: null };
    const { clientSecret, privateKey } = draft.plans;
    const seal = (name: 'client_secret' | 'private_key') => (text: string) =>
      this.sealer.seal(text, aad(tenantId, name, id));
    const made = key === null ? null : JSON.stringify(key);
    return {
      client_secret_sealed: after(clientSecret, before?.client_secret_sealed ?? null, null, seal('client_secret')),
      private_key_sealed: after(privateKey, before?.private_key_sealed ?? null, made, seal('private_key')),
    };
  }

  /**
   * Opens a client secret.
   *
   * @throws {SealError} when the key of the seal is not configured
   */
  clientSecret(tenantId: string, id: string, sealed: string | null): string | null {
    return sealed === null ? null : this.sealer.unseal(sealed, aad(tenantId, 'client_secret', id));
  }

  /**
   * Opens a private key.
   *
   * @throws {SealError} when the key of the seal is not configured
   */
  privateKey(tenantId: string, id: string, sealed: string | null): PrivateJwk | null {
    if (sealed === null) return null;
    return JSON.parse(this.sealer.unseal(sealed, aad(tenantId, 'private_key', id))) as PrivateJwk;
  }
}

function after(
  plan: SecretPlan<string | PrivateJwk>,
  stored: string | null,
  made: string | null,
  seal: (text: string) => string,
): string | null {
  switch (plan.kind) {
    case 'keep':
      return stored;
    case 'drop':
      return null;
    case 'make':
      return made === null ? null : seal(made);
    case 'set':
      return seal(typeof plan.secret === 'string' ? plan.secret : JSON.stringify(plan.secret));
  }
}

function aad(tenantId: string, secret: 'client_secret' | 'private_key', id: string): string {
  return `${tenantId}:connections.${secret}:${id}`;
}
