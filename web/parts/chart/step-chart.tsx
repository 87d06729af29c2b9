import { useContext, useEffect, useId, useRef, useState } from 'react';
import { text } from '../../text/text.js';
import { TimeZone } from '../time.js';
import { dayOf } from '../time.rules.js';
import { roundUp, stepPath, withDayOnce, xOf, yOf, type Frame, type Step } from './steps.rules.js';

/** A step line of a chart. */
export interface Series {
  label: string;
  steps: readonly Step[];
  /** Lines differ by their pattern, too. */
  isDashed?: boolean;
}

/** Room for the numbers of the axis, and for half of the last day. */
const MARGIN = { left: 48, right: 12, top: 12, bottom: 32 };
const HEIGHT = 200;
/** Below this width the texts of three times do not fit. */
const NARROW = 360;

/** Step lines over time. A button shows the same as a table. */
export function StepChart({
  title,
  description,
  series,
  from,
  until,
  labelOf = dayOf,
  unit = text.chart.day,
}: {
  title: string;
  description: string;
  series: readonly Series[];
  from: number;
  until: number;
  /** The text of a time on the axis and in the table. */
  labelOf?: (at: number, zone: string) => string;
  /** What one row of the table is. */
  unit?: string;
}) {
  const id = useId();
  const zone = useContext(TimeZone);
  const [isTable, setTable] = useState(false);
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure) - MARGIN.left - MARGIN.right;
  const most = roundUp(Math.max(...series.flatMap(({ steps }) => steps.map(({ value }) => value ?? 0)), 0));
  const frame: Frame = { from, until, most, width, height: HEIGHT };
  const times = width < NARROW ? [from, until] : [from, (from + until) / 2, until];
  const labels = withDayOnce(times.map((at) => labelOf(at, zone)));
  // The key names what is drawn: without a limit there is no line of it.
  const drawn = series.filter(({ steps }) => steps.some(({ value }) => value !== null));
  return (
    <figure ref={figure} className="chart tight">
      <svg
        viewBox={`${-MARGIN.left} ${-MARGIN.top} ${width + MARGIN.left + MARGIN.right} ${HEIGHT + MARGIN.top + MARGIN.bottom}`}
        role="img"
        aria-labelledby={`${id}-t ${id}-d`}
      >
        <title id={`${id}-t`}>{title}</title>
        <desc id={`${id}-d`}>{description}</desc>
        {[0, most / 2, most].map((value) => (
          <g key={value}>
            <line className="grid" x1={0} x2={width} y1={yOf(frame, value)} y2={yOf(frame, value)} />
            <text className="tick" x={-8} y={yOf(frame, value) + 4} textAnchor="end">
              {value}
            </text>
          </g>
        ))}
        {times.map((at, place) => (
          <text
            key={at}
            className="tick"
            x={xOf(frame, at)}
            y={HEIGHT + 24}
            textAnchor={place === 0 ? 'start' : at === until ? 'end' : 'middle'}
          >
            {labels[place]}
          </text>
        ))}
        {drawn.map(({ label, steps, isDashed }) => (
          <path key={label} className={isDashed ? 'line dashed' : 'line'} d={stepPath(steps, frame)} />
        ))}
      </svg>
      <figcaption className="row help">
        {drawn.map(({ label, isDashed }) => (
          <span key={label} className={isDashed ? 'key dashed' : 'key'}>
            {label}
          </span>
        ))}
        <button type="button" className="plain" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? text.chart.hideTable : text.chart.showTable}
        </button>
      </figcaption>
      {isTable && <ChartTable title={title} series={series} unit={unit} labelOf={(at) => labelOf(at, zone)} />}
    </figure>
  );
}

/** The width of an element in pixels, so that text in a chart has its own size. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(960);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, entry!.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

function ChartTable({
  title,
  series,
  unit,
  labelOf,
}: {
  title: string;
  series: readonly Series[];
  unit: string;
  labelOf: (at: number) => string;
}) {
  const times = [...new Set(series.flatMap(({ steps }) => steps.map(({ at }) => at)))].sort((a, b) => a - b);
  return (
    <table className="table">
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{unit}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col" className="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((at) => (
          <tr key={at}>
            <th scope="row">{labelOf(at)}</th>
            {series.map(({ label, steps }) => (
              <td key={label} data-label={label} className="number">
                {steps.findLast((step) => step.at <= at)?.value ?? text.chart.unknown}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
