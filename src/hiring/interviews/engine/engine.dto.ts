import { ApiProperty } from '@nestjs/swagger';
import { Ruled } from '../../../base/http/fields.js';
import { MAX_URL, urlOf } from '../../../base/url.js';
import { ServerSet } from '../../../base/http/validate.js';

/** Returns what is wrong with the base address of an engine, or null. */
function addressProblem(value: unknown): string | null {
  if (typeof value === 'string' && value.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = typeof value === 'string' ? urlOf(value) : null;
  if (typeof value !== 'string' || url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a complete http or https address, such as https://interviews.example.com';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return /[?#]/.test(value) ? 'must not have a query or fragment' : null;
}

function keyProblem(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value) ? null : 'must be visible ASCII characters';
}

/** The body of a change of the interview engine; an absent field stays unchanged. */
@ServerSet(
  'connected',
  'source',
  'key_hint',
  'state',
  'reason',
  'message',
  'last_success_at',
  'waiting',
  'not_taken',
  'updated_at',
)
export class ChangeInterviewEngine {
  @Ruled(
    addressProblem,
    { type: String, format: 'uri', example: 'https://interviews.example.com' },
    { optional: true, nullable: true, description: 'null: the tenant has no engine any more.' },
  )
  base_url?: string | null;
  @Ruled(keyProblem, { type: String, writeOnly: true }, { optional: true, description: 'Kept sealed.' })
  api_key?: string;
}

/** The interview engine of a tenant as the API shows it. */
export class InterviewEngineBody {
  @ApiProperty({
    description: 'False: there is no engine. Interviews then have the `meeting_url` of their caller, or none.',
  })
  connected!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['tenant', 'installation', null],
    description: '`installation`: the operator has set it for tenants without an engine of their own.',
  })
  source!: 'tenant' | 'installation' | null;
  @ApiProperty({ type: String, nullable: true })
  base_url!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The last four characters of the key.' })
  key_hint!: string | null;
  @ApiProperty({ enum: ['ok', 'open', 'paused', 'no_engine', 'key_unreadable'] })
  state!: string;
  @ApiProperty({ type: String, nullable: true, example: 'credential_refused' })
  reason!: string | null;
  @ApiProperty({ description: 'The state in one sentence, with what to do.' })
  message!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_success_at!: string | null;
  @ApiProperty({ description: 'Interviews of which the engine still has to learn.' })
  waiting!: number;
  @ApiProperty({
    type: 'integer',
    description:
      'Interviews ahead whose plan the engine did not take: without a link, or with a room at the former time. `meeting_reason` of each says why.',
  })
  not_taken!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  updated_at!: string | null;
}

export class InterviewEngineTestBody {
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ example: 'The engine answered as it should: the address and the key are good.' })
  message!: string;
  @ApiProperty({ type: Number, nullable: true })
  status!: number | null;
  @ApiProperty()
  duration_ms!: number;
}
