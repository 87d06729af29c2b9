import { ApiProperty } from '@nestjs/swagger';
import { Flag, Moment, Ruled, Text } from '../../base/http/fields.js';
import type { AttemptRow } from '../../engine/delivery/attempts.js';
import type { ChangeKind, Person, ChangeSource } from '../../tenancy/identity/person.js';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';

export const CHANGE_STATES = ['pending', 'delivered', 'parked', 'recorded', 'dismissed'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

export interface ChangeRow {
  sequence: string;
  user_id: string;
  kind: ChangeKind;
  forwarded: boolean;
  changed: string[];
  person: Person;
  source: ChangeSource;
  received_at: Date;
  occurred_at: Date;
  sessions_ended_at: Date | null;
  dismissed: { reason: string | null; at: string; actor: unknown } | null;
  state: ChangeState;
  parked: string | null;
  parked_detail: string | null;
  sent_at: Date | null;
  confirmed_at: Date | null;
}

export interface ChangeBody {
  id: string;
  sequence: number;
  kind: ChangeKind;
  user_id: string;
  external_id: string | null;
  user: Person;
  changed: string[];
  source: ChangeSource;
  received_at: string;
  occurred_at: string;
  state: ChangeState;
  sent_at: string | null;
  confirmed_at: string | null;
  sessions_ended_at: string | null;
  dismissed?: { reason: string | null; at: string; actor: unknown };
  error?: { code: string; detail: string | null };
}

export interface AttemptBody extends Omit<AttemptRow, 'at' | 'sent_at'> {
  at: string;
  sent_at: string;
}

/** Returns the id of a change. */
export function changeId(sequence: string | number): string {
  return `chg_${sequence}`;
}

/** Returns the sequence in an id; null when the text is no id of a change. */
export function sequenceOf(id: string): string | null {
  return /^chg_([1-9]\d{0,17})$/.exec(id)?.[1] ?? null;
}

export function changeBody(row: ChangeRow): ChangeBody {
  const { person } = row;
  return {
    id: changeId(row.sequence),
    sequence: Number(row.sequence),
    kind: row.kind,
    user_id: row.user_id,
    external_id: person.external_id,
    user: {
      email: person.email,
      first_name: person.first_name,
      last_name: person.last_name,
      role: person.role,
      external_id: person.external_id,
    },
    changed: row.changed,
    source: row.source,
    received_at: row.received_at.toISOString(),
    occurred_at: row.occurred_at.toISOString(),
    state: row.state,
    sent_at: row.sent_at?.toISOString() ?? null,
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    sessions_ended_at: row.sessions_ended_at?.toISOString() ?? null,
    ...(row.dismissed === null ? {} : { dismissed: row.dismissed }),
    ...(row.state === 'parked' && row.parked !== null
      ? { error: { code: row.parked, detail: row.parked_detail } }
      : {}),
  };
}

export function attemptBody(row: AttemptRow): AttemptBody {
  return { ...row, at: row.at.toISOString(), sent_at: row.sent_at.toISOString() };
}

export class DismissChange {
  @Text({ max: 500, optional: true, description: 'Why it is given up.' })
  reason?: string;
}

export class ResendChanges {
  @Moment({ description: 'All users who changed since then are sent again, as they are now.' })
  since!: Date;
}

const MOST_IDS = 1_000;

function usersProblem(value: unknown): string | null {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return 'must be a list of ids';
  if (value.length === 0) return 'must not be empty';
  return value.length > MOST_IDS ? `must have at most ${MOST_IDS} entries; ${value.length} were sent` : null;
}

export class ParkedSelection {
  @Ruled(
    usersProblem,
    {
      type: [String],
      description: `At most ${MOST_IDS} ids of users; then no filter.`,
      example: ['usr_01jd0q4m8k7v2y9w'],
    },
    { optional: true },
  )
  user_ids?: string[];
  @Text({ max: 64, optional: true, description: 'Filter: only changes with this `error.code`, such as `refused`.' })
  error?: string;
  @Text({ max: 64, optional: true, description: 'Filter: only changes that came from this directory, by its id.' })
  directory?: string;
  @Flag({ optional: true, description: 'Only counts.' })
  dry_run?: boolean;
}

export class DismissSelection extends ParkedSelection {
  @Text({ max: 500, optional: true, description: 'Why they are given up.' })
  reason?: string;
}

export class ParkedCount {
  @ApiProperty({ example: 12, description: 'Users whose parked change the task would be about.' })
  count!: number;
}

class ChangedUser extends PersonBody {}

class ChangeError {
  @ApiProperty({ example: 'refused' })
  code!: string;
  @ApiProperty({ type: String, nullable: true, description: "The platform's own words." })
  detail!: string | null;
}

export class ChangeShape {
  @ApiProperty({ example: 'chg_42' })
  id!: string;
  @ApiProperty({ example: 42 })
  sequence!: number;
  @ApiProperty({ enum: ['created', 'updated', 'deactivated', 'reactivated', 'deleted'] })
  kind!: string;
  @ApiProperty()
  user_id!: string;
  @ApiProperty({ type: String, nullable: true })
  external_id!: string | null;
  @ApiProperty({ type: ChangedUser })
  user!: ChangedUser;
  @ApiProperty({ type: [String], example: ['last_name'] })
  changed!: string[];
  @ApiProperty({ type: Object, additionalProperties: true, description: 'Request, directory and actor.' })
  source!: unknown;
  @ApiProperty({ format: 'date-time', description: 'When the request arrived.' })
  received_at!: string;
  @ApiProperty({ format: 'date-time', description: 'When it was committed.' })
  occurred_at!: string;
  @ApiProperty({ enum: CHANGE_STATES })
  state!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  sent_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  confirmed_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  sessions_ended_at!: string | null;
  @ApiProperty({ type: ChangeError, required: false, description: 'Of a parked change.' })
  error?: ChangeError;
}

export class ChangePage {
  @ApiProperty({ type: [ChangeShape] })
  data!: ChangeShape[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}
