import type { EffectStepsBody } from '../../src/directory-sync/routes/effect-steps.dto.js';
import type { Json } from '../api/client.js';
import { text } from '../text/text.js';
import type { Column } from './table.js';

type Steps = Json<EffectStepsBody>;
type Values = Record<string, string>;

const words = text.steps;

/** Returns a column for each of role, status, seat and console: `from → to`, or the value that stays. */
export function stepColumns<Row extends { steps: Steps | null }>(): Column<Row>[] {
  return [
    { label: words.role, cell: ({ steps }) => steps && <Change {...steps.role} /> },
    { label: words.status, cell: ({ steps }) => steps && <Change {...steps.status} values={words.statuses} /> },
    { label: words.seat, cell: ({ steps }) => steps && <Change {...steps.seat} values={text.users.seatOf} /> },
    { label: words.console, cell: ({ steps }) => steps && <Change {...steps.console} values={words.rights} /> },
  ];
}

function Change({ from, to, values = {} }: { from: string | null; to: string | null; values?: Values }) {
  const shown = (value: string | null): string => (value === null ? (values['null'] ?? '–') : (values[value] ?? value));
  if (from === to) return <span className="secondary">{shown(from)}</span>;
  return (
    <>
      {shown(from)} → <b>{shown(to)}</b>
    </>
  );
}
