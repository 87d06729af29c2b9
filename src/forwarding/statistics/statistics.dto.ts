import { ApiProperty } from '@nestjs/swagger';

const COUNT = { type: 'integer', example: 42 } as const;
const LAG = { type: 'integer', nullable: true, example: 420 } as const;

/** What happened to changes in one interval. */
export class ChangeStatisticsBody {
  @ApiProperty({ format: 'date-time', description: 'The start of the interval.' })
  from!: string;
  @ApiProperty({ ...COUNT, description: 'Changes of users, as `GET /changes` lists them.' })
  accepted!: number;
  @ApiProperty({
    ...COUNT,
    description: 'Calls that the platform confirmed. One call can carry several changes of a user.',
  })
  confirmed!: number;
  @ApiProperty({ ...COUNT, description: 'Calls that failed or were refused.' })
  failed!: number;
  @ApiProperty({ ...COUNT, description: 'Users whose change was parked.' })
  parked!: number;
  @ApiProperty({ ...LAG, description: 'Half of the confirmed calls were not later than this, in milliseconds.' })
  lag_p50_ms!: number | null;
  @ApiProperty({ ...LAG, description: '95 % of the confirmed calls were not later than this.' })
  lag_p95_ms!: number | null;
}

/** What happened to the changes of a tenant, by hour or day. */
export class ChangeStatisticsPage {
  @ApiProperty({ type: [ChangeStatisticsBody], description: 'One line for each interval, oldest first.' })
  data!: ChangeStatisticsBody[];
}
