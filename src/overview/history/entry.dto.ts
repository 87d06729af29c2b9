import { ApiProperty } from '@nestjs/swagger';
import type { Shape } from '../../base/http/api-answers.js';
import { EntryHead, NO_TIME, NUMBER, TEXT, TIME } from './entry-head.dto.js';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';
import { ChangeEntry } from './change-entry.dto.js';
import { HeldEntry, LinkedEntry } from './note-entry.dto.js';
import { OUTCOMES } from '../requests/requests.dto.js';
import { ActorBody, ChangeSourceBody } from '../../directory-sync/users/user.dto.js';

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

/** One entry; its fields depend on `kind`. */
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
