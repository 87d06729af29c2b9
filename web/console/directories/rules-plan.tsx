import { Link } from '@tanstack/react-router';
import { Table } from '../../parts/table.js';
import { text } from '../../text/text.js';

/** What changed rules would do: a page of users, or the task that makes a large plan. */
export interface Plan {
  total: number;
  data: {
    user_id: string;
    user_name: string;
    from: string | null;
    to: string | null;
    seat: 'gains' | 'loses' | 'none';
  }[];
}

const words = text.directories.roles;

/** The users whose role or seat would change. */
export function RulesPlan({ plan }: { plan: Plan | { id: string } }) {
  if ('id' in plan) {
    return (
      <p role="status">
        {words.asTask} <Link to="/tasks">{text.nav.tasks}</Link>
      </p>
    );
  }
  return (
    <>
      <p role="status">{words.planLead(plan.total)}</p>
      {plan.data.length > 0 && (
        <Table
          caption={words.plan}
          rows={plan.data}
          keyOf={({ user_id }) => user_id}
          columns={[
            {
              label: words.user,
              cell: ({ user_id, user_name }) => (
                <Link to="/users/$id" params={{ id: user_id }}>
                  {user_name}
                </Link>
              ),
            },
            { label: words.before, cell: ({ from }) => from ?? '–' },
            { label: words.after, cell: ({ to }) => to ?? '–' },
            { label: words.seat, cell: ({ seat }) => (seat === 'none' ? '–' : seat) },
          ]}
        />
      )}
    </>
  );
}
