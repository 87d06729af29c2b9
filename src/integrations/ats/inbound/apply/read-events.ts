import type { Connector } from '../../connectors/connector.js';
import { readInboundBody } from '../inbound-body.js';
import { readingOf } from '../inbound-reading.js';
import { faultOf, type ReadEvent } from './plan.rules.js';
import { settledVerdict } from './verdict.rules.js';
import type { EventVerdict, WaitingEvent } from './waiting-events.repository.js';

/** Returns what events say, and the verdicts on those that say nothing that could be applied. */
export function readEvents(
  connector: Connector,
  rows: readonly WaitingEvent[],
): { read: ReadEvent[]; verdicts: EventVerdict[] } {
  const read: ReadEvent[] = [];
  const verdicts: EventVerdict[] = [];
  const now = new Date();
  for (const row of rows) {
    const { id, at, tries, body: raw, headers, signed } = row;
    if (raw === null) {
      verdicts.push(settledVerdict(row, 'no_effect', 'erased'));
      continue;
    }
    const { body, fault } = readInboundBody(raw, row.content_type ?? '', undefined);
    const reading = readingOf(connector, { raw, body, headers: headers ?? {}, receivedAt: at }, fault);
    if (typeof reading === 'string') {
      verdicts.push(settledVerdict(row, 'failed', 'not_understood', reading));
      continue;
    }
    const event = { id, at, tries, reading, signed };
    const wrong = faultOf(event, now);
    if (wrong === null) read.push(event);
    else verdicts.push(settledVerdict(row, wrong === 'no_data' ? 'no_effect' : 'failed', wrong));
  }
  return { read, verdicts };
}
