import { Link } from '@tanstack/react-router';
import type { GuardBody } from '../../../src/directory-sync/users/guard/guard.dto.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Answer } from '../../parts/answer.js';
import { CountedAct } from '../../parts/counted-act.js';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';

type Guard = Json<GuardBody>;

const words = text.directories.guardTab;

/** What the guard counts and holds, and what an admin does about it. */
export function GuardTab({ directory: { id } }: TabProps) {
  const me = useMe();
  const guard = useRead<Guard>(`/directories/${id}/guard`, {}, 5_000);
  return (
    <Answer query={guard}>
      {(now) => (
        <div className="stack">
          <p className="secondary">{now.guard === 'off' ? words.off : words.lead}</p>
          <Windows now={now} />
          <p>
            <State tone={now.held > 0 ? 'attention' : 'good'}>{words.held(now.held)}</State>
          </p>
          {may(me.data, 'admin') && <Acts now={now} />}
          <Departures now={now} />
        </div>
      )}
    </Answer>
  );
}

function Windows({ now }: { now: Guard }) {
  const rows = [
    { label: words.window(now.window?.minutes ?? 0), window: now.window },
    { label: words.day, window: now.day },
  ].flatMap(({ label, window }) => (window === null ? [] : [{ label, ...window }]));
  if (rows.length === 0) return null;
  return (
    <Table
      caption={text.directories.tabs.guard}
      rows={rows}
      keyOf={({ label }) => label}
      columns={[
        { label: words.began, cell: ({ label }) => label },
        { label: words.counted, cell: ({ counted }) => counted, isNumber: true },
        { label: words.limit, cell: ({ limit }) => limit, isNumber: true },
        { label: words.base, cell: ({ base }) => base, isNumber: true },
      ]}
    />
  );
}

function Acts({ now }: { now: Guard }) {
  const at = (act: string) => ({ path: `/directories/${now.directory_id}/guard/${act}`, body: {} });
  return (
    <div className="row">
      {now.held > 0 && <CountedAct {...at('release')} label={words.release} consequence={words.releases} isDangerous />}
      {now.held > 0 && <CountedAct {...at('discard')} label={words.discard} consequence={words.discards} />}
      {now.departures.data.length > 0 && <CountedAct {...at('undo')} label={words.undo} consequence={words.undoes} />}
    </div>
  );
}

function Departures({ now }: { now: Guard }) {
  return (
    <Section title={words.departures}>
      {now.departures.data.length === 0 ? (
        <p className="secondary">{words.noDepartures}</p>
      ) : (
        <Table
          caption={words.departures}
          rows={now.departures.data}
          keyOf={({ user_id }) => user_id}
          columns={[
            {
              label: words.user,
              cell: ({ user_id, email }) => (
                <Link to="/users/$id" params={{ id: user_id }}>
                  {email ?? user_id}
                </Link>
              ),
            },
            { label: words.how, cell: ({ how }) => how.replace('_', ' ') },
            { label: words.at, cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Section>
  );
}
