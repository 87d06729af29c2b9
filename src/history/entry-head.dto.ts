import { ApiProperty } from '@nestjs/swagger';

export const TEXT = { type: String, nullable: true } as const;
export const NUMBER = { type: 'integer' } as const;
export const TIME = { type: String, format: 'date-time' } as const;
export const NO_TIME = { ...TIME, nullable: true } as const;

/** What every entry of a history has. */
export class EntryHead {
  @ApiProperty({ example: 'chg_42' })
  id!: string;
  @ApiProperty({
    ...TIME,
    example: '2026-01-31T12:00:00.123456Z',
    description: 'When it was written down: of a delivery, when its outcome was known; of a session, its begin.',
  })
  at!: string;
}
