import { useRef } from 'react';
import { text } from '../text/text.js';
import type { BothSides as Sides } from './edit.js';
import { ProblemBox } from './problem.js';
import { Table } from './table.js';

const words = text.both;

/** Returns a value of a form in words. */
export function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : '–';
}

/** Shows what was typed beside what the server has now, with a button for each side. */
export function BothSides({
  both: { problem, sides, takeTheirs, keepMine },
  labelOf,
  show = (_field, value) => valueWords(value),
  keep = words.keepAndSave,
}: {
  both: Sides;
  /** The label of a field in the form. */
  labelOf: (field: string) => string;
  /** A value of a field in words. */
  show?: (field: string, value: unknown) => string;
  /** What the button says that keeps what was typed. */
  keep?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  // The buttons leave with the box: the focus stays in the form.
  const choose = (act: () => void) => () => {
    const form = box.current?.parentElement;
    act();
    form?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  };
  return (
    <div ref={box} className="tight">
      {problem !== null && <ProblemBox error={problem} />}
      <div className="problem-box stack" role="alert">
        <p>{problem === null ? words.changed : words.refused}</p>
        {sides.length > 0 && (
          <Table
            caption={words.caption}
            rows={sides}
            keyOf={({ field }) => field}
            columns={[
              { label: words.field, cell: ({ field }) => labelOf(field) },
              { label: words.mine, cell: ({ field, mine }) => <span className="lines">{show(field, mine)}</span> },
              {
                label: words.theirs,
                cell: ({ field, theirs }) => <span className="lines">{show(field, theirs)}</span>,
              },
            ]}
          />
        )}
        <div className="row">
          <button type="button" onClick={choose(takeTheirs)}>
            {words.take}
          </button>
          <button type="button" onClick={choose(keepMine)}>
            {keep}
          </button>
        </div>
      </div>
    </div>
  );
}
