import { listedEvent, shownEvent } from '../../../../src/integrations/ats/inbound/inbound-events.dto.js';

const ROW = {
  id: 'aev_1',
  at: new Date('2026-03-02T09:00:00Z'),
  name: 'applicationCreated',
  occurred_at: null,
  kind: 'candidate',
  remote_id: '7',
  state: 'waiting',
  reason: null,
  detail: null,
  tries: 0,
  decided_at: null,
  content_type: 'application/json',
  headers: { 'user-agent': 'Lever' },
  body: Buffer.from('{"a":"ü"}'),
};

test('lists an event without its body', () => {
  const listed = listedEvent(ROW as never);
  expect(listed).toMatchObject({ id: 'aev_1', at: '2026-03-02T09:00:00.000Z', occurred_at: null, decided_at: null });
  expect('body' in listed || 'headers' in listed).toBe(false);
});

test('shows a body as text, other bytes as base64, and null when it is erased', () => {
  const shown = (body: Buffer | null) => {
    const { body: text, body_base64: bytes } = shownEvent({ ...ROW, body } as never);
    return [text, bytes];
  };
  expect(shown(ROW.body)).toEqual(['{"a":"ü"}', null]);
  expect(shown(Buffer.from([0xff, 0xfe]))).toEqual([null, '//4=']);
  expect(shown(null)).toEqual([null, null]);
});
