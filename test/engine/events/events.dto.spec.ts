import { EVENTS } from '../../../src/engine/events/catalogue.js';
import type { StoredEvent } from '../../../src/engine/events/event-source.js';
import { bodyText, eventText, pageText } from '../../../src/engine/events/events.dto.js';

const at = new Date('2026-01-02T03:04:05.000Z');
const data = '{"domain":"example.com", "problem":null,"n":1.0}';
const event: StoredEvent = { sequence: '17', event: 'domain.lost', at, record: null, data };

it('shows an event with the severity and the runbook line of its kind', () => {
  expect(JSON.parse(eventText(event))).toEqual({
    id: 'evt_0000000000000017',
    event: 'domain.lost',
    timestamp: at.toISOString(),
    data: { domain: 'example.com', problem: null, n: 1 },
    severity: 'warning',
    runbook: EVENTS['domain.lost'].runbook,
  });
});

it('keeps the body letter for letter', () => {
  expect(bodyText(event)).toBe(`{"event":"domain.lost","timestamp":"2026-01-02T03:04:05.000Z","data":${data}}`);
  expect(eventText(event)).toContain(bodyText(event).slice(1, -1));
});

it('shows pages with the place of the next one', () => {
  expect(JSON.parse(pageText([], 'next_after', null))).toEqual({ data: [], next_after: null });
  const page = JSON.parse(pageText([event, event], 'next_cursor', 'c')) as { data: unknown[] };
  expect(page).toMatchObject({ next_cursor: 'c' });
  expect(page.data).toHaveLength(2);
});
