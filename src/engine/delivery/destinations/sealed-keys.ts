import type { SealedColumn } from '../../../base/sealing/reseal.js';
import { destinationKeyAad } from './destinations.repository.js';

/** The column that holds the sealed keys of destinations. */
export const DESTINATION_KEYS: SealedColumn = {
  table: 'destinations',
  key: ['tenant_id', 'channel', 'id'],
  column: 'key_sealed',
  lasting: true,
  aad: (row) => destinationKeyAad({ tenantId: row['tenant_id']!, channel: row['channel']!, id: row['id']! }),
};
