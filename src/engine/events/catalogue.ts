import type { EventKind, ValueOf } from './catalogue/kind.js';
import { ADMINISTRATOR_EVENTS, CONNECTION_EVENTS, DIRECTORY_EVENTS, USER_EVENTS } from './catalogue/people.js';
import { ATS_EVENTS, CANDIDATE_EVENTS, INTERVIEW_EVENTS, JOB_EVENTS } from './catalogue/recruiting.js';
import { DELIVERY_EVENTS, LEDGER_EVENTS, SEAT_EVENTS, STORAGE_EVENTS, WEBHOOK_EVENTS } from './catalogue/service.js';

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

export const EVENTS: { readonly [Name in EventName]: EventKind<EventData[Name]> } = CATALOGUE;

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
