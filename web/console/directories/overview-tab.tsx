import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';

const words = text.directories;

interface Refusal {
  at: string;
  reason: string;
}
interface UngivenRole extends Refusal {
  role: string;
  user_id: string;
}

/** The state of a directory and what it has sent. */
export function OverviewTab({ directory }: TabProps) {
  const refusal = directory.last_refusal as Refusal | null;
  const role = directory.last_unknown_role as UngivenRole | null;
  const facts: [string, React.ReactNode][] = [
    [
      words.state,
      <State key="state" tone={directory.state === 'live' ? 'good' : 'attention'}>
        {words.states[directory.state]}
      </State>,
    ],
    [words.profile, directory.profile],
    [words.lastRequest, <Time key="request" at={directory.last_request_at} />],
    [words.overview.users, directory.users],
    [words.overview.groups, directory.groups],
    [words.overview.pending, directory.pending_members],
    [words.overview.unmanaged, directory.unmanaged],
    [words.overview.defaultRole, directory.default_role ?? words.overview.noRole],
    [
      words.overview.refusal,
      refusal === null ? (
        words.overview.none
      ) : (
        <span key="refusal">
          <code>{refusal.reason}</code> <Time at={refusal.at} />
        </span>
      ),
    ],
    [
      words.overview.unknownRole,
      role === null ? (
        words.overview.none
      ) : (
        <span key="role">
          {role.role} (<code>{role.reason}</code>) <Time at={role.at} />
        </span>
      ),
    ],
    [words.overview.takesOver, directory.takes_over ?? words.overview.none],
    [words.overview.supersededBy, directory.superseded_by ?? words.overview.none],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
