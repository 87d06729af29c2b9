import { ApiProperty, OmitType } from '@nestjs/swagger';
import { CauseBody } from '../../directory-sync/users/explain/explain.dto.js';
import { ChangeSourceBody } from '../../directory-sync/users/user.dto.js';
import { causeInWords, type Cause } from '../../tenancy/identity/cause.rules.js';
import type { Person, ChangeSource } from '../../tenancy/identity/person.js';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';

/**
 * The states of a departure. `confirmed`: the platform has it. `waiting`: it is not sent yet, or the answer is
 * unknown. `parked`: an admin has to decide. `dismissed`: an admin has discarded it. `not_forwarded`: the platform has
 * no account of this user, or forwarding is off.
 */
export const LEAVER_STATES = ['confirmed', 'waiting', 'parked', 'dismissed', 'not_forwarded'] as const;

export type LeaverState = (typeof LEAVER_STATES)[number];

/** Null where a step did not happen, or its time is no longer kept. */
export interface LeaverTimes {
  requested_at: Date;
  committed_at: Date;
  sessions_ended_at: Date | null;
  forwarded_at: Date | null;
  confirmed_at: Date | null;
}

/** Milliseconds from the arrival of the request to each step. */
interface LeaverMilliseconds {
  commit: number;
  sessions: number | null;
  forward: number | null;
  confirm: number | null;
}

/**
 * Returns the valid times of a departure. Sessions end in the statement that commits it, so not earlier. The answer of
 * the platform counts as confirmation only once the lane is settled.
 */
export function timesOf(written: LeaverTimes, state: LeaverState): LeaverTimes {
  const { committed_at: committed, sessions_ended_at: ended } = written;
  return {
    ...written,
    sessions_ended_at: ended !== null && ended < committed ? committed : ended,
    confirmed_at: state === 'confirmed' ? written.confirmed_at : null,
  };
}

/** Clocks of two machines can differ a little, so no duration is below 0. */
export function leaverMillisecondsOf(times: LeaverTimes): LeaverMilliseconds {
  const since = (moment: Date): number => Math.max(0, moment.getTime() - times.requested_at.getTime());
  const known = (moment: Date | null): number | null => (moment === null ? null : since(moment));
  return {
    commit: since(times.committed_at),
    sessions: known(times.sessions_ended_at),
    forward: known(times.forwarded_at),
    confirm: known(times.confirmed_at),
  };
}

class LeaverPerson extends OmitType(PersonBody, ['role']) {}

class LeaverMillisecondsShape {
  @ApiProperty({ type: 'integer', example: 4 })
  commit!: number;
  @ApiProperty({ type: 'integer', nullable: true, example: 4 })
  sessions!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 9 })
  forward!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 31 })
  confirm!: number | null;
}

class LeaverError {
  @ApiProperty({ example: 'refused' })
  code!: string;
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
}

export class LeaverShape {
  @ApiProperty({ example: 'chg_42', description: 'The change of the departure.' })
  id!: string;
  @ApiProperty()
  user_id!: string;
  @ApiProperty({ type: 'integer', example: 42 })
  change_sequence!: number;
  @ApiProperty({ enum: ['deactivated', 'deleted'] })
  kind!: string;
  @ApiProperty({ type: LeaverPerson })
  user!: LeaverPerson;
  @ApiProperty({ description: 'Request, directory and actor.' })
  source!: ChangeSourceBody;
  @ApiProperty({ type: CauseBody, nullable: true, description: 'Null: not recorded; the change is older than causes.' })
  cause!: CauseBody | null;
  @ApiProperty({ format: 'date-time', description: 'When the request of the IdP arrived.' })
  requested_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The beginning of the hold.' })
  held_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When an admin released it.' })
  released_at!: string | null;
  @ApiProperty({ format: 'date-time' })
  committed_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  sessions_ended_at!: string | null;
  @ApiProperty({ type: 'integer', example: 2, description: 'The number of sessions that it ended.' })
  sessions_ended!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The first call to the platform.' })
  forwarded_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the platform’s answer.',
  })
  confirmed_at!: string | null;
  @ApiProperty({ enum: LEAVER_STATES })
  state!: string;
  @ApiProperty({ type: LeaverMillisecondsShape, description: 'From the request to each step.' })
  milliseconds!: LeaverMillisecondsShape;
  @ApiProperty({ type: LeaverError, required: false, description: 'Of a parked one.' })
  error?: LeaverError;
}

export interface LeaverRow extends LeaverTimes {
  sequence: string;
  user_id: string;
  kind: 'deactivated' | 'deleted';
  person: Person;
  source: ChangeSource;
  /** Null when the change is older than causes. */
  cause: Cause | null;
  sessions_ended: number;
  /** The beginning and the end of the hold, for a departure that was held. */
  held_at: Date | null;
  released_at: Date | null;
  state: LeaverState;
  parked: string | null;
  parked_detail: string | null;
}

export function leaverBody(row: LeaverRow): LeaverShape {
  const { email, first_name, last_name, external_id } = row.person;
  const times = timesOf(row, row.state);
  return {
    id: `chg_${row.sequence}`,
    user_id: row.user_id,
    change_sequence: Number(row.sequence),
    kind: row.kind,
    user: { email, first_name, last_name, external_id },
    source: row.source,
    cause: causeInWords(row.cause, row.source),
    requested_at: times.requested_at.toISOString(),
    held_at: row.held_at?.toISOString() ?? null,
    released_at: row.released_at?.toISOString() ?? null,
    committed_at: times.committed_at.toISOString(),
    sessions_ended_at: times.sessions_ended_at?.toISOString() ?? null,
    sessions_ended: row.sessions_ended,
    forwarded_at: times.forwarded_at?.toISOString() ?? null,
    confirmed_at: times.confirmed_at?.toISOString() ?? null,
    state: row.state,
    milliseconds: leaverMillisecondsOf(times),
    ...(row.state === 'parked' && row.parked !== null
      ? { error: { code: row.parked, detail: row.parked_detail } }
      : {}),
  };
}

export const LEAVER_COLUMNS = [
  'user_id',
  'change_sequence',
  'kind',
  'email',
  'first_name',
  'last_name',
  'external_id',
  'state',
  'requested_at',
  'committed_at',
  'sessions_ended_at',
  'sessions_ended',
  'forwarded_at',
  'confirmed_at',
  'commit_ms',
  'sessions_ms',
  'forward_ms',
  'confirm_ms',
  'surface',
  'directory_id',
  'actor_kind',
  'actor_id',
  'actor_name',
  'request_id',
  'error',
  'held_at',
  'released_at',
  'why',
] as const;

export function leaverCells(row: LeaverRow): unknown[] {
  const body = leaverBody(row);
  const { user, milliseconds, source } = body;
  return [
    body.user_id,
    body.change_sequence,
    body.kind,
    user.email,
    user.first_name,
    user.last_name,
    user.external_id,
    body.state,
    body.requested_at,
    body.committed_at,
    body.sessions_ended_at,
    body.sessions_ended,
    body.forwarded_at,
    body.confirmed_at,
    milliseconds.commit,
    milliseconds.sessions,
    milliseconds.forward,
    milliseconds.confirm,
    source.surface,
    source.directory_id,
    source.actor.kind,
    source.actor.id,
    source.actor.name,
    source.request_id,
    body.error?.code,
    body.held_at,
    body.released_at,
    body.cause?.words ?? 'not recorded',
  ];
}
