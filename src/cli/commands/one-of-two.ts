import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, given, numbers, queryOf, type Command, type CommandOption } from '../command/command.js';
import { fromInput, parsedJson } from '../made/values.js';
import { NAMED_BY } from '../references/references.js';
import { EVENT_NAMES } from '../../engine/events/catalogue.js';

const USER = { name: 'user_id', required: true, description: NAMED_BY.user, refers: 'user' } as const;
const ENDPOINT = { name: 'webhook_id', required: true, description: NAMED_BY.webhook, refers: 'webhook' } as const;
const ATS = {
  name: 'connection_id',
  required: true,
  description: NAMED_BY.ats_connection,
  refers: 'ats_connection',
} as const;
const INBOUND: CommandOption = { name: 'event_id', description: 'one event (aev_…)' };
const INBOUND_STATES = ['waiting', 'applied', 'no_effect', 'failed', 'dismissed'];

/** Commands that are one of two operations: an option decides which. */
export const ONE_OF_TWO_COMMANDS: Command[] = [
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
      const page: Json =
        after === undefined
          ? { data: await client.list(`/events${queryOf(context, 'event', 'since')}`, limit) }
          : await client.call('GET', `/events?after=${encodeURIComponent(String(after))}&limit=${limit}`);
      if (json === true) return after === undefined ? (page['data'] as Json[]) : page;
      return columns(page['data'] as Json[], 'id', 'event', 'timestamp', 'severity', 'data');
    },
  },
  {
    noun: 'session',
    verb: 'end',
    description: 'Ends the sessions of a user',
    argument: USER,
    options: [{ name: 'session_id', description: 'only this one' }],
    async run(context) {
      const { session_id: one } = given(context, 'session_id');
      const path = `/users/${encode(context.argument!)}/sessions`;
      await context.client.call('DELETE', one === undefined ? path : `${path}/${encode(one)}`);
      return { user_id: context.argument, sessions: one ?? 'all', ended: true };
    },
  },
  {
    noun: 'webhook',
    verb: 'rotate',
    description: 'Makes a new secret, shown this once; the present ones sign beside it for a day',
    argument: ENDPOINT,
    options: [
      { name: 'overlap_seconds', description: 'for how long instead, at most 604800; 0: the present ones end now' },
      { name: 'secret', description: 'one of your own (whsec_…); - reads it from standard input' },
      { name: 'revoke', description: 'makes none, and ends all secrets but the newest', flag: true },
    ],
    run(context) {
      const path = `/webhooks/${encode(context.argument!)}`;
      const overlap = numbers(context, 'overlap_seconds');
      if (context.options['revoke'] === true) return context.client.call('POST', `${path}/revoke-secrets`, {});
      const { secret } = given(context, 'secret');
      const own = secret === undefined ? {} : { secret: fromInput(secret) };
      return context.client.call('POST', `${path}/rotate-secret`, { ...overlap, ...own });
    },
  },
  {
    noun: 'ats',
    verb: 'token',
    description: 'Adds a token of the webhook address, shown this once; or ends one',
    argument: ATS,
    options: [
      {
        name: 'api_token',
        description: 'one that is known already; - reads it from standard input',
        conflicts: ['remove'],
      },
      { name: 'remove', description: 'the id of the token to end (atk_…)' },
    ],
    async run(context) {
      const { api_token: token, remove } = given(context, 'api_token', 'remove');
      const path = `${pathOfAts(context.argument)}/tokens`;
      if (remove === undefined) {
        return context.client.call('POST', path, token === undefined ? {} : { api_token: fromInput(token) });
      }
      await context.client.call('DELETE', `${path}/${encode(remove)}`);
      return { removed: remove };
    },
  },
  {
    noun: 'ats',
    verb: 'link',
    description: 'Makes a link that connects an ATS by OAuth: works once, for three days',
    options: [
      { name: 'provider', description: 'such as lever', conflicts: ['revoke'] },
      { name: 'revoke', description: 'the id of the link to revoke (alk_…)' },
    ],
    async run(context) {
      const { provider, revoke } = given(context, 'provider', 'revoke');
      if (revoke !== undefined) {
        await context.client.call('DELETE', `/ats-connect-links/${encode(revoke)}`);
        return { revoked: revoke };
      }
      if (provider === undefined) throw new CliError('--provider is required.', EXIT.usage);
      if (context.client.hasTemporaryKey) {
        const words =
          'A connect link ends with the key that makes it. Set TALENT_BRIDGE_API_KEY to a key of the tenant.';
        throw new CliError(words, EXIT.credential);
      }
      return context.client.call('POST', '/ats-connect-links', { provider });
    },
  },
  {
    noun: 'ats',
    verb: 'events',
    description: 'Lists the webhooks of the ATS that were received, or shows one with its body',
    argument: ATS,
    options: [
      { ...INBOUND, conflicts: ['state', 'remote_id'] },
      { name: 'state', description: 'only in this state', choices: INBOUND_STATES },
      { name: 'remote_id', description: 'about the record with this id in the ATS' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const path = `${pathOfAts(context.argument)}/events`;
      const { event_id: event } = given(context, 'event_id');
      if (event !== undefined) return context.client.call('GET', `${path}/${encode(event)}`);
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(`${path}${queryOf(context, 'state', 'remote_id')}`, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'id', 'at', 'name', 'remote_id', 'state', 'reason', 'detail');
    },
  },
  {
    noun: 'ats',
    verb: 'retry',
    description: 'Lets one event, or all that failed, be applied again',
    argument: ATS,
    options: [INBOUND, { name: 'failed', description: 'all that failed', flag: true, conflicts: ['event_id'] }],
    run(context) {
      const { event_id: event } = given(context, 'event_id');
      if (event === undefined && context.options['failed'] !== true) {
        throw new CliError('Say --event-id or --failed.', EXIT.usage);
      }
      const place = event === undefined ? 'retry' : `${encode(event)}/retry`;
      return context.client.call('POST', `${pathOfAts(context.argument)}/events/${place}`, {});
    },
  },
  {
    noun: 'interview',
    verb: 'scorecard',
    description: 'Shows the scorecard of an interview, or puts one, which completes it',
    argument: { name: 'interview_id', required: true, description: 'as the list shows it (int_…)' },
    options: [
      { name: 'put', description: 'the scorecard as JSON; - reads it from standard input', conflicts: ['version'] },
      { name: 'version', description: 'an older version to show' },
    ],
    run(context) {
      const { put } = given(context, 'put');
      const path = `/interviews/${encode(context.argument!)}/scorecard`;
      if (put === undefined) return context.client.call('GET', `${path}${queryOf(context, 'version')}`);
      return context.client.call('PUT', path, parsedJson(fromInput(put), '--put'));
    },
  },
];

function pathOfAts(argument: string | undefined): string {
  return `/ats-connections/${encode(argument!)}`;
}
