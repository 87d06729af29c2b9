import type { Actor } from '../../tenancy/identity/person.js';
import { entryOriginOf, whyItHappened, type HistoryEntry } from '../../overview/history/entry.mapping.js';
import type { Json } from '../client/client.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { CommandFacts, FactsTable } from '../made/values.js';
import { picked } from '../made/made-command.js';
import { actorName } from '../output/words.js';
import { nameOfPerson } from './recruiting.js';

const LEAVERS: CommandFacts = {
  unchecked: ['state'],
  shown: (leaver) => ({
    ...picked(leaver, 'requested_at user_id kind'),
    email: (leaver['user'] as Json)['email'],
    by: actorName((leaver['source'] as { actor: Actor }).actor),
    state: leaver['state'],
    ...Object.fromEntries(Object.entries(leaver['milliseconds'] as Json).map(([step, ms]) => [`${step}_ms`, ms])),
    sessions_ended: leaver['sessions_ended'],
  }),
};

/** Users, and what is known of them: history, leavers, sign-ins, sessions, bindings. */
export const PEOPLE_FACTS: FactsTable = {
  'user find': {
    of: 'GET /users',
    about: 'Finds users by the beginning of an e-mail, name, userName or external_id, held users too',
    argument: {
      of: 'q',
      name: 'text',
      required: false,
      description: 'at least one character, or a filter in its place',
    },
    options: {
      directory: {
        description: 'only of this directory (its id or name), or none: managed by no directory',
        refers: 'directory',
      },
      held: 'a reason such as email_taken, any, or none',
    },
    unchecked: ['held'],
    check({ argument, options: { json: _, limit: __, tenant: ___, ...filters } }) {
      if (argument !== undefined || Object.values(filters).some((value) => value !== undefined)) return;
      throw new CliError(
        'Say what to look for, or a filter such as --status active; "user find --help" names all there is.',
        EXIT.usage,
      );
    },
    shown: (user) => ({
      ...picked(user, 'id email'),
      name: nameOfPerson(user),
      ...picked(user, 'external_id role status seat held'),
      directory: (user['managed_by'] as { name: string } | null)?.name ?? null,
    }),
  },
  'user resend': { answer: (_, { argument }) => ({ id: argument, sent: 'again' }) },
  'user put': { of: 'PUT /users/by-external-id/{external_id}' },
  'leavers list': LEAVERS,
  'leavers show': LEAVERS,
  'history show': {
    of: 'GET /users/{user_id}/history',
    about: 'Shows all that happened to a user, why, and by whom, newest first',
    argument: { description: 'the user: id or e-mail; a deleted user by id' },
    unchecked: ['order', 'kind'],
    shown: ({ id, at, kind, words, ...fields }) => ({
      at,
      kind,
      what: words,
      ...originOf({ kind: kind as HistoryEntry['kind'], fields }),
      id,
    }),
  },
  'sign-in list': {
    unchecked: ['kind', 'outcome', 'reason'],
    columns: 'at kind outcome reason account connection user_id detail id',
  },
  'session list': {
    of: 'GET /users/{user_id}/sessions',
    rows: 'data',
    fields: 'id connection created_at seen_at expires_at ip',
  },
  'identity list': {
    of: 'GET /users/{user_id}/identities',
    rows: 'data',
    fields: 'connection_id connection subject made_by made_of last_sign_in_at ended_at end_reason',
  },
  'identity release': {
    of: 'DELETE /users/{user_id}/identities/{connection_id}',
    answer: (_, { argument, options }) => ({
      user_id: argument,
      connection_id: options['connection_id'],
      released: true,
    }),
  },
  'held list': {
    about: 'Lists users whose requested state has no effect: why, what to do, and who is in the way',
    limit: 1_000,
    unchecked: ['reason'],
    fields: 'user_id reason words next since directory_id conflicts',
    columns: 'user reason words next in_the_way since requested user_id',
    shown: (row) => {
      const [written, inForce] = [row['written'] as Json, row['in_force'] as Json];
      const name = `${String(inForce['first_name'])} ${String(inForce['last_name'])}`.trim();
      const holders = (row['conflicts'] as Json[]).map(({ name: of, email, user_id: id }) => of || email || id);
      return {
        ...row,
        user: name === '' ? (inForce['email'] ?? row['user_id']) : name,
        in_the_way: row['reason'] === 'email_taken' || row['reason'] === 'external_id_taken' ? holders : [],
        requested: [written['email'], written['status']].filter((value) => value !== inForce['email']).join(' '),
      };
    },
  },
};

/** The cells of an entry: why it happened, by whom and by which request. */
function originOf(entry: Pick<HistoryEntry, 'kind'> & { fields: Json }): Json {
  const { actor, requestId } = entryOriginOf(entry.fields);
  return {
    why: whyItHappened(entry),
    by: actor === undefined ? null : actorName(actor),
    request_id: requestId === '' ? null : requestId,
  };
}
