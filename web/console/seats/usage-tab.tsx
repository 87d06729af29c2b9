import { Link, useSearch } from '@tanstack/react-router';
import { useContext } from 'react';
import { addressOf } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { StepChart } from '../../parts/chart/step-chart.js';
import type { Step } from '../../parts/chart/steps.rules.js';
import { DayField } from '../../parts/filters.js';
import { TimeZone } from '../../parts/time.js';
import { dayOf } from '../../parts/time.rules.js';
import { text } from '../../text/text.js';
import type { SeatSummary } from './summary.js';

/** One day of a usage report. */
interface UsageDay {
  day: string;
  end: number | null;
  limit: number | null;
}

const words = text.seats;
const DAY_MS = 86_400_000;
const SHOWN_DAYS = 90;

/** Seats now, and over time. */
export function UsageTab() {
  const zone = useContext(TimeZone);
  const search = useSearch({ from: '/seats/{-$tab}' });
  const from = search.from ?? dayOf(Date.now() - SHOWN_DAYS * DAY_MS, zone);
  // The range ends before its last day.
  const to = search.to ?? dayOf(Date.now() + DAY_MS, zone);
  const now = useRead<SeatSummary>('/seats', {}, 10_000);
  const usage = useRead<{ data: UsageDay[] }>('/seats/usage', { from, to, interval: 'day' });
  return (
    <div className="stack">
      <Answer query={now} height={40}>
        {(seats) => <Figures seats={seats} />}
      </Answer>
      <div className="row">
        <DayField name="from" label={words.from} value={from} />
        <DayField name="to" label={words.to} value={to} />
        <a href={addressOf('/seats/usage', { from, to, interval: 'day', format: 'csv' })} download>
          {words.csv.usage}
        </a>
      </div>
      <Answer query={usage} height={240}>
        {({ data }) => (
          <StepChart
            title={words.chart}
            description={words.chartText}
            from={Date.parse(from)}
            until={Date.parse(to)}
            series={[
              { label: words.usedLine, steps: stepsOf(data, ({ end }) => end) },
              { label: words.limitLine, steps: stepsOf(data, ({ limit }) => limit), isDashed: true },
            ]}
          />
        )}
      </Answer>
    </div>
  );
}

function Figures({ seats: { used, limit, overage, waiting } }: { seats: SeatSummary }) {
  return (
    <p>
      {words.used(used)} {words.limit(limit)} {overage !== null && overage > 0 && words.overage(overage)}{' '}
      {waiting !== null && waiting > 0 && (
        <Link to="/users" search={{ seat: 'waiting' }}>
          {words.waiting(waiting)}
        </Link>
      )}
    </p>
  );
}

function stepsOf(days: readonly UsageDay[], value: (day: UsageDay) => number | null): Step[] {
  return days.map((day) => ({ at: Date.parse(day.day), value: value(day) }));
}
