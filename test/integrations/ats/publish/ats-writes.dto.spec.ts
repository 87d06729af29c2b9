import { atsWriteBody, writeAttemptBody } from '../../../../src/integrations/ats/publish/ats-writes.dto.js';
import { linkMarker } from '../../../../src/integrations/ats/publish/write.js';

const AT = new Date('2026-03-02T09:00:00Z');
const ROW = {
  id: 'atw_1',
  connection_id: 'ats_1',
  candidate_id: 'cand_1',
  interview_id: 'int_1',
  kind: 'link',
  action: 'put',
  revision: 1,
  sequence: '1',
  state: 'written',
  target: 'field',
  marker: 'https://meet.example.com/1',
  remote_ref: 'ref',
  attempts: 2,
  attempted_at: AT,
  written_at: null,
  reason: null,
  detail: null,
  created_at: AT,
  updated_at: AT,
} as const;

test('shows a write with its times as text', () => {
  expect(atsWriteBody(ROW)).toMatchObject({
    id: 'atw_1',
    marker: 'https://meet.example.com/1',
    attempted_at: '2026-03-02T09:00:00.000Z',
    written_at: null,
  });
});

test('shows the marker of the note when a link is a note', () => {
  expect(atsWriteBody({ ...ROW, target: 'note' }).marker).toBe(linkMarker('int_1'));
});

test('shows a try', () => {
  expect(writeAttemptBody({ sent_at: AT, outcome: 'delivered', detail: null, duration_ms: 7 } as never)).toEqual({
    at: '2026-03-02T09:00:00.000Z',
    outcome: 'delivered',
    detail: null,
    ms: 7,
  });
});
