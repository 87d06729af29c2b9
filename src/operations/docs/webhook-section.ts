import { EVENTS, type EventKind } from '../../engine/events/catalogue.js';
import { bodyText } from '../../engine/events/events.dto.js';

const EXAMPLE_TIME = new Date('2026-03-02T09:15:30.000Z');

/** What every request has beside its body (Standard Webhooks). */
const HEADERS = [
  ['webhook-id', 'The id of the event: the same at every try and for every endpoint. Drop what you have processed.'],
  ['webhook-timestamp', 'Seconds since 1970 of this try.'],
  [
    'webhook-signature',
    '`v1,` and the signature in base64: of id, timestamp and body. Several are separated by a blank, one for each live secret.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, schema: { type: 'string' }, description }));

const RESPONSES = {
  '2XX': { description: 'Received, with any body. Its first 4 KiB are kept with the attempt.' },
  '410': { description: 'The receiver is gone: the endpoint is disabled at once.' },
  default: {
    description:
      'Tried again: ten times in 75 hours, unless the operator sets other pauses. `Retry-After` is waited out, a day at most.',
  },
};

/** The section `webhooks` of the description: one request for each event of the catalogue. */
export function webhookSection(): Record<string, object> {
  const kinds = Object.entries(EVENTS) as [string, EventKind][];
  return Object.fromEntries(kinds.map(([event, kind]) => [event, { post: operationOf(event, kind) }]));
}

function operationOf(event: string, { severity, runbook, schema, example }: EventKind): object {
  const body = bodyText({ event, at: EXAMPLE_TIME, data: JSON.stringify(example) });
  return {
    operationId: `webhook_${event.replaceAll('.', '_')}`,
    summary: event,
    description: `${runbook}\n\nSeverity: \`${severity}\`. Where the body would be over 20 kB, \`data\` of a record has its ids alone.`,
    tags: ['events'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['event', 'timestamp', 'data'],
            properties: { event: { const: event }, timestamp: { type: 'string', format: 'date-time' }, data: schema },
          },
          example: JSON.parse(body) as object,
        },
      },
    },
    responses: RESPONSES,
  };
}
