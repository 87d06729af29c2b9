import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { demandConfirmed } from '../command/command.js';
import { picked } from '../made/made-command.js';
import type { CommandFacts, FactsTable } from '../made/values.js';

const SETTINGS: CommandFacts = {
  options: {
    candidates_since: {
      of: 'takes.since',
      description: 'only candidates that changed since, such as 2026-01-31T00:00:00Z',
    },
    stages: { description: 'ids of stages with commas between, or any', words: { any: null } },
    link_target: { description: 'where meeting links are put', words: { none: null } },
    scorecard_target: { description: 'where scorecards are put', words: { none: null } },
    key: 'the API key of the ATS; - reads it from standard input',
    client_id: 'of a client that was made in the ATS',
    client_secret: 'its secret; - reads it from standard input',
  },
  without: ['credential.kind'],
  check({ options }) {
    if (options['client_id'] === undefined || options['client_secret'] !== undefined) return;
    throw new CliError('--client-secret is required with --client-id.', EXIT.usage);
  },
  body: withKind,
  shown: withNextStep,
  begins: ['ats.connect'],
};

/** Connections to applicant tracking systems. */
export const ATS_FACTS: FactsTable = {
  'ats providers': {
    answer({ data }, { options }) {
      const all = data as Json[];
      if (options['json'] === true) return all;
      return all.map((one) => [headOf(one), ...limitsOf(one).map((limit) => `  - ${limit}`)].join('\n')).join('\n\n');
    },
  },
  'ats connect': { ...SETTINGS, of: 'POST /ats-connections', unchecked: ['provider'] },
  'ats list': { columns: 'id provider name marker state reason missing paused next_run_at' },
  'ats show': { shown: withNextStep },
  'ats users': { fields: 'id name email' },
  'ats set': { ...SETTINGS, example: 'name' },
  'ats disconnect': { begins: ['ats.release'] },
  'ats delete': { begins: ['ats.remove'], answer: (_, { argument }) => ({ deleted: argument! }) },
  'ats links': { of: 'GET /ats-connect-links', fields: 'id provider created_at expires_at used_at revoked_at' },
  'ats writes': { columns: 'id candidate_id kind revision state reason attempts written_at' },
  'ats retry-write': { of: 'POST /ats-connections/{connection_id}/writes/{write_id}/retry' },
  'ats dismiss-write': { of: 'POST /ats-connections/{connection_id}/writes/{write_id}/dismiss' },
  'ats test-write': { rows: 'steps', columns: 'step ok detail' },
  'ats runs': { columns: 'id reason full state waiting_reason phase started_at duration_ms counts error' },
  'ats dismiss': { of: 'POST /ats-connections/{connection_id}/events/{event_id}/dismiss' },
};

function headOf({ provider, title, credentials, marker }: Json): string {
  return `${String(title)} (${String(provider)}): connects by ${(credentials as string[]).join(' or ')}; ids begin with ${String(marker)}`;
}

/** What a connector cannot do, in sentences. */
function limitsOf({ limits }: Json): string[] {
  return limits as string[];
}

/** Adds the kind of a credential, which its fields show. Of two credentials the key counts. */
function withKind({ credential, ...body }: Json): Json {
  if (credential === undefined) return body;
  const { key, ...client } = credential as Json;
  if (key !== undefined) return { ...body, credential: { kind: 'api_key', key } };
  return client['client_id'] === undefined ? body : { ...body, credential: { kind: 'client_credentials', ...client } };
}

const NEXT_STEPS: Readonly<Record<string, (id: string) => string>> = {
  credential: (id) => `nothing is read or written without a credential: ats set ${id} --key -`,
  as_user: (id) => `writes wait for a user of the ATS: ats users ${id}, then ats set ${id} --as-user <id>`,
};

/** Adds what to do about a connection that cannot read or write. */
function withNextStep(connection: Json): Json {
  const [first] = connection['missing'] as string[];
  const step = first === undefined ? undefined : NEXT_STEPS[first]?.(String(connection['id']));
  return step === undefined ? connection : { ...connection, next_step: step };
}

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

const EVENTS = { description: 'names with commas between, or all', words: { all: null } };
const HEADERS = 'its own headers as JSON, such as {"x-team":"hr"}; - reads them from standard input';

/** Webhook endpoints and their messages. */
export const WEBHOOK_FACTS: FactsTable = {
  'webhook create': { options: { events: EVENTS, headers: HEADERS } },
  'webhook list': { columns: 'id url state state_reason waiting given_up last_success_at' },
  'webhook set': {
    options: { events: EVENTS, headers: HEADERS, ordered: { words: { true: true, false: false } } },
    example: 'url',
  },
  'webhook delete': {
    async confirm(context, path) {
      const { url, waiting, given_up } = await context.client.call('GET', path);
      demandConfirmed(
        context,
        Number(waiting) + Number(given_up),
        `No event goes to ${String(url)} any more: ${String(waiting)} messages that wait for it and ${String(given_up)} that were given up ` +
          'are dropped with it.',
      );
    },
    answer: (_, { argument }) => ({ deleted: argument! }),
  },
  'webhook test': { unchecked: ['event'] },
  'webhook attempts': { columns: 'at event_id outcome status fault ms address' },
  'webhook messages': { columns: 'event_id event record at failures next_attempt_at reason' },
  'webhook replay': {
    about: 'Sends events again, oldest first, in a task that "task show" follows',
    options: {
      since: { description: 'everything from then on, such as 2026-01-31T00:00:00Z', conflicts: ['given_up'] },
      dry_run: 'counts, and sends nothing',
    },
    check({ options }) {
      if (options['since'] !== undefined || options['given_up'] === true) return;
      throw new CliError('Say --since or --given-up.', EXIT.usage);
    },
  },
  'webhook explain': {
    options: { record: { conflicts: ['event_id'] } },
    check({ options }) {
      if (options['record'] !== undefined || options['event_id'] !== undefined) return;
      throw new CliError('Say --record or --event-id.', EXIT.usage);
    },
    answer({ found, why, events, ...rest }, { options }) {
      if (options['json'] === true) return { found, why, events, ...rest };
      if (found !== true) return `${String(why)}\n`;
      return (events as Json[]).map((event) => picked(event, 'event_id event at outcome why'));
    },
  },
};
