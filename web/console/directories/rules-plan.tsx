import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { RulesPlanBody } from '../../../src/directory-sync/routes/role-tasks/rules-plan.js';
import type { LeftOutBody, TaskBody } from '../../../src/engine/work/tasks.dto.js';
import type { Json } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { Answer, List } from '../../parts/answer.js';
import { stepColumns } from '../../parts/steps.js';
import { Table, type Column } from '../../parts/table.js';
import { text } from '../../text/text.js';

/** What changed rules would do: counts with a page of users, or the task that makes the plan of a large directory. */
export type Plan = Json<RulesPlanBody> | Json<TaskBody>;

type PlannedUser = Json<RulesPlanBody>['data'][number];
type Task = Json<TaskBody>;

const words = text.directories.roles;
/** How often a task is read anew, in milliseconds. */
const FOLLOWED_MS = 1_000;

const COLUMNS: readonly Column<PlannedUser>[] = [
  {
    label: words.user,
    cell: ({ user_id, user_name }) => (
      <Link to="/users/$id" params={{ id: user_id }}>
        {user_name}
      </Link>
    ),
  },
  ...stepColumns<PlannedUser>(),
];

/** Returns the number of administrators who would lose the console by a plan. */
export function administratorsOf(plan: Plan): number {
  return 'id' in plan ? (plan.result?.['administrators'] ?? 0) : plan.administrators;
}

interface PlanProps<Of> {
  plan: Of;
  /** The task of the plan is done. */
  onMade: (task: Json<TaskBody>) => void;
}

/** The users whose role or seat would change. */
export function RulesPlan({ plan, onMade }: PlanProps<Plan>) {
  if ('id' in plan) return <FollowedTask plan={plan} onMade={onMade} />;
  return (
    <>
      <p role="status">{words.planLead(plan.total)}</p>
      {plan.data.length > 0 && <Users rows={plan.data} />}
    </>
  );
}

function FollowedTask({ plan: { id }, onMade }: PlanProps<Task>) {
  const path = `/tasks/${id}`;
  const known = useQueryClient().getQueryData<Task>([path, {}]);
  const isOver = known !== undefined && known.state !== 'waiting' && known.state !== 'running';
  const task = useRead<Task>(path, {}, isOver ? undefined : FOLLOWED_MS);
  const done = task.data?.state === 'done' ? task.data : undefined;
  useEffect(() => {
    if (done !== undefined) onMade(done);
  }, [done, onMade]);
  return (
    <Answer query={task}>
      {({ state, done, total, result, error }) =>
        state === 'done' ? (
          <>
            <p role="status">{words.planLead(result?.['changed'] ?? 0)}</p>
            {result?.['changed'] !== 0 && <ListedUsers taskId={id} />}
          </>
        ) : (
          <p role="status">
            {words.asTask} <Link to="/tasks">{text.nav.tasks}</Link>: {text.tasks.states[state]}{' '}
            {error ?? text.tasks.of(done, total)}
          </p>
        )
      }
    </Answer>
  );
}

function ListedUsers({ taskId }: { taskId: string }) {
  const users = useList<Json<LeftOutBody>>(`/tasks/${taskId}/left-out`);
  return (
    <List query={users} empty={words.planLead(0)}>
      {(rows) => <Users rows={rows.map(({ item }) => item as PlannedUser)} />}
    </List>
  );
}

function Users({ rows }: { rows: PlannedUser[] }) {
  return <Table caption={words.plan} columns={COLUMNS} rows={rows} keyOf={({ user_id }) => user_id} />;
}
