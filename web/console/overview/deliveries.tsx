import type { ChangeStatisticsPage } from '../../../src/forwarding/statistics/statistics.dto.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { StepChart } from '../../parts/chart/step-chart.js';
import { Section } from '../../parts/page.js';
import { hourOf } from '../../parts/time.rules.js';
import { text } from '../../text/text.js';
import type { Overview } from './overview.js';

type Lines = Json<ChangeStatisticsPage>['data'];

const words = text.overview.deliveries;
const HOUR_MS = 3_600_000;
/** A new hour begins seldom, and the figures of the page above are newer. */
const REFRESH_MS = 60_000;

/** Changes of the last 24 hours: how many came, and how many the platform has confirmed. */
export function Deliveries({ now }: { now: Overview }) {
  const statistics = useRead<Json<ChangeStatisticsPage>>('/changes/statistics', { interval: 'hour' }, REFRESH_MS);
  return (
    <Section title={words.title}>
      <Answer query={statistics} height={280}>
        {({ data }) => (
          <>
            <Totals lines={data} now={now} />
            <StepChart
              title={words.chart}
              description={words.chartText}
              from={Date.parse(data[0]!.from)}
              until={Date.parse(data.at(-1)!.from) + HOUR_MS}
              labelOf={hourOf}
              unit={text.chart.hour}
              series={[
                { label: words.accepted, steps: stepsOf(data, ({ accepted }) => accepted) },
                { label: words.confirmed, steps: stepsOf(data, ({ confirmed }) => confirmed), isDashed: true },
              ]}
            />
          </>
        )}
      </Answer>
    </Section>
  );
}

function Totals({ lines, now: { waiting, parked, held } }: { lines: Lines; now: Overview }) {
  const sum = (value: (line: Lines[number]) => number): number => lines.reduce((total, line) => total + value(line), 0);
  const all = (counts: Record<string, number>): number => Object.values(counts).reduce((total, n) => total + n, 0);
  const last = lines.findLast(({ lag_p50_ms }) => lag_p50_ms !== null);
  return (
    <p>
      {words.accepts(sum(({ accepted }) => accepted))}{' '}
      {words.calls(
        sum(({ confirmed }) => confirmed),
        sum(({ failed }) => failed),
      )}{' '}
      {words.rest(waiting, all(parked), all(held))}{' '}
      {last !== undefined && (
        <span className="secondary">{words.lag((last.lag_p50_ms ?? 0) / 1000, (last.lag_p95_ms ?? 0) / 1000)}</span>
      )}
    </p>
  );
}

function stepsOf(lines: Lines, value: (line: Lines[number]) => number) {
  return lines.map((line) => ({ at: Date.parse(line.from), value: value(line) }));
}
