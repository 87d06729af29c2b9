import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { demandConfirmed } from '../command/confirmation.js';
import type { FactsTable } from '../made/facts.js';
import { picked } from '../made/made-command.js';

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
