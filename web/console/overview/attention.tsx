import { Link } from '@tanstack/react-router';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { Overview } from './overview.js';

type Line = Overview['attention'][number];

/** All states that need an act, as the API ranks them: since when, when the service tries again, and what to do. */
export function Attention({ now: { attention } }: { now: Overview }) {
  return (
    <Section title={text.overview.attention}>
      {attention.length === 0 ? (
        <p>
          <State tone="good">{text.overview.nothing}</State>
        </p>
      ) : (
        <ul className="plain tight">
          {attention.map((line, place) => (
            <li key={`${line.code} ${line.id} ${place}`}>
              <State tone={line.severity === 'critical' ? 'problem' : 'attention'}>
                {text.overview.severities[line.severity]}
              </State>{' '}
              {line.words}{' '}
              <span className="secondary">
                {line.since !== null && (
                  <>
                    {text.overview.since} <Time at={line.since} />.{' '}
                  </>
                )}
                {line.next_try_at !== null && (
                  <>
                    {text.overview.nextTry} <Time at={line.next_try_at} />.{' '}
                  </>
                )}
              </span>
              <Act line={line} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** What to do, with the page on which it is done where the console has one. */
function Act({ line: { kind, id, code, act } }: { line: Line }) {
  if (kind === 'directory' && id !== null) {
    const tab = code === 'provisioning.held' ? 'guard' : undefined;
    return (
      <Link to="/directories/$id/{-$tab}" params={tab === undefined ? { id } : { id, tab }}>
        {act}
      </Link>
    );
  }
  if (kind === 'held') {
    return (
      <Link to="/held" search={id === null ? {} : { reason: id }}>
        {act}
      </Link>
    );
  }
  if (kind === 'seats') return <Link to="/seats/{-$tab}">{act}</Link>;
  if (kind === 'drift') return <Link to="/tasks">{act}</Link>;
  return <span>{act}</span>;
}
