import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { text } from '../../text/text.js';
import type { Overview } from './overview.js';

const STEPS = ['directory', 'request', 'user', 'forwarded', 'connection', 'administrator'] as const;

/** The first steps of a tenant, until all are done. */
export function Checklist({ now: { first_steps } }: { now: Overview }) {
  if (STEPS.every((step) => first_steps[step])) return null;
  const words = text.overview.checklist;
  return (
    <Section title={words.title}>
      <p className="secondary">{words.lead}</p>
      <ol className="plain tight">
        {STEPS.map((step) => (
          <li key={step}>
            <State tone={first_steps[step] ? 'good' : 'neutral'}>{words[step]}</State>{' '}
            <span className="secondary">{first_steps[step] ? words.done : words.open}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
