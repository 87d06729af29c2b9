import { keyAad } from '../auth/connections/keys/service-keys.js';
import type { SealedColumn } from '../base/sealing/reseal.js';
import { ATS_CREDENTIALS, ATS_SIGNING_SECRETS } from '../integrations/ats/connections/ats-connections.store.js';
import { WEBHOOK_HEADERS, WEBHOOK_SECRETS } from '../integrations/webhooks/endpoint.store.js';
import { DESTINATION_KEYS } from '../engine/delivery/destinations/destinations.repository.js';

/** All columns of encrypted secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  DESTINATION_KEYS,
  WEBHOOK_SECRETS,
  WEBHOOK_HEADERS,
  ATS_CREDENTIALS,
  ATS_SIGNING_SECRETS,
  {
    table: 'idempotency_keys',
    key: ['tenant_id', 'credential_id', 'key'],
    column: 'response',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:idempotency_keys.response:${row['credential_id']}`,
  },
  {
    table: 'idempotency_keys',
    key: ['tenant_id', 'credential_id', 'key'],
    column: 'committed',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:idempotency_keys.committed:${row['credential_id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'client_secret_sealed',
    lasting: true,
    aad: (row) => `${row['tenant_id']}:connections.client_secret:${row['id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'private_key_sealed',
    lasting: true,
    aad: (row) => `${row['tenant_id']}:connections.private_key:${row['id']}`,
  },
  {
    table: 'sessions',
    key: ['tenant_id', 'id'],
    column: 'id_token_sealed',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:sessions.id_token:${row['id']}`,
  },
  {
    table: 'service_keys',
    key: ['purpose', 'id'],
    column: 'private_key_sealed',
    lasting: true,
    aad: (row) => keyAad(row['purpose']!, row['id']!),
  },
];
