import { HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { keyAad } from '../auth/keys/service-keys.repository.js';
import { reseal, type SealedColumn } from '../base/crypto/reseal.js';
import { Sealer } from '../base/crypto/seal.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { OperatorController } from '../tenants/api-controller.js';

/** Every column that holds sealed secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'destinations',
    key: ['tenant_id'],
    column: 'key_sealed',
    aad: (row) => `${row['tenant_id']}:destinations.key`,
  },
  {
    table: 'idempotency_keys',
    key: ['tenant_id', 'credential_id', 'key'],
    column: 'response',
    aad: (row) => `${row['tenant_id']}:idempotency_keys.response:${row['credential_id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'client_secret_sealed',
    aad: (row) => `${row['tenant_id']}:connections.client_secret:${row['id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'private_key_sealed',
    aad: (row) => `${row['tenant_id']}:connections.private_key:${row['id']}`,
  },
  {
    table: 'sessions',
    key: ['tenant_id', 'id'],
    column: 'id_token_sealed',
    aad: (row) => `${row['tenant_id']}:sessions.id_token:${row['id']}`,
  },
  {
    table: 'service_keys',
    key: ['purpose', 'id'],
    column: 'private_key_sealed',
    aad: (row) => keyAad(row['purpose']!, row['id']!),
  },
];

@OperatorController('tenants/keys')
export class KeyRotationController {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  @Post('rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Seals all secrets with the current key of the settings; then the old keys can go' })
  async rotate(): Promise<{ key_id: string; resealed: Record<string, number> }> {
    const resealed: Record<string, number> = {};
    for (const column of SEALED_COLUMNS) {
      resealed[`${column.table}.${column.column}`] = await reseal(this.db, this.sealer, column);
    }
    this.logger.info('secrets sealed anew', { key_id: this.sealer.currentKeyId, resealed });
    return { key_id: this.sealer.currentKeyId, resealed };
  }
}
