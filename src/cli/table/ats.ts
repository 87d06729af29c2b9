import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import type { CommandFacts, FactsTable } from '../made/facts.js';

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
