import { ApiProperty } from '@nestjs/swagger';

/** The head of a chain on a day, as it is published. */
export class DayHeadDto {
  @ApiProperty({ enum: ['seats', 'audit'] })
  chain!: string;

  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'the day, UTC' })
  day!: string;

  @ApiProperty({ description: 'false for the day that is not over yet' })
  closed!: boolean;

  @ApiProperty({ type: 'integer', description: 'the sequence of the last entry of the day' })
  sequence!: number;

  @ApiProperty({ type: 'integer', description: 'seats in use after it; in the audit log the number of lines' })
  count!: number;

  @ApiProperty({ description: 'the hash of that entry, 64 hex digits' })
  hash!: string;

  @ApiProperty({ description: 'SHA-256 (hex) of `signed` of the day before in this list; 64 zeros for the first' })
  previous!: string;

  @ApiProperty({ description: 'the text that is signed, byte for byte (UTF-8)' })
  signed!: string;

  @ApiProperty({ description: 'the key that signed it: see `keys`' })
  key_id!: string;

  @ApiProperty({ description: 'Ed25519 over `signed`, base64' })
  signature!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  closed_at!: string | null;
}

/** A public key that signatures of heads are checked with. */
class ChainKeyDto {
  @ApiProperty({ description: 'the first 16 hex digits of the SHA-256 of the key in SPKI form' })
  key_id!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  algorithm!: string;

  @ApiProperty({ description: 'SPKI, PEM' })
  public_key!: string;

  @ApiProperty({ description: 'true for the key that signs now' })
  current!: boolean;
}

/** The heads of a chain, newest day first, with what is needed to check them. */
export class HeadsPageDto {
  @ApiProperty({ type: [DayHeadDto] })
  data!: DayHeadDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;

  @ApiProperty({
    type: DayHeadDto,
    nullable: true,
    description: 'the current head, signed; null while the chain is empty',
  })
  open!: DayHeadDto | null;

  @ApiProperty({ type: [ChainKeyDto] })
  keys!: ChainKeyDto[];
}
