import { ADMINISTRATOR_EVENTS, type AdministratorEvents } from './catalogue/administrators.js';
import { ATS_EVENTS, type AtsEvents } from './catalogue/ats.js';
import { CANDIDATE_EVENTS, type CandidateEvents } from './catalogue/candidates.js';
import { CONNECTION_EVENTS, type ConnectionEvents } from './catalogue/connections.js';
import { DELIVERY_EVENTS, type DeliveryEvents } from './catalogue/delivery.js';
import { DIRECTORY_EVENTS, type DirectoryEvents } from './catalogue/directories.js';
import { INTERVIEW_EVENTS, type InterviewEvents } from './catalogue/interviews.js';
import { JOB_EVENTS, type JobEvents } from './catalogue/jobs.js';
import type { EventKind } from './catalogue/kind.js';
import { LEDGER_EVENTS, type LedgerEvents } from './catalogue/ledger.js';
import { SEAT_EVENTS, type SeatEvents } from './catalogue/seats.js';
import { STORAGE_EVENTS, type StorageEvents } from './catalogue/storage.js';
import { USER_EVENTS, type UserEvents } from './catalogue/users.js';
import { WEBHOOK_EVENTS, type WebhookEvents } from './catalogue/webhooks.js';

export type { EventKind, RecordIds, Severity } from './catalogue/kind.js';

/** The data of each event, by its name. Times are ISO 8601 in UTC. */
export interface EventData
  extends
    CandidateEvents,
    InterviewEvents,
    UserEvents,
    AdministratorEvents,
    JobEvents,
    SeatEvents,
    StorageEvents,
    DirectoryEvents,
    DeliveryEvents,
    ConnectionEvents,
    AtsEvents,
    WebhookEvents,
    LedgerEvents {}

/** The name of an event. */
export type EventName = keyof EventData;

/** Every event that a tenant receives. */
export const EVENTS: { readonly [Name in EventName]: EventKind<EventData[Name]> } = {
  ...CANDIDATE_EVENTS,
  ...INTERVIEW_EVENTS,
  ...USER_EVENTS,
  ...ADMINISTRATOR_EVENTS,
  ...JOB_EVENTS,
  ...SEAT_EVENTS,
  ...STORAGE_EVENTS,
  ...DIRECTORY_EVENTS,
  ...DELIVERY_EVENTS,
  ...CONNECTION_EVENTS,
  ...ATS_EVENTS,
  ...WEBHOOK_EVENTS,
  ...LEDGER_EVENTS,
};

/** The names of all events. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
