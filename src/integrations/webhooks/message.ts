import { VERSION } from '../../base/log/logger.js';
import type { EventName } from '../../engine/events/catalogue.js';
import type { Endpoint, Form } from './endpoint.js';
import { signatureHeader } from './signature.js';

/** An event that is to be sent. */
export interface MessageEvent {
  /** `evt_…`: the same at every attempt and at every endpoint. */
  id: string;
  event: EventName;
  /** The time of the fact: the same at every attempt. */
  at: Date;
  /** JSON text. */
  data: string;
  /** The id of the record that the event is about. */
  record?: string | null;
}

/** A request to an endpoint: the very bytes of the body, and all headers. */
export interface Message {
  body: string;
  headers: Record<string, string>;
}

const LONE_SURROGATE = /\p{Cs}/gu;
const USER_AGENT = `talent-bridge/${VERSION}`;

const CONTENT_TYPE: Readonly<Record<Form, string>> = {
  source: 'application/json',
  standard: 'application/json',
  cloudevents: 'application/cloudevents+json; charset=utf-8',
};

/**
 * Returns the signed request of an event to an endpoint. Every attempt makes it anew: the id and the body stay, the time
 * and the signatures are fresh.
 *
 * @throws {Error} when the endpoint has no secret that can be read
 */
export function messageOf(
  event: MessageEvent,
  endpoint: Pick<Endpoint, 'tenantId' | 'form' | 'headers' | 'secrets'>,
  now: Date,
): Message {
  // A receiver decodes the body as UTF-8 before it verifies, so a lone surrogate would break the signature.
  const body = bodyOf(event, endpoint).replace(LONE_SURROGATE, '\ufffd');
  const seconds = Math.floor(now.getTime() / 1000);
  return {
    body,
    headers: {
      ...endpoint.headers,
      'content-type': CONTENT_TYPE[endpoint.form],
      'user-agent': USER_AGENT,
      'accept-encoding': 'identity',
      'webhook-id': event.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureHeader(event.id, seconds, body, endpoint.secrets),
    },
  };
}

/** Returns the body of an event in the form of an endpoint. `data` stays letter for letter. */
function bodyOf(
  { id, event, at, data, record }: MessageEvent,
  { form, tenantId }: Pick<Endpoint, 'form' | 'tenantId'>,
): string {
  const time = at.toISOString();
  if (form === 'source') return `{"event":"${event}","timestamp":"${time}","data":${data}}`;
  if (form === 'standard') return `{"event":"${event}","type":"${event}","timestamp":"${time}","data":${data}}`;
  // CloudEvents 1.0: `source` and `id` together are unique; `source` is a URI reference.
  const subject = record == null ? '' : `"subject":${JSON.stringify(record)},`;
  return (
    `{"specversion":"1.0","id":"${id}","source":"/tenants/${tenantId}","type":"${event}","time":"${time}",` +
    `${subject}"datacontenttype":"application/json","data":${data}}`
  );
}
