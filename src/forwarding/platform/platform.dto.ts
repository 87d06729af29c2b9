import { ApiProperty } from '@nestjs/swagger';
import { Choice, Flag, Nested, Ruled, Whole, Text } from '../../base/http/fields.js';
import { MAX_URL, urlOf } from '../../base/url.js';
import { ServerSet } from '../../base/http/validate.js';

const REMOVALS = ['inactive', 'delete'] as const;

/** Returns what is wrong with an address, or null. */
function addressProblem(value: unknown): string | null {
  if (typeof value === 'string' && value.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = typeof value === 'string' ? urlOf(value) : null;
  if (typeof value !== 'string' || url === null) return 'must be a complete http or https address';
  if (!/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return /[?#]/.test(value) ? 'must not have a query or fragment' : null;
}

function keyProblem(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value) ? null : 'must be visible ASCII characters';
}

/** Without empty and dot segments, encoded ones included: they lead elsewhere than to the path that is shown. */
const PATH = {
  test: /^(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))(?:[\w\-.~]|%(?!2f|5c)[\da-f]{2})+)+$/i,
  message: 'must be a path such as /v1/users, without empty and dot segments',
};

class PlatformPaths {
  @Text({ max: 200, optional: true, pattern: PATH, example: '/v1/users' })
  users?: string;
  @Text({ max: 200, optional: true, pattern: PATH, example: '/v1/resolve' })
  resolve?: string;
}

@ServerSet(
  'connected',
  'key_hint',
  'state',
  'message',
  'reason',
  'detail',
  'since',
  'next_probe_at',
  'last_success_at',
  'waiting',
  'parked',
  'updated_at',
  'sends_again',
)
export class ChangePlatform {
  @Ruled(
    addressProblem,
    { type: String, format: 'uri', example: 'https://api.platform.example.com' },
    { optional: true },
  )
  base_url?: string;

  @Ruled(keyProblem, { type: String, writeOnly: true }, { optional: true, nullable: true, description: 'Kept sealed.' })
  api_key?: string | null;

  @Nested(() => PlatformPaths, { optional: true })
  paths?: PlatformPaths;

  @Choice(REMOVALS, { optional: true, description: 'What a deactivation does there. Default `inactive`.' })
  on_deactivate?: 'inactive' | 'delete';

  @Choice(REMOVALS, { optional: true, description: 'What a deletion does there. Default `delete`.' })
  on_delete?: 'inactive' | 'delete';

  @Whole({ min: 1, max: 10_000, optional: true, nullable: true, description: 'Calls a second and worker process.' })
  rate?: number | null;

  @Whole({ min: 1, max: 128, optional: true, description: 'Calls at the same time and worker process. Default 16.' })
  concurrency?: number;

  @Whole({ min: 100, max: 60_000, optional: true, description: 'The deadline of each call. Default 10 000.' })
  timeout_ms?: number;

  @Flag({
    optional: true,
    description: 'Checks the change, counts the users that it sends again, and changes nothing.',
  })
  dry_run?: boolean;
}

export class PausePlatform {
  @Text({ max: 500, optional: true, description: 'Why, for other administrators.' })
  reason?: string;
}

export class TestPlatform {
  @Flag({
    optional: true,
    description: 'Also plays create, look-up, update, deactivation and deletion, with a throw-away user.',
  })
  write?: boolean;
}

export class PlatformBody {
  @ApiProperty({ description: 'False: there is no platform yet; changes wait and nothing is lost.' })
  connected!: boolean;
  @ApiProperty({ type: String, nullable: true })
  base_url!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The last four characters of the key.' })
  key_hint!: string | null;
  @ApiProperty({ type: PlatformPaths })
  paths!: { users: string; resolve: string };
  @ApiProperty({ enum: REMOVALS })
  on_deactivate!: string;
  @ApiProperty({ enum: REMOVALS })
  on_delete!: string;
  @ApiProperty({ type: Number, nullable: true })
  rate!: number | null;
  @ApiProperty()
  concurrency!: number;
  @ApiProperty()
  timeout_ms!: number;
  @ApiProperty({ enum: ['ok', 'open', 'paused', 'no_platform_yet', 'no_key_yet', 'key_unreadable'] })
  state!: string;
  @ApiProperty({
    description: 'The state in one sentence, with what to do.',
    example: 'The platform is unavailable. Changes wait, and one call at a time probes it.',
  })
  message!: string;
  @ApiProperty({ type: String, nullable: true, example: 'looks_misconfigured' })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
  @ApiProperty({ type: Date, nullable: true })
  since!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  next_probe_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  last_success_at!: Date | null;
  @ApiProperty({ description: 'Users for whom something waits to be sent.' })
  waiting!: number;
  @ApiProperty({ description: 'Users whose last change is parked.' })
  parked!: number;
  @ApiProperty({ type: Date, nullable: true })
  updated_at!: Date | null;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'After a change or a dry run: users that are sent again because of another address.',
  })
  sends_again?: number;
}

export class PlatformTestStep {
  @ApiProperty({ example: 'create' })
  name!: string;
  @ApiProperty({ enum: ['GET', 'POST', 'PATCH', 'DELETE'] })
  method!: string;
  @ApiProperty({ example: '/v1/users' })
  path!: string;
  @ApiProperty({ type: Number, nullable: true })
  status!: number | null;
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'What is wrong with the answer, and what it needs.' })
  message!: string | null;
  @ApiProperty()
  duration_ms!: number;
}

export class PlatformTestBody {
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ example: 'The platform answered as it should: the address and the key are good.' })
  message!: string;
  @ApiProperty({ type: Number, nullable: true })
  status!: number | null;
  @ApiProperty()
  duration_ms!: number;
  @ApiProperty({ type: [PlatformTestStep], required: false, description: 'With `write`: each call, in order.' })
  steps?: PlatformTestStep[];
}
