import { createHmac, randomBytes } from 'node:crypto';
import { VERSION } from '../../base/log/logger.js';
import type { EventName } from '../../engine/events/catalogue.js';
import type { Endpoint, Form } from './endpoint.store.js';

const PREFIX = 'whsec_';
const NEW_BYTES = 32;
/** The bytes that a secret may have (Standard Webhooks 1.0.0). */
const LENGTH = { least: 24, most: 64 };

export function newSecret(): string {
  return PREFIX + randomBytes(NEW_BYTES).toString('base64');
}

/** Returns why a text cannot be a secret, or null. */
export function webhookSecretProblem(text: string): string | null {
  if (!text.startsWith(PREFIX)) return `must begin with ${PREFIX}`;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Other alphabets, missing padding and stray characters would give another key at the receiver.
  if (bytes.toString('base64') !== encoded) return `must be ${PREFIX} and standard base64 with its padding`;
  if (bytes.length < LENGTH.least || bytes.length > LENGTH.most) {
    return `must hold ${LENGTH.least} to ${LENGTH.most} bytes`;
  }
  return null;
}

/**
 * Returns the value of `webhook-signature`: one signature for each secret, separated by a space (Standard Webhooks
 * 1.0.0). The key is the decoded bytes of the secret. The signed body is the UTF-8 bytes that are sent.
 *
 * @param id the id of the message; it must not contain a dot, which separates the signed parts
 * @param timestampSeconds of this attempt, in whole seconds since 1970
 * @param secrets as `whsec_…`, newest first; at least one
 */
export function signatureHeader(
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
): string {
  if (secrets.length === 0) throw new Error('a message is never sent without a signature');
  const signed = `${id}.${timestampSeconds}.${body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
    })
    .join(' ');
}

interface MessageEvent {
  id: string;
  event: EventName;
  /** The time of the fact: the same at every attempt. */
  at: Date;
  data: string;
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
 * Returns the signed request of an event to an endpoint. Every attempt makes it anew: id and body are the same, time
 * and signatures are new.
 *
 * @throws {Error} when the endpoint has no readable secret
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

/** `data` stays letter for letter. */
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
