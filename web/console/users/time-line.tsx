import { useList } from '../../api/queries.js';
import { List } from '../../parts/answer.js';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { ExactTime, Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { lineOf, type Entry } from './time-line.rules.js';

const words = text.users.one;

/** All that happened to a user, newest first: each step with its time and cause, and a failed one open. */
export function TimeLine({ userId }: { userId: string }) {
  const history = useList<Entry>(`/users/${userId}/history`, { order: 'desc' }, 15_000);
  return (
    <Section title={words.line}>
      <p className="secondary">{words.lineLead}</p>
      <List query={history} empty={words.noLine}>
        {(entries) => (
          <ol className="plain line-of-time">
            {entries.map((entry) => (
              <Step key={`${entry.kind} ${entry.id}`} entry={entry} />
            ))}
          </ol>
        )}
      </List>
    </Section>
  );
}

function Step({ entry }: { entry: Entry }) {
  const { tone, sentence, cause, facts } = lineOf(entry);
  return (
    <li>
      <details open={tone === 'problem'}>
        <summary>
          <Time at={entry.at} /> <State tone={tone}>{words.kinds[entry.kind]}</State> {sentence}
          {cause !== null && <span className="secondary"> · {cause}</span>}
        </summary>
        <dl className="facts">
          <dt>{text.held.since}</dt>
          <dd>
            <ExactTime at={entry.at} />
          </dd>
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}
