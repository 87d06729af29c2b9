import { jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { messageOf } from '../../../src/integrations/webhooks/message.js';
import { newSecret } from '../../../src/integrations/webhooks/signature.js';

const secret = newSecret();
const at = new Date('2026-03-02T09:15:30.000Z');
const now = new Date('2026-03-02T09:15:31.900Z');
const data = '{"id":"cand_1","metadata":{"b":1.0,"a":480912000001234567,"e":"🧪","u":"\u2028"}}';
const event = { id: 'evt_0000000000000042', event: 'destination.back' as const, at, data, record: 'cand_1' };
const endpoint = { tenantId: 'ten_1', form: 'source' as const, headers: {}, secrets: [secret] };

function verified(message: ReturnType<typeof messageOf>): unknown {
  jest.useFakeTimers({ now });
  try {
    return new Webhook(secret).verify(Buffer.from(message.body, 'utf8'), message.headers);
  } finally {
    jest.useRealTimers();
  }
}

it('sends exactly event, timestamp and data, letter for letter', () => {
  const message = messageOf(event, endpoint, now);
  expect(message.body).toBe(`{"event":"destination.back","timestamp":"2026-03-02T09:15:30.000Z","data":${data}}`);
  expect(message.headers).toMatchObject({
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'webhook-id': 'evt_0000000000000042',
    'webhook-timestamp': '1772442931',
  });
  expect(message.headers['user-agent']).toMatch(/^talent-bridge\/\d+\.\d+\.\d+/);
  expect(verified(message)).toEqual(JSON.parse(message.body));
});

it('adds `type` beside `event` for the standard form', () => {
  const message = messageOf(event, { ...endpoint, form: 'standard' }, now);
  expect(Object.keys(JSON.parse(message.body) as object)).toEqual(['event', 'type', 'timestamp', 'data']);
  expect(message.body.endsWith(`"data":${data}}`)).toBe(true);
  verified(message);
});

it('sends structured CloudEvents 1.0', () => {
  const message = messageOf(event, { ...endpoint, form: 'cloudevents' }, now);
  expect(message.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
  expect(JSON.parse(message.body)).toEqual({
    specversion: '1.0',
    id: 'evt_0000000000000042',
    source: '/tenants/ten_1',
    type: 'destination.back',
    time: '2026-03-02T09:15:30.000Z',
    subject: 'cand_1',
    datacontenttype: 'application/json',
    data: JSON.parse(data) as unknown,
  });
  expect(messageOf({ ...event, record: null }, { ...endpoint, form: 'cloudevents' }, now).body).not.toContain(
    'subject',
  );
  verified(message);
});

it('makes a retry with the same id and body, and a fresh time and signature', () => {
  const first = messageOf(event, endpoint, now);
  const second = messageOf(event, endpoint, new Date(now.getTime() + 5_000));
  expect(second.body).toBe(first.body);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
  expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
  expect(Object.keys(second.headers)).toEqual(Object.keys(first.headers));
});

it('sends valid UTF-8 where a text holds a lone surrogate, with a good signature', () => {
  const message = messageOf({ ...event, data: '{"half":"\ud83e"}' }, endpoint, now);
  expect(verified(message)).toMatchObject({ data: { half: '\ufffd' } });
});

it('never lets a header of the endpoint replace one of ours', () => {
  const headers = { authorization: 'Bearer x', 'webhook-id': 'forged', 'content-type': 'text/plain' };
  expect(messageOf(event, { ...endpoint, headers }, now).headers).toMatchObject({
    authorization: 'Bearer x',
    'webhook-id': event.id,
    'content-type': 'application/json',
  });
});

it('gives two endpoints the same id and different signatures', () => {
  const other = messageOf(event, { ...endpoint, secrets: [newSecret()] }, now);
  const first = messageOf(event, endpoint, now);
  expect(other.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(other.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
});
