import type { InstallationBody } from '../../operations/installation/installation.js';
import type { Json } from '../client/client.js';
import type { FactsTable } from '../made/values.js';
import {
  readable,
  type ShownChange,
  installationWords,
  overviewWords,
  stateWord,
  type Overview,
} from '../output/words.js';
import { CONNECTION_FACTS } from './connections.js';
import { DIRECTORY_FACTS } from './directories.js';
import { PEOPLE_FACTS } from './people.js';
import { ATS_FACTS, HIRING_FACTS, WEBHOOK_FACTS } from './recruiting.js';
import { SEAT_FACTS } from './seats.js';
import { TENANCY_FACTS } from './tenancy.js';

const KEYS = { rows: 'keys', fields: 'id purpose active_from retired_at' };

/** The platform, the changes that are forwarded to it, and the installation. */
const PLATFORM_FACTS: FactsTable = {
  'platform show': { shown: (platform) => ({ ...platform, state: stateWord(platform['state']) }) },
  'platform test': {
    about: 'Tests the connection; exit code 1 when an answer is wrong',
    shown: ({ steps = [], ...finding }) => ({
      ...finding,
      ...Object.fromEntries((steps as Step[]).map(stepLine)),
    }),
  },
  'drift run': {
    of: 'POST /platform/drift',
    about: 'Compares the platform’s list with the expected state; task left-out lists the differences',
  },
  'changes list': {
    options: { state: { description: 'the state; waiting is the same as pending', words: { waiting: 'pending' } } },
    columns: 'id kind state user_id external_id changed occurred_at error',
  },
  'changes show': {
    argument: { name: 'change_id', description: 'as the list shows it' },
    // Here and below: answers arrive as JSON, and their fields are those of the API.
    shown: (change) => readable(change as unknown as ShownChange),
  },
  'changes statistics': { answer: ({ data }) => data as Json[] },
  'keys rotate': {
    of: 'POST /tenants/keys/rotate',
    about: 'Seals all secrets with the first key of ENCRYPTION_KEY; then the old keys can go',
  },
  'keys rotate-signing': { ...KEYS, of: 'POST /tenants/keys/signing/rotate', unchecked: ['purpose'] },
  'keys signing': { ...KEYS, of: 'GET /tenants/keys/signing' },
  'installation show': { shown: (found) => installationWords(found as unknown as InstallationBody) },
  'installation audit': { limit: 1_000, columns: 'at action target_type target_id request_id' },
  overview: { of: 'GET /overview', shown: (found) => overviewWords(found as unknown as Overview) },
  me: { of: 'GET /me' },
  resolve: { of: 'GET /resolve' },
};

interface Step {
  name: string;
  method: string;
  path: string;
  status: number | null;
  ok: boolean;
  message: string | null;
}

function stepLine({ name, method, path, status, ok, message }: Step, place: number): [string, string] {
  const found = ok ? 'ok' : `not ok: ${message ?? ''}`;
  return [`step_${place + 1}`, `${name}: ${method} ${path} → ${status ?? 'no answer'}, ${found}`];
}

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
