import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { Answer, List } from '../../parts/answer.js';
import { DayField } from '../../parts/filters.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { SeatSummary } from './summary.js';

/** A user with a seat at a moment. */
interface Holder {
  user_id: string;
  name: string | null;
  email: string | null;
  since: string;
  role: string | null;
  directory: string | null;
  cost_center: string | null;
  reason: string;
}

const words = text.seats;

const COLUMNS: readonly Column<Holder>[] = [
  {
    label: words.holder.name,
    cell: ({ user_id, name }) => (
      <Link to="/users/$id" params={{ id: user_id }}>
        {name ?? user_id}
      </Link>
    ),
  },
  { label: words.holder.email, cell: ({ email }) => email ?? '–' },
  { label: words.holder.role, cell: ({ role }) => role ?? '–' },
  { label: words.holder.since, cell: ({ since }) => <Time at={since} /> },
  { label: words.holder.directory, cell: ({ directory }) => directory ?? '–' },
  { label: words.holder.costCenter, cell: ({ cost_center }) => cost_center ?? '–' },
  { label: words.holder.reason, cell: ({ reason }) => reason },
];

/** Who held a seat at the end of a day, or holds one now. */
export function HoldersTab() {
  const { as_of } = useSearch({ from: '/seats/{-$tab}' });
  const summary = useRead<SeatSummary>('/seats', { as_of });
  const holders = useList<Holder>('/seats/holders', { as_of });
  return (
    <div className="stack">
      <div className="row">
        <DayField name="as_of" label={words.asOf} value={as_of} />
        <a href={addressOf('/seats/holders', { as_of, format: 'csv' })} download>
          {words.csv.holders}
        </a>
      </div>
      <Answer query={summary} height={40}>
        {({ used, limit, final }) => (
          <p role="status">
            {as_of === undefined ? words.used(used) : words.usedThen(used, as_of)} {used !== null && words.limit(limit)}{' '}
            {!final && words.notFinal}
          </p>
        )}
      </Answer>
      <List query={holders} empty={words.noHolders}>
        {(rows) => (
          <Table caption={words.tabs.holders} columns={COLUMNS} rows={rows} keyOf={({ user_id }) => user_id} />
        )}
      </List>
    </div>
  );
}
