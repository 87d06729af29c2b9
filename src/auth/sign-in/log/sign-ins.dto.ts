import { ApiProperty } from '@nestjs/swagger';
import { REFUSAL_REASONS } from '../refusals/sign-in-refused.js';
import { SIGN_IN_KINDS, SIGN_IN_OUTCOMES, type SignInRow } from './sign-in-log.js';

const TEXT = { type: String, nullable: true } as const;

/** A line of the sign-in log as the API shows it. */
export class SignInBody implements SignInRow {
  @ApiProperty({ example: 'sin_01k0000000abcdefghjkmnpqrs', description: 'The support id on the page.' })
  id!: string;
  @ApiProperty()
  at!: Date;
  @ApiProperty({ enum: SIGN_IN_KINDS })
  kind!: string;
  @ApiProperty(TEXT)
  connection_id!: string | null;
  @ApiProperty({ ...TEXT, description: 'The name of the connection, also of a deleted one.' })
  connection!: string | null;
  @ApiProperty({ enum: SIGN_IN_OUTCOMES })
  outcome!: 'success' | 'refused';
  @ApiProperty({ ...TEXT, enum: REFUSAL_REASONS, description: 'Of a refusal: why.' })
  reason!: string | null;
  @ApiProperty({ ...TEXT, description: 'The same in words.' })
  detail!: string | null;
  @ApiProperty({ ...TEXT, description: 'The account that the IdP named.' })
  account!: string | null;
  @ApiProperty({ ...TEXT, description: 'The IdP’s name for the account: `sub`, or the NameID.' })
  subject!: string | null;
  @ApiProperty(TEXT)
  user_id!: string | null;
  @ApiProperty({ ...TEXT, description: 'How the user was found; `known`: by an earlier sign-in.' })
  linked_by!: string | null;
  @ApiProperty({ ...TEXT, description: 'The session that it led to.' })
  session_id!: string | null;
  @ApiProperty(TEXT)
  ip!: string | null;
  @ApiProperty(TEXT)
  user_agent!: string | null;
  @ApiProperty()
  request_id!: string;
}
