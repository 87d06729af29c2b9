import type { Json } from '../client/client.js';
import type { FactsTable } from '../made/facts.js';

const SINCE = 'only changed since then, such as 2026-10-31 or 2026-10-31T12:00:00Z';
const MOVES = ['in_progress', 'completed', 'cancelled', 'no_show'];

/** Candidates, job openings and interviews. */
export const HIRING_FACTS: FactsTable = {
  'candidate list': {
    options: {
      q: 'only whose name, e-mail or external_id begins so',
      job: 'only of this opening: id or external_id',
      connection: { refers: 'ats_connection' },
      updated_since: SINCE,
    },
    columns: 'id external_id name email job_title stage ats_status updated_at',
    shown: (found) => ({ ...found, name: nameOfPerson(found) }),
  },
  'candidate show': { shown: (found) => ({ ...found, metadata: JSON.stringify(found['metadata']) }) },
  'candidate history': { columns: 'at kind what state reason detail id' },
  'candidate put': { of: 'PUT /candidates/by-external-id/{external_id}' },
  'job list': {
    options: { updated_since: SINCE },
    columns: 'id external_id title status department location updated_at',
  },
  'job close': { of: 'DELETE /jobs/{id}', answer: (_, { argument }) => ({ job_id: argument, closed: true }) },
  'job put': { of: 'PUT /jobs/by-external-id/{external_id}' },
  'interview set': {
    of: 'PUT /interview-engine',
    about: 'Sets the interview engine of the tenant, which meeting links come from',
    extra: [
      {
        name: 'remove',
        description: 'the tenant has no engine any more',
        flag: true,
        conflicts: ['base_url', 'api_key'],
      },
    ],
    body: (body, { options }) => (options['remove'] === true ? { base_url: null } : body),
    example: 'base_url',
  },
  'interview engine': { of: 'GET /interview-engine' },
  'interview test': { of: 'POST /interview-engine/test' },
  'interview schedule': { of: 'POST /candidates/{id}/interviews', argument: { name: 'candidate_id' } },
  'interview list': {
    options: { updated_since: SINCE },
    columns: 'id candidate_id state starts_at ends_at meeting_url',
  },
  'interview move': {
    of: 'PATCH /interviews/{id}',
    options: { state: { description: 'where it moves', choices: MOVES } },
    example: 'starts_at',
  },
  'interview cancel': {
    of: 'PATCH /interviews/{id}',
    about: 'Cancels an interview; its link is taken back from the ATS',
    fixed: { state: 'cancelled' },
    only: [],
  },
};

/** Returns first and last name, as far as a record has them. */
export function nameOfPerson({ first_name, last_name }: Json): string {
  return [first_name, last_name].filter((part) => part !== '').join(' ');
}
