import { Injectable } from '@nestjs/common';
import type { SealedColumn } from '../../base/sealing/reseal.js';
import { Sealer } from '../../base/crypto/seal.js';

/** The column of the signing secrets. */
export const WEBHOOK_SECRETS: SealedColumn = {
  table: 'webhook_secrets',
  key: ['tenant_id', 'endpoint_id', 'id'],
  column: 'sealed',
  lasting: true,
  aad: (row) => secretAad(row['tenant_id']!, row['endpoint_id']!),
};

/** The column of the headers that endpoints ask for: they often hold a credential. */
export const WEBHOOK_HEADERS: SealedColumn = {
  table: 'webhook_endpoints',
  key: ['tenant_id', 'id'],
  column: 'headers_sealed',
  lasting: true,
  aad: (row) => headersAad(row['tenant_id']!, row['id']!),
};

/** Seals and opens what endpoints keep secret, bound to tenant and endpoint. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly sealer: Sealer) {}

  sealSecret(tenantId: string, endpointId: string, secret: string): string {
    return this.sealer.seal(secret, secretAad(tenantId, endpointId));
  }

  sealHeaders(tenantId: string, endpointId: string, headers: Readonly<Record<string, string>>): string | null {
    if (Object.keys(headers).length === 0) return null;
    return this.sealer.seal(JSON.stringify(headers), headersAad(tenantId, endpointId));
  }

  /** Returns a secret, or null where no key of the settings opens it. */
  openSecret(tenantId: string, endpointId: string, sealed: string): string | null {
    return this.sealer.unsealOrNull(sealed, secretAad(tenantId, endpointId));
  }

  /** Returns the headers, or null where no key of the settings opens them. */
  openHeaders(tenantId: string, endpointId: string, sealed: string | null): Record<string, string> | null {
    if (sealed === null) return {};
    const text = this.sealer.unsealOrNull(sealed, headersAad(tenantId, endpointId));
    return text === null ? null : (JSON.parse(text) as Record<string, string>);
  }
}

function secretAad(tenantId: string, endpointId: string): string {
  return `${tenantId}:webhook_secrets.sealed:${endpointId}`;
}

function headersAad(tenantId: string, endpointId: string): string {
  return `${tenantId}:webhook_endpoints.headers:${endpointId}`;
}
