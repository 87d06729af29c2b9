import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Choice, Flag, Ruled, Whole, Text } from '../../../base/http/fields.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { ExpectedAdministrators } from '../../../tenancy/tenants/administrators.js';

/** In the order in which the reasons are tested. */
export const HELD_REASONS = [
  'superseded',
  'preview',
  'protected',
  'needs_admin',
  'guard',
  'no_role',
  'email_taken',
  'external_id_taken',
  'no_seat',
  'no_email',
] as const satisfies readonly HeldReason[];

export const MOST_IDS = 1_000;

function idsProblem(value: unknown): string | null {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return 'must be a list of ids';
  if (value.length === 0) return 'must not be empty';
  return value.length > MOST_IDS ? `must have at most ${MOST_IDS} entries; ${value.length} were sent` : null;
}

function ExpectedCount(): PropertyDecorator {
  return Whole({
    min: 0,
    max: 100_000_000,
    optional: true,
    description: 'The number of the dry run. Where it is another one by now, nothing is done (409 `count_changed`).',
  });
}

export class HeldSelection {
  @Ruled(
    idsProblem,
    {
      type: [String],
      description: `At most ${MOST_IDS} ids of users; then no filter.`,
      example: ['usr_01jd0q4m8k7v2y9w'],
    },
    { optional: true },
  )
  user_ids?: string[];
  @Choice(HELD_REASONS, { optional: true, description: 'Filter: only users held for this reason.' })
  reason?: HeldReason;
  @Text({ max: 64, optional: true, description: 'Filter: only users of this directory, by its id.' })
  directory?: string;
  @Flag({ optional: true, description: 'Only counts.' })
  dry_run?: boolean;
  @ExpectedCount()
  count?: number;
  @Flag({ optional: true, description: 'All held users: of a release, those that can be released. Then no filter.' })
  all?: boolean;
  @ExpectedAdministrators('Of a release: how many of the users administer the tenant. The dry run has it.')
  administrators?: number;
}

/** The answer of a dry run. */
export class HeldCount {
  @ApiProperty({ example: 12 })
  count!: number;
  @ApiProperty({
    example: 2,
    description: 'How many of them administer the tenant now and may lose the console; missing where it is 0.',
    required: false,
  })
  administrators?: number;
}

export class UndoCount extends OmitType(HeldCount, ['administrators']) {
  @ApiProperty({
    example: 10,
    description:
      'How many of them stay as they are, because a rule of the directory still gives another role. Undo the rule first.',
  })
  rule_still_applies!: number;
}

/** Users of a guard; all without a list. */
export class GuardSelection {
  @Ruled(
    idsProblem,
    {
      type: [String],
      description: `At most ${MOST_IDS} ids of users. Left out: all.`,
      example: ['usr_01jd0q4m8k7v2y9w'],
    },
    { optional: true },
  )
  user_ids?: string[];
  @Flag({ optional: true, description: 'Only counts.' })
  dry_run?: boolean;
  @ExpectedCount()
  count?: number;
  @ExpectedAdministrators(
    'Of a release, or a deactivation: how many of the users administer the tenant. The dry run has it.',
  )
  administrators?: number;
}
