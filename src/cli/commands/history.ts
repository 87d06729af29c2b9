import { entryOriginOf, whatHappened, whyItHappened, type HistoryEntry } from '../../overview/history/entry.mapping.js';
import type { Actor } from '../../tenancy/identity/source.js';
import { actorName } from '../output/actor-name.js';
import { encode, type Json } from '../client/client.js';
import { columns, isExport, LONG_LIST, numbers, queryOf, SPAN, type Command } from '../command/command.js';
import { PERSON, personId } from '../references/person-id.js';

export const HISTORY_COMMANDS: Command[] = [
  {
    noun: 'leavers',
    verb: 'list',
    description: 'Lists leavers, newest first, with by whom they left and the time until the platform knew',
    options: [
      ...SPAN,
      { name: 'user_id', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
      { name: 'state', description: 'confirmed, waiting, parked, dismissed or not_forwarded' },
      ...LONG_LIST,
    ],
    async run(context) {
      const filters = ['since', 'until', 'user_id', 'state'];
      if (isExport(context)) {
        return context.client.text(`/leavers${queryOf(context, ...filters, 'format')}`);
      }
      const { limit = 200 } = numbers(context, 'limit');
      const leavers = await context.client.list(`/leavers${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return leavers;
      return leavers.map((leaver) => ({
        ...columns([leaver], 'requested_at', 'user_id', 'kind')[0],
        email: (leaver['user'] as Json)['email'],
        by: actorName((leaver['source'] as { actor: Actor }).actor),
        state: leaver['state'],
        ...prefixed(leaver['milliseconds'] as Json),
        sessions_ended: leaver['sessions_ended'],
      }));
    },
  },
  {
    noun: 'history',
    verb: 'show',
    description: 'Shows all that happened to a user, why, and by whom, newest first',
    argument: { ...PERSON, description: 'the user: id or e-mail; a deleted user by id' },
    options: [
      ...SPAN,
      { name: 'kind', description: 'with commas between: change, delivery, seat, sign_in, session …' },
      { name: 'order', description: 'desc (unless set) or asc' },
      ...LONG_LIST,
    ],
    async run(context) {
      const path = `/users/${encode(await personId(context))}/history`;
      const filters = ['since', 'until', 'kind', 'order'];
      if (isExport(context)) {
        return context.client.text(`${path}${queryOf(context, ...filters, 'format')}`);
      }
      const { limit = 200 } = numbers(context, 'limit');
      const entries = await context.client.list(`${path}${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return entries;
      return (entries as HistoryEntry[]).map(({ id, at, kind, ...fields }) => {
        return { at, kind, ...wordsOf({ kind, fields }), id };
      });
    },
  },
];

/** The cells of an entry: what happened, why, by whom and by which request. */
function wordsOf(entry: Pick<HistoryEntry, 'kind'> & { fields: Record<string, unknown> }): Json {
  const { actor, requestId } = entryOriginOf(entry.fields);
  return {
    what: whatHappened(entry),
    why: whyItHappened(entry),
    by: actor === undefined ? null : actorName(actor),
    request_id: requestId === '' ? null : requestId,
  };
}

function prefixed(milliseconds: Json): Json {
  return Object.fromEntries(Object.entries(milliseconds).map(([step, ms]) => [`${step}_ms`, ms]));
}
