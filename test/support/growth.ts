import { someOf } from './rounds.js';

/** A parser of untrusted text, called with text that is made to cost time. Refusals are answers like others. */
export type Reader = (text: string) => unknown;

/** A text that was read, and the time that a quarter of it and the whole took. */
export interface Growth {
  readonly shape: string;
  readonly msOfQuarter: number;
  readonly msOfWhole: number;
}

/**
 * Characters and short sequences that parsers treat specially: blanks, separators, quotes, brackets, escapes, digits,
 * letters whose case mapping or composition depends on their neighbours.
 */
export const REPEATED = [
  ' ', '\t', '\n', '\r', '\r\n', '/', '\\', '.', ',', ';', ':', '-', '_', '=', '&', '&amp;', '&#', '%', '%20', '+', '#',
  '?', '!', '"', "'", '""', '(', ')', '[', ']', '{', '}', '<', '>', '</', '<!--', '-->', '--', ']]>', '<a>', '<a/>',
  '<a b="">', '@', '*', '|', '~', '$', '0', '9', 'a', 'Z', ' a', 'a ', 'a=', 'a=a;', 'a,', 'a.', 'a-', 'not ', '(a pr) and ',
  'a eq "b" or ', '\u00a0', '\u0085', '\u2028', '\u0301\u0323', '\u0130', '\u03a3', '\ufeff', '\u{1f642}', '\\u0041', 'T', '-----BEGIN ',
] as const; // prettier-ignore

/** Ends that make a match fail after the repeated part. */
const ENDS = ['', 'x', '!', '\u0000', '"'] as const;

/** Long enough to tell linear from quadratic in milliseconds. */
const LENGTH = 1 << 14;
/** Below this both times are noise. */
const NOTHING_MS = 12;
/** Four times the text: linear is 4, quadratic is 16. A busy machine needs room on both sides. */
const STEEPEST = 8;

/**
 * Reads a quarter and the whole of every shape and returns those whose time grew faster than the text. Time is CPU time of this
 * process, the least of several runs: other processes on the machine do not count.
 *
 * @param around what stands before and after the repeated part, so that the parser gets as far as it can
 */
export function steep(
  read: Reader,
  around: readonly (readonly [string, string])[] = [['', '']],
  units: readonly string[] = someOf(REPEATED),
): Growth[] {
  const found: Growth[] = [];
  for (const unit of units) {
    for (const [before, after] of around) {
      for (const end of ENDS) {
        const at = (length: number): string => before + unit.repeat(Math.ceil(length / unit.length)) + end + after;
        const growth = growthOf(read, at);
        if (growth !== null) found.push({ shape: JSON.stringify(`${before}${unit}…${end}${after}`), ...growth });
      }
    }
  }
  return found;
}

/**
 * Reads requests of more and more parts. Returns the times at which a request took more than `BOUNDED_MS` and grew
 * faster than its parts, or null. Work that grows with the square and ends at a limit before that is bounded.
 *
 * @param work reads a request of n parts
 */
export function steepest(work: (parts: number) => unknown): Omit<Growth, 'shape'> | null {
  for (let parts = 500; parts <= MOST_PARTS; parts *= 2) {
    const growth = compared(
      () => work(parts / 4),
      () => work(parts),
    );
    if (growth !== null && growth.msOfWhole > BOUNDED_MS) return growth;
  }
  return null;
}

/** As many parts as 1 MiB has room for, at 64 bytes a part. */
const MOST_PARTS = 1 << 14;
const BOUNDED_MS = 400;

function growthOf(read: Reader, at: (length: number) => string): Omit<Growth, 'shape'> | null {
  const [quarter, whole] = [at(LENGTH / 4), at(LENGTH)];
  return compared(
    () => read(quarter),
    () => read(whole),
  );
}

function compared(ofQuarter: () => unknown, ofWhole: () => unknown): Omit<Growth, 'shape'> | null {
  // The first look is cheap: most shapes take no time that can be measured.
  if (cpuMs(ofWhole) < NOTHING_MS) return null;
  for (let attempt = 1; ; attempt++) {
    const msOfQuarter = least(ofQuarter);
    const msOfWhole = least(ofWhole);
    if (msOfWhole < NOTHING_MS || msOfWhole < STEEPEST * msOfQuarter) return null;
    if (attempt === 3) return { msOfQuarter, msOfWhole };
  }
}

function least(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => cpuMs(work)));
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch {
    // Refusing is what most of these readers do with such a text.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
