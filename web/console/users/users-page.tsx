import { Link, useSearch } from '@tanstack/react-router';
import type { UserBody } from '../../../src/directory-sync/users/user.dto.js';
import type { Json } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { List } from '../../parts/answer.js';
import { Choice, SearchField } from '../../parts/filters.js';
import { Page } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { nameOf } from '../../parts/user-name.js';
import { text } from '../../text/text.js';

type User = Json<UserBody>;

const words = text.users;
const reasons: Record<string, string> = text.held.reasons;

const COLUMNS: readonly Column<User>[] = [
  {
    label: words.name,
    cell: (user) => (
      <Link to="/users/$id" params={{ id: user.id }}>
        {nameOf(user)}
      </Link>
    ),
  },
  { label: words.email, cell: ({ email }) => email ?? '–' },
  { label: words.role, cell: ({ role }) => role ?? '–' },
  {
    label: words.status,
    cell: ({ status, held }) =>
      held === null ? (
        <State tone={status === 'active' ? 'good' : 'neutral'}>{status}</State>
      ) : (
        <State tone="attention">{`held: ${reasons[held] ?? held}`}</State>
      ),
  },
  { label: words.seat, cell: ({ seat }) => words.seatOf[seat] ?? seat },
  { label: words.directory, cell: ({ managed_by }) => managed_by?.name ?? '–' },
  { label: words.updated, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

/** All users, with filters that stand in the address. */
export function UsersPage() {
  const filters = useSearch({ from: '/users' });
  const users = useList<User>('/users', filters, 15_000);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title={words.title} lead={words.lead}>
      <div className="row">
        <SearchField name="q" label={words.search} value={filters.q} />
        <Choice name="status" label={words.status} value={filters.status} values={words.statuses} />
        <Choice name="seat" label={words.seat} value={filters.seat} values={words.seats} />
        <Choice name="held" label={words.held} value={filters.held} values={Object.entries(text.held.reasons)} />
        <Choice name="source" label={words.source} value={filters.source} values={words.sources} />
      </div>
      <List query={users} empty={isFiltered ? words.noMatch : words.empty}>
        {(rows) => <Table caption={words.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />}
      </List>
    </Page>
  );
}
