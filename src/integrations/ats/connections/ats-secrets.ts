import { Injectable } from '@nestjs/common';
import type { SealedColumn } from '../../../base/sealing/reseal.js';
import { Sealer } from '../../../base/crypto/seal.js';
import type { Credential } from '../api/credential.js';

/** The column of the credentials. */
export const ATS_CREDENTIALS: SealedColumn = {
  table: 'ats_connections',
  key: ['tenant_id', 'id'],
  column: 'credential_sealed',
  lasting: true,
  aad: (row) => credentialAad(row['tenant_id']!, row['id']!),
};

/** The column of the secrets that inbound events are signed with. */
export const ATS_SIGNING_SECRETS: SealedColumn = {
  table: 'ats_signing_secrets',
  key: ['tenant_id', 'connection_id', 'id'],
  column: 'sealed',
  lasting: true,
  aad: (row) => signingAad(row['tenant_id']!, row['connection_id']!),
};

/** Seals and opens what connections to ATSs keep secret, bound to tenant and connection. */
@Injectable()
export class AtsSecrets {
  constructor(private readonly sealer: Sealer) {}

  sealCredential(tenantId: string, connectionId: string, credential: Credential): string {
    return this.sealer.seal(JSON.stringify(credential), credentialAad(tenantId, connectionId));
  }

  sealSigningSecret(tenantId: string, connectionId: string, secret: string): string {
    return this.sealer.seal(secret, signingAad(tenantId, connectionId));
  }

  /** Returns a credential; null: there is none, or no key of the settings opens it. */
  openCredential(tenantId: string, connectionId: string, sealed: string | null): Credential | null {
    const text = sealed === null ? null : this.sealer.unsealOrNull(sealed, credentialAad(tenantId, connectionId));
    // Sealed by this class alone, and GCM authenticates.
    return text === null ? null : (JSON.parse(text) as Credential);
  }

  /** Returns a secret, or null where no key of the settings opens it. */
  openSigningSecret(tenantId: string, connectionId: string, sealed: string): string | null {
    return this.sealer.unsealOrNull(sealed, signingAad(tenantId, connectionId));
  }
}

function credentialAad(tenantId: string, connectionId: string): string {
  return `${tenantId}:ats_connections.credential:${connectionId}`;
}

function signingAad(tenantId: string, connectionId: string): string {
  return `${tenantId}:ats_signing_secrets.sealed:${connectionId}`;
}
