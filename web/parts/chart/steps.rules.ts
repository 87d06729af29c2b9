/** A value that holds from a time on, in milliseconds. */
export interface Step {
  at: number;
  value: number | null;
}

/** The area in which a chart is drawn. */
export interface Frame {
  from: number;
  until: number;
  /** The value at the top. */
  most: number;
  width: number;
  height: number;
}

const round = (n: number): number => Math.round(n * 10) / 10;

/** Returns the place of a time in a frame, from the left. */
export function xOf(frame: Frame, at: number): number {
  return round(((at - frame.from) / (frame.until - frame.from)) * frame.width);
}

/** Returns the place of a value in a frame, from the top. */
export function yOf(frame: Frame, value: number): number {
  return round(frame.height - (value / frame.most) * frame.height);
}

/**
 * Returns the path of a step line. Of the steps in one column of points the first, the lowest, the highest and the last one
 * are drawn. Where a value is unknown the line has a gap.
 *
 * @param steps in the order of their times
 */
export function stepPath(steps: readonly Step[], frame: Frame): string {
  const parts: string[] = [];
  let isOpen = false;
  for (const { at, value } of reduced(steps, frame)) {
    const x = xOf(frame, Math.max(at, frame.from));
    if (value === null) {
      if (isOpen) parts.push(`H${x}`);
      isOpen = false;
      continue;
    }
    const y = yOf(frame, value);
    parts.push(isOpen ? `H${x}V${y}` : `M${x} ${y}`);
    isOpen = true;
  }
  if (isOpen) parts.push(`H${frame.width}`);
  return parts.join('');
}

function reduced(steps: readonly Step[], frame: Frame): Step[] {
  const columns = new Map<number, Step[]>();
  for (const step of steps) {
    const column = Math.floor(xOf(frame, step.at));
    const known = columns.get(column);
    if (known === undefined) columns.set(column, [step]);
    else known.push(step);
  }
  return [...columns.values()].flatMap((column) => {
    if (column.length <= 4) return column;
    const of = (step: Step): number => step.value ?? 0;
    const low = column.reduce((a, b) => (of(b) < of(a) ? b : a));
    const high = column.reduce((a, b) => (of(b) > of(a) ? b : a));
    const kept = new Set([column[0]!, low, high, column.at(-1)!]);
    return column.filter((step) => kept.has(step));
  });
}

/** Returns a round number that is at least a value, for the top of an axis. Its half is a whole number, too. */
export function roundUp(value: number): number {
  if (value <= 10) return [2, 4, 10].find((n) => n >= value)!;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((n) => n * size).find((n) => n >= value)!;
}

/** Returns the texts of times along an axis: a day that the text before it has is left out of `2026-03-31 14:00`. */
export function withDayOnce(labels: readonly string[]): string[] {
  return labels.map((label, place) => {
    const [day, hour] = label.split(' ');
    return hour !== undefined && labels[place - 1]?.startsWith(`${day} `) ? hour : label;
  });
}
