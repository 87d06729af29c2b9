import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { addressOf, call } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { List } from '../../parts/answer.js';
import { ProblemBox } from '../../parts/problem.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

/** A line of the ledger. */
interface LedgerEntry {
  entry_id: string;
  kind: string;
  user_id: string | null;
  delta: number;
  role: string | null;
  reason: string;
  occurred_at: string;
  sequence: number | null;
  count_after: number | null;
  hash: string | null;
  actor: string | null;
}

/** What the check of the chain found. */
interface Verification {
  ok: boolean;
  entries: number;
  count: number | null;
  [more: string]: unknown;
}

const words = text.seats.ledger;

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { label: words.sequence, cell: ({ sequence }) => sequence ?? '–' },
  { label: words.what, cell: ({ kind, role }) => [kind, role].filter(Boolean).join(' ') },
  {
    label: words.user,
    cell: ({ user_id }) =>
      user_id === null ? (
        '–'
      ) : (
        <Link to="/users/$id" params={{ id: user_id }}>
          {user_id}
        </Link>
      ),
  },
  { label: words.delta, cell: ({ delta }) => (delta > 0 ? `+${delta}` : String(delta)), isNumber: true },
  { label: words.count, cell: ({ count_after }) => count_after ?? '–', isNumber: true },
  { label: words.reason, cell: ({ reason }) => reason },
  { label: words.actor, cell: ({ actor }) => actor ?? '–' },
  { label: words.at, cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { label: words.hash, cell: ({ hash }) => (hash === null ? '–' : <code title={hash}>{hash.slice(0, 10)}…</code>) },
];

/** The ledger, line by line, and the check of its chain. */
export function LedgerTab() {
  const entries = useList<LedgerEntry>('/seats/events', {}, 10_000);
  const verify = useMutation({ mutationFn: () => call<Verification>('POST', '/seats/verify') });
  return (
    <div className="stack">
      <div className="row">
        <button type="button" disabled={verify.isPending} onClick={() => verify.mutate()}>
          {words.verify}
        </button>
        <a href={addressOf('/seats/events', { format: 'csv' })} download>
          {text.seats.csv.ledger}
        </a>
      </div>
      {verify.error !== null && <ProblemBox error={verify.error} />}
      {verify.data !== undefined && <Found verification={verify.data} />}
      <List query={entries} empty={words.empty}>
        {(rows) => (
          <Table caption={text.seats.tabs.ledger} columns={COLUMNS} rows={rows} keyOf={({ entry_id }) => entry_id} />
        )}
      </List>
    </div>
  );
}

function Found({ verification }: { verification: Verification }) {
  const { ok, entries, count } = verification;
  return (
    <div role="status" className="tight">
      <State tone={ok ? 'good' : 'problem'}>{ok ? words.whole(entries, count) : words.broken}</State>
      {!ok && <pre>{JSON.stringify(verification, null, 2)}</pre>}
    </div>
  );
}
