import { ApiProperty } from '@nestjs/swagger';
import { Whole } from '../../../base/http/fields.js';
import { ServerSet } from '../../../base/http/validate.js';
import { STORAGE_CLASSES, type StorageClass } from './counted-tables.js';
import { STORAGE_STATES, type StorageState } from './storage.rules.js';

const MIB = 1024 ** 2;
const MOST_BYTES = 1024 ** 5;

/** The body of `PUT /tenants/{id}/storage`. */
@ServerSet('used_bytes', 'state', 'measured_at', 'classes', 'is_own_limit')
export class SetStorageLimit {
  @Whole({
    min: MIB,
    max: MOST_BYTES,
    nullable: true,
    description: 'Bytes that the tenant may store; null: the limit of the installation holds.',
  })
  limit_bytes!: number | null;
}

/** The bytes of one kind of data. */
class StorageOfClass {
  @ApiProperty({ enum: STORAGE_CLASSES, example: 'people' })
  class!: StorageClass;
  @ApiProperty({ type: 'integer', example: 1_048_576 })
  bytes!: number;
}

/** What a tenant stores. */
export class StorageBody {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 21_474_836_480,
    description: 'Bytes that the tenant may store; null: there is no limit.',
  })
  limit_bytes!: number | null;
  @ApiProperty({ description: 'The limit is that of the tenant, and not that of the installation.' })
  is_own_limit!: boolean;
  @ApiProperty({
    type: 'integer',
    example: 1_048_576,
    description:
      'Bytes of rows as last measured, and an estimate of what was written since then. Indexes do not count, nor does ' +
      '`request_log`, which may take a tenth of the limit beside.',
  })
  used_bytes!: number;
  @ApiProperty({
    enum: STORAGE_STATES,
    description: '`approaching` from 80 % on. `exhausted`: requests that add data are 507 `storage_exhausted`.',
  })
  state!: StorageState;
  @ApiProperty({ type: Date, nullable: true, description: 'When the tables were last measured; null: not yet.' })
  measured_at!: Date | null;
  @ApiProperty({ type: [StorageOfClass], description: 'The measured bytes by kind, the largest first.' })
  classes!: StorageOfClass[];
}
