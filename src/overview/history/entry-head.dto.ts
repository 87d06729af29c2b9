import { ApiProperty } from '@nestjs/swagger';

/** Options of a text field that can be null. */
export const TEXT = { type: String, nullable: true } as const;

/** Options of an integer field. */
export const NUMBER = { type: 'integer' } as const;

/** Options of a time field. */
export const TIME = { type: String, format: 'date-time' } as const;

/** Options of a time field that can be null. */
export const NO_TIME = { ...TIME, nullable: true } as const;

/** The fields of every entry of a history. */
export class EntryHead {
  @ApiProperty({ example: 'chg_42' })
  id!: string;
  @ApiProperty({
    ...TIME,
    example: '2026-01-31T12:00:00.123456Z',
    description: 'The time of the entry: of a delivery, when its outcome was stored; of a session, its beginning.',
  })
  at!: string;
  @ApiProperty({
    example: 'changed role Admin → User',
    description: 'What happened, in a few words. The cause of a change is in `cause`.',
  })
  words!: string;
}
