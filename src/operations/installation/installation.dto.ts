import { ApiProperty } from '@nestjs/swagger';

class ProcessBody {
  @ApiProperty({ example: 'bridge-api-0:1', description: 'Host and number of the process.' })
  name!: string;
  @ApiProperty({ enum: ['all', 'api', 'worker'] })
  role!: string;
  @ApiProperty({ example: '0.1.0' })
  version!: string;
  @ApiProperty({ format: 'date-time' })
  started_at!: Date;
  @ApiProperty({ format: 'date-time', description: 'A process shows itself every 30 seconds.' })
  last_seen_at!: Date;
}

class TenantLag {
  @ApiProperty({ example: 'ten_01k0000000abcdefghjkmnpqrs' })
  tenant_id!: string;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
  @ApiProperty({ type: 'integer', description: 'Users for whom a change waits for the platform; 10 000 at most.' })
  waiting!: number;
  @ApiProperty({ format: 'date-time', description: 'Since when the oldest of these changes waits.' })
  oldest_waiting_since!: Date;
}

class WorkBody {
  @ApiProperty({ example: 'retention' })
  kind!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the work is of the installation.' })
  tenant_id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What it is about, such as a connection.' })
  id!: string | null;
  @ApiProperty({ enum: ['running', 'resting', 'waiting'] })
  state!: string;
  @ApiProperty({ type: 'integer', description: 'Failures in a row.' })
  failures!: number;
  @ApiProperty({ type: String, nullable: true, description: 'The cause of the last failure.' })
  reason!: string | null;
  @ApiProperty({ type: Date, nullable: true, description: 'When it is due again; null: it is under way, or due.' })
  next_at!: Date | null;
}

/** How the installation is doing. */
export class InstallationBody {
  @ApiProperty({
    type: [ProcessBody],
    description:
      'The processes of the last 24 hours, newest first, at most 100. One that has ended in order is not here.',
  })
  processes!: ProcessBody[];
  @ApiProperty({ type: [String], description: 'The migrations that have run, newest first.' })
  migrations!: string[];
  @ApiProperty({ type: [TenantLag], description: 'The 20 tenants whose changes wait longest.' })
  lag!: TenantLag[];
  @ApiProperty({
    type: [WorkBody],
    description:
      'Background work that is under way, rests or has an interval, those with most failures first, at most 100.',
  })
  work!: WorkBody[];
}
