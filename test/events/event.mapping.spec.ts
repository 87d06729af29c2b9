import { EVENTS } from '../../src/events/catalogue.js';
import { eventBody } from '../../src/events/event.mapping.js';

it('shows an event with the severity and the runbook line of its kind', () => {
  const at = new Date('2026-01-02T03:04:05.000Z');
  const data = EVENTS['domain.lost'].example;
  expect(eventBody({ sequence: '1', event: 'domain.lost', at, data })).toEqual({
    id: 'evt_0000000000000001',
    event: 'domain.lost',
    timestamp: at,
    data,
    severity: 'warning',
    runbook: EVENTS['domain.lost'].runbook,
  });
});
