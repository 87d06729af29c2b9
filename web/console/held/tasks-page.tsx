import { useSearch } from '@tanstack/react-router';
import type { TaskBody } from '../../../src/engine/work/tasks.dto.js';
import type { Json } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { List } from '../../parts/answer.js';
import { Choice } from '../../parts/filters.js';
import { Page } from '../../parts/page.js';
import { State, type Tone } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

type Task = Json<TaskBody>;

const words = text.tasks;
const TONES: Record<Task['state'], Tone> = {
  waiting: 'neutral',
  running: 'attention',
  done: 'good',
  failed: 'problem',
  cancelled: 'neutral',
};

/** Background work: its progress, its end, and why it failed. */
export function TasksPage() {
  const filters = useSearch({ from: '/tasks' });
  const me = useMe();
  const tasks = useList<Task>('/tasks', filters, 3_000);
  return (
    <Page title={words.title} lead={words.lead}>
      <div className="row">
        <Choice name="state" label={words.state} value={filters['state']} values={Object.entries(words.states)} />
      </div>
      <List query={tasks} empty={words.empty}>
        {(rows) => (
          <Table caption={words.title} columns={columnsFor(may(me.data, 'admin'))} rows={rows} keyOf={({ id }) => id} />
        )}
      </List>
    </Page>
  );
}

function columnsFor(canWrite: boolean): Column<Task>[] {
  const columns: Column<Task>[] = [
    { label: words.kind, cell: ({ kind }) => kind },
    {
      label: words.state,
      cell: ({ state, error }) => (
        <span>
          <State tone={TONES[state]}>{words.states[state]}</State> {error}
        </span>
      ),
    },
    {
      label: words.progress,
      cell: ({ done, total, result }) => (
        <span>
          {words.of(done, total)}{' '}
          <span className="secondary">
            {Object.entries(result ?? {})
              .map(([name, n]) => `${name} ${n}`)
              .join(', ')}
          </span>
        </span>
      ),
    },
    { label: words.began, cell: ({ started_at, created_at }) => <Time at={started_at ?? created_at} /> },
    {
      label: words.ends,
      cell: ({ finished_at, estimated_end }) =>
        finished_at !== null ? (
          <Time at={finished_at} />
        ) : estimated_end !== null ? (
          <span>
            {words.estimated} <Time at={estimated_end} />
          </span>
        ) : (
          '–'
        ),
    },
  ];
  if (!canWrite) return columns;
  const isOver = ({ state }: Task): boolean => state !== 'waiting' && state !== 'running';
  return [
    ...columns,
    {
      label: text.act.actions,
      cell: (task) =>
        isOver(task) ? null : <Act label={words.cancel} path={`/tasks/${task.id}/cancel`} asks={words.cancels} />,
    },
  ];
}
