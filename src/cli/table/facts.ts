import type { FactsTable } from '../made/facts.js';
import { ATS_FACTS } from './ats.js';
import { CONNECTION_FACTS } from './connections.js';
import { DIRECTORY_FACTS } from './directories.js';
import { HIRING_FACTS } from './hiring.js';
import { PEOPLE_FACTS } from './people.js';
import { PLATFORM_FACTS } from './platform.js';
import { SEAT_FACTS } from './seats.js';
import { TENANCY_FACTS } from './tenancy.js';
import { WEBHOOK_FACTS } from './webhooks.js';

/** What the description does not know, of all commands. */
export const FACTS: FactsTable = {
  ...TENANCY_FACTS,
  ...PEOPLE_FACTS,
  ...HIRING_FACTS,
  ...DIRECTORY_FACTS,
  ...CONNECTION_FACTS,
  ...PLATFORM_FACTS,
  ...SEAT_FACTS,
  ...WEBHOOK_FACTS,
  ...ATS_FACTS,
};
