import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { PreviewBody } from '../../../src/directory-sync/routes/preview/preview.controller.js';
import type { DirectoryBody } from '../../../src/directory-sync/directories/directories.dto.js';
import { call, Problem, type Json, type Page as PageOf } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { Administrators } from '../../parts/administrators.js';
import { Answer, List } from '../../parts/answer.js';
import { Choice } from '../../parts/filters.js';
import { ProblemBox } from '../../parts/problem.js';
import { stepColumns } from '../../parts/steps.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';

type Preview = Json<PreviewBody>;
type Previewed = Preview['data'][number];

const words = text.directories.preview;
const kinds = words.kinds;
const reasons: Record<string, string> = text.held.reasons;
/** Fields that have a column of their own. */
const STEPPED = new Set(['role', 'status']);
/** How often the plan is read anew, in milliseconds: a task may be making a newer one. */
const FOLLOWED_MS = 5_000;

const COLUMNS: readonly Column<Previewed>[] = [
  {
    label: words.user,
    cell: ({ user_id, user_name }) => (
      <Link to="/users/$id" params={{ id: user_id }}>
        {user_name}
      </Link>
    ),
  },
  { label: words.would, cell: ({ would }) => would.map((kind) => kinds[kind] ?? kind).join(', ') },
  ...stepColumns<Previewed>(),
  { label: words.fields, cell: ({ fields }) => fields.filter((name) => !STEPPED.has(name)).join(', ') },
  { label: words.held, cell: ({ held }) => (held === null ? '–' : (reasons[held] ?? held)) },
];

/** What going live would do, and the switch. */
export function PreviewTab({ directory: { id, state, takes_over } }: TabProps) {
  const me = useMe();
  const { kind, administrators } = useSearch({ from: '/directories/$id/{-$tab}' });
  const preview = useRead<Preview>(`/directories/${id}/preview`, { limit: 1 }, FOLLOWED_MS);
  const users = useList<Previewed>(`/directories/${id}/preview`, { kind, administrators });
  const directories = useRead<PageOf<Json<DirectoryBody>>>('/directories');
  const replaced = directories.data?.data.find((one) => one.id === takes_over)?.name ?? null;
  const canWrite = may(me.data, 'admin');
  if (state === 'live') {
    return (
      <div className="stack">
        <p>{words.live}</p>
        {canWrite && <Act label={words.back} method="PATCH" path={`/directories/${id}`} body={{ state: 'preview' }} />}
      </div>
    );
  }
  return (
    <div className="stack">
      <p className="secondary">{words.lead}</p>
      <Answer query={preview}>
        {({ counts, made_at, stale, task_id }) => (
          <Made {...{ made_at, stale, task_id }}>
            <p>{counts === null ? words.none : words.sentence(counts, replaced)}</p>
          </Made>
        )}
      </Answer>
      {canWrite && preview.data?.stale === true && preview.data.task_id === null && (
        <Act label={words.make} path={`/directories/${id}/preview/plan`} />
      )}
      {canWrite && <GoLive directoryId={id} administrators={preview.data?.counts?.administrators ?? 0} />}
      <Choice name="kind" label={words.would} value={kind} values={Object.entries(kinds)} />
      <List query={users} empty={words.empty}>
        {(rows) => <Table caption={words.would} columns={COLUMNS} rows={rows} keyOf={({ user_id }) => user_id} />}
      </List>
    </div>
  );
}

/** Says of when the plan is. A plan of a large directory is made as a task. */
function Made({
  made_at,
  stale,
  task_id,
  children,
}: Pick<Preview, 'made_at' | 'stale' | 'task_id'> & { children: ReactNode }) {
  if (made_at === null) return <p role="status">{task_id === null ? words.none : words.beingMade}</p>;
  return (
    <>
      <p className="secondary">
        {words.madeAt} <Time at={made_at} />. {stale && words.stale} {task_id !== null && words.beingMade}
      </p>
      {children}
    </>
  );
}

function GoLive({ directoryId, administrators }: { directoryId: string; administrators: number }) {
  const cache = useQueryClient();
  const live = useMutation({
    mutationFn: (confirm: boolean) =>
      call('PATCH', `/directories/${directoryId}`, {
        state: 'live',
        confirm,
        ...(administrators === 0 ? {} : { administrators }),
      }),
    onSuccess: () => cache.invalidateQueries(),
  });
  const [agreedTo, setAgreedTo] = useState<number>();
  const isAgreed = administrators === 0 || agreedTo === administrators;
  const lacksSeats = live.error instanceof Problem && live.error.code === 'seats_needed';
  return (
    <div className="stack">
      {live.error !== null && <ProblemBox error={live.error} />}
      {administrators > 0 && (
        <>
          <Administrators
            words={text.administrators.lose(administrators)}
            isAgreed={isAgreed}
            onAgree={(yes) => setAgreedTo(yes ? administrators : undefined)}
          />
          <p>
            <ShownAdministrators />
          </p>
        </>
      )}
      <button
        type="button"
        className={administrators > 0 ? 'danger' : 'main'}
        disabled={live.isPending || !isAgreed}
        onClick={() => live.mutate(lacksSeats)}
      >
        {lacksSeats ? words.confirmSeats : words.goLive}
      </button>
    </div>
  );
}

/** A link that shows the administrators who would lose the console alone, or all users again. */
function ShownAdministrators() {
  const { administrators } = useSearch({ from: '/directories/$id/{-$tab}' });
  const isAlone = administrators === 'true';
  return (
    <Link to="." search={(before) => ({ ...before, administrators: isAlone ? undefined : 'true' })}>
      {isAlone ? text.administrators.showAll : text.administrators.show}
    </Link>
  );
}
