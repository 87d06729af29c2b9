import { EVENT_NAMES } from '../../engine/events/catalogue.js';
import type { Json } from '../client/client.js';
import { columns, numbers, queryOf, type Command } from '../command/command.js';

/** The events of a tenant. */
export const EVENT_COMMANDS: Command[] = [
  {
    noun: 'event',
    verb: 'list',
    description: 'Lists events, newest first; with --after the feed behind a position, oldest first',
    options: [
      { name: 'event', description: 'only events of this name', choices: EVENT_NAMES, conflicts: ['after'] },
      { name: 'since', description: 'such as 2026-10-31 or 2026-10-31T12:00:00Z', conflicts: ['after'] },
      { name: 'after', description: 'the id of an event, or an empty text: from the oldest that is kept' },
      { name: 'limit', description: 'how many, 50 unless set; at most 1000 with --after' },
    ],
    async run(context) {
      const { client, options } = context;
      const { limit = 50 } = numbers(context, 'limit');
      const { after, json } = options;
      if (after === undefined) {
        const found = await client.list(`/events${queryOf(context, 'event', 'since')}`, limit);
        return json === true ? found : columns(found, ...SHOWN);
      }
      const page = await client.call<Json>('GET', `/events?after=${encodeURIComponent(String(after))}&limit=${limit}`);
      return json === true ? page : columns(page['data'] as Json[], ...SHOWN);
    },
  },
];

const SHOWN = ['id', 'event', 'timestamp', 'severity', 'data'] as const;
