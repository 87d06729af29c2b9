import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { Page, Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Elapsed, Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { Attention } from './attention.js';
import { Checklist } from './checklist.js';
import { Deliveries } from './deliveries.js';
import type { Overview } from './overview.js';

/** How often the figures are read anew. */
const REFRESH_MS = 5_000;

/** What needs attention now, and the first steps of a new tenant. */
export function OverviewPage() {
  const overview = useRead<Overview>('/overview', {}, REFRESH_MS);
  return (
    <Page title={text.overview.title} lead={text.overview.lead}>
      <Answer query={overview} height={400}>
        {(now) => (
          <>
            <Checklist now={now} />
            <Attention now={now} />
            <Platform now={now} />
            <Deliveries now={now} />
            <Seats now={now} />
            <Directories now={now} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Platform({ now: { destination, waiting, oldest_waiting_since } }: { now: Overview }) {
  return (
    <Section title={text.overview.platform}>
      <p>
        <State tone={destination.state === 'ok' ? 'good' : 'problem'}>
          {text.overview.states[destination.state] ?? destination.state}
        </State>{' '}
        <span className="secondary">{destination.message}</span>
      </p>
      <p>
        {text.overview.waiting(waiting)}
        {oldest_waiting_since !== null && (
          <>
            {' '}
            {text.overview.oldest} <Elapsed since={oldest_waiting_since} />.
          </>
        )}
      </p>
    </Section>
  );
}

function Seats({ now: { seats } }: { now: Overview }) {
  return (
    <Section title={text.overview.seats}>
      <p>
        <Link to="/seats/{-$tab}">{text.overview.seatsUsed(seats.used, seats.limit)}</Link>{' '}
        {seats.waiting > 0 && text.overview.seatsWaiting(seats.waiting)}
      </p>
    </Section>
  );
}

function Directories({ now: { directories } }: { now: Overview }) {
  if (directories.length === 0) return null;
  return (
    <Section title={text.overview.directories}>
      <ul className="plain tight">
        {directories.map(({ id, name, last_request_at }) => (
          <li key={id}>
            <Link to="/directories/$id/{-$tab}" params={{ id }}>
              {name}
            </Link>{' '}
            <span className="secondary">
              {last_request_at === null ? (
                text.overview.quiet
              ) : (
                <>
                  {text.overview.lastRequest} <Time at={last_request_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
