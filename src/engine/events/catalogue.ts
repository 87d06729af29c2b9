import { ADMINISTRATOR_EVENTS } from './catalogue/administrators.js';
import { ATS_EVENTS } from './catalogue/ats.js';
import { CANDIDATE_EVENTS } from './catalogue/candidates.js';
import { CONNECTION_EVENTS } from './catalogue/connections.js';
import { DELIVERY_EVENTS } from './catalogue/delivery.js';
import { DIRECTORY_EVENTS } from './catalogue/directories.js';
import { INTERVIEW_EVENTS } from './catalogue/interviews.js';
import { JOB_EVENTS } from './catalogue/jobs.js';
import type { EventKind, ValueOf } from './catalogue/kind.js';
import { LEDGER_EVENTS } from './catalogue/ledger.js';
import { SEAT_EVENTS } from './catalogue/seats.js';
import { STORAGE_EVENTS } from './catalogue/storage.js';
import { USER_EVENTS } from './catalogue/users.js';
import { WEBHOOK_EVENTS } from './catalogue/webhooks.js';

export type { EventKind, RecordIds, Severity } from './catalogue/kind.js';

const CATALOGUE = {
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

/** The name of an event. */
export type EventName = keyof typeof CATALOGUE;

/** The data of each event, by its name. Times are ISO 8601 in UTC. */
export type EventData = { [Name in EventName]: ValueOf<(typeof CATALOGUE)[Name]['schema']> };

/** Every event that a tenant receives. */
export const EVENTS: { readonly [Name in EventName]: EventKind<EventData[Name]> } = CATALOGUE;

/** The names of all events. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
