import { ApiProperty } from '@nestjs/swagger';
import type { Shape } from '../../base/http/api-answers.js';
import { CauseBody } from '../../directory-sync/users/explain/explain.dto.js';
import { ActorBody, ChangeSourceBody } from '../../directory-sync/users/user.dto.js';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';
import { OUTCOMES } from '../requests/requests.dto.js';

export const TEXT = { type: String, nullable: true } as const;

export const NUMBER = { type: 'integer' } as const;

export const TIME = { type: String, format: 'date-time' } as const;

const NO_TIME = { ...TIME, nullable: true } as const;

class EntryHead {
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

class ChangedValues {
  @ApiProperty({ ...TEXT, required: false })
  email?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  first_name?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  last_name?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  role?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  external_id?: string | null;
  @ApiProperty({ ...TEXT, required: false, description: 'active, inactive or deleted; null: not recorded.' })
  status?: string | null;
}

class DismissalBody {
  @ApiProperty(TEXT)
  reason!: string | null;
  @ApiProperty(TIME)
  at!: string;
  @ApiProperty()
  actor!: ActorBody;
}

class ChangeEntry extends EntryHead {
  @ApiProperty({ enum: ['change'] })
  kind!: string;
  @ApiProperty(NUMBER)
  sequence!: number;
  @ApiProperty({ enum: ['created', 'updated', 'deactivated', 'reactivated', 'deleted'] })
  event!: string;
  @ApiProperty({ type: [String], description: 'The changed fields of the user.' })
  changed!: string[];
  @ApiProperty({ description: 'The user after the change.' })
  user!: PersonBody;
  @ApiProperty({
    type: ChangedValues,
    nullable: true,
    description: 'The former values of the changed fields; null: no earlier change of the user is recorded.',
  })
  from!: ChangedValues | null;
  @ApiProperty({ description: 'Their new values.' })
  to!: ChangedValues;
  @ApiProperty()
  source!: ChangeSourceBody;
  @ApiProperty({ type: CauseBody, nullable: true, description: 'Null: not recorded; the change is older than causes.' })
  cause!: CauseBody | null;
  @ApiProperty(TIME)
  received_at!: string;
  @ApiProperty(TIME)
  occurred_at!: string;
  @ApiProperty(NO_TIME)
  sessions_ended_at!: string | null;
  @ApiProperty({ description: 'Whether the change is forwarded to the platform.' })
  forwarded!: boolean;
  @ApiProperty({ type: DismissalBody, nullable: true, description: 'An admin discarded it.' })
  dismissed!: DismissalBody | null;
}

class LinkedEntry extends EntryHead {
  @ApiProperty({ enum: ['linked'] })
  kind!: string;
  @ApiProperty({
    enum: ['id', 'external_id', 'user_name', 'email'],
    description: 'The attribute by which the directory matched the user.',
  })
  by!: string;
  @ApiProperty({ description: 'The directory that manages the user from then on.' })
  directory_id!: string;
  @ApiProperty({ ...TEXT, description: 'The directory that managed the user before; null: none.' })
  from_directory_id!: string | null;
  @ApiProperty()
  source!: ChangeSourceBody;
}

/** The removal of the user is held, or an admin or the directory has ended the hold. */
class HeldEntry extends EntryHead {
  @ApiProperty({ enum: ['held'] })
  kind!: string;
  @ApiProperty({ enum: ['held', 'released', 'discarded', 'returned'], description: '`held`: of a removal.' })
  event!: string;
  @ApiProperty({ description: 'Why the user was held.' })
  reason!: string;
  @ApiProperty(NO_TIME)
  held_at!: string | null;
  @ApiProperty({ ...TEXT, description: 'The substitute `userName` since then, where the old one was taken.' })
  user_name!: string | null;
  @ApiProperty()
  source!: ChangeSourceBody;
}

// The forms of the entries of a history, for the documentation. `timeline.sql.ts` reads them.

const ANY = { type: 'object', additionalProperties: true, nullable: true } as const;

class RemovedPersonBody extends PersonBody {
  @ApiProperty({ enum: ['active', 'inactive'], description: 'When the user was removed.' })
  status!: string;
}

class BindingEntry extends EntryHead {
  @ApiProperty({ enum: ['binding'] })
  kind!: string;
  @ApiProperty()
  connection_id!: string;
  @ApiProperty(TEXT)
  connection!: string | null;
  @ApiProperty()
  subject!: string;
  @ApiProperty({ enum: ['claim', 'user_name', 'email', 'created'] })
  made_by!: string;
  @ApiProperty()
  made_of!: string;
  @ApiProperty(TIME)
  created_at!: string;
  @ApiProperty(NO_TIME)
  ended_at!: string | null;
  @ApiProperty(TEXT)
  end_reason!: string | null;
}

class SessionEntry extends EntryHead {
  @ApiProperty({ enum: ['session'] })
  kind!: string;
  @ApiProperty({ ...TEXT, description: 'Null for a session of a sign-in link of the operator.' })
  connection_id!: string | null;
  @ApiProperty(TEXT)
  connection!: string | null;
  @ApiProperty(TEXT)
  ip!: string | null;
  @ApiProperty(TEXT)
  user_agent!: string | null;
  @ApiProperty(TIME)
  began_at!: string;
  @ApiProperty(NO_TIME)
  ended_at!: string | null;
  @ApiProperty(TEXT)
  end_reason!: string | null;
}

class SignInEntryBody extends EntryHead {
  @ApiProperty({ enum: ['sign_in'] })
  kind!: string;
  @ApiProperty({ enum: ['sign-in', 'test', 'logout'] })
  event!: string;
  @ApiProperty({ enum: ['success', 'refused'] })
  outcome!: string;
  @ApiProperty({ ...TEXT, description: 'Of a refusal.' })
  reason!: string | null;
  @ApiProperty(TEXT)
  detail!: string | null;
  @ApiProperty(TEXT)
  account!: string | null;
  @ApiProperty(TEXT)
  connection_id!: string | null;
  @ApiProperty(TEXT)
  connection!: string | null;
  @ApiProperty(TEXT)
  linked_by!: string | null;
  @ApiProperty(TEXT)
  session_id!: string | null;
  @ApiProperty(TEXT)
  ip!: string | null;
  @ApiProperty()
  support_id!: string;
  @ApiProperty()
  request_id!: string;
}

class RequestEntry extends EntryHead {
  @ApiProperty({ enum: ['request'] })
  kind!: string;
  @ApiProperty({ description: 'Also in `source` of the changes, seat lines and notes that it led to.' })
  request_id!: string;
  @ApiProperty()
  method!: string;
  @ApiProperty()
  path!: string;
  @ApiProperty(NUMBER)
  status!: number;
  @ApiProperty({ ...TEXT, enum: OUTCOMES })
  outcome!: string | null;
  @ApiProperty({ ...TEXT, description: 'Why the user was held after the write.' })
  held!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of `linked`: the attribute by which the user was found.' })
  linked_by!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of a refusal.' })
  code!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of a refusal.' })
  scim_type!: string | null;
  @ApiProperty(TEXT)
  detail!: string | null;
  @ApiProperty()
  directory_id!: string;
  @ApiProperty({ description: 'The SCIM token.' })
  credential_id!: string;
  @ApiProperty({ type: Number })
  duration_ms!: number;
}

class SeatEntry extends EntryHead {
  @ApiProperty({ enum: ['seat'] })
  kind!: string;
  @ApiProperty({ enum: ['claim', 'release', 'update', 'opening', 'repair'] })
  event!: string;
  @ApiProperty(NUMBER)
  delta!: number;
  @ApiProperty(TEXT)
  role!: string | null;
  @ApiProperty()
  reason!: string;
  @ApiProperty()
  source!: ChangeSourceBody;
  @ApiProperty(TIME)
  occurred_at!: string;
  @ApiProperty({ ...NUMBER, nullable: true, description: 'Its place in the ledger, once it is sealed.' })
  sequence!: number | null;
}

class DeliveryEntry extends EntryHead {
  @ApiProperty({ enum: ['delivery'] })
  kind!: string;
  @ApiProperty()
  delivery_id!: string;
  @ApiProperty({ ...NUMBER, description: 'The first of the changes that it contains.' })
  first_sequence!: number;
  @ApiProperty({ ...NUMBER, description: 'The last one.' })
  last_sequence!: number;
  @ApiProperty()
  method!: string;
  @ApiProperty()
  path!: string;
  @ApiProperty({ ...NUMBER, nullable: true, description: 'null: no answer came.' })
  status!: number | null;
  @ApiProperty()
  outcome!: string;
  @ApiProperty(TEXT)
  detail!: string | null;
  @ApiProperty({ ...TEXT, description: 'The beginning of the platform’s answer.' })
  answer!: string | null;
  @ApiProperty(TIME)
  sent_at!: string;
  @ApiProperty(NUMBER)
  duration_ms!: number;
}

class AuditEntry extends EntryHead {
  @ApiProperty({ enum: ['audit'] })
  kind!: string;
  @ApiProperty({ ...NUMBER, description: 'The line of the audit log.' })
  audit_id!: number;
  @ApiProperty({ example: 'sessions.ended' })
  event!: string;
  @ApiProperty()
  actor!: ActorBody;
  @ApiProperty(ANY)
  before!: object | null;
  @ApiProperty(ANY)
  after!: object | null;
  @ApiProperty(TEXT)
  request_id!: string | null;
}

class RemovedEntry extends EntryHead {
  @ApiProperty({ enum: ['removed'] })
  kind!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty(TEXT)
  external_id!: string | null;
  @ApiProperty()
  user!: RemovedPersonBody;
  @ApiProperty(TEXT)
  directory_id!: string | null;
  @ApiProperty()
  source!: ChangeSourceBody;
}

export const ENTRY_SHAPE: Shape = {
  oneOf: [
    BindingEntry,
    SessionEntry,
    SignInEntryBody,
    RequestEntry,
    LinkedEntry,
    HeldEntry,
    ChangeEntry,
    SeatEntry,
    DeliveryEntry,
    AuditEntry,
    RemovedEntry,
  ],
  by: 'kind',
};
