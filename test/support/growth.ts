/** A parser of untrusted text, called with text that is made to cost time. Refusals are answers like others. */
export type Reader = (text: string) => unknown;

/** A text that was read, and how the time grew when it was twice as long. */
export interface Growth {
  readonly shape: string;
  readonly msAtN: number;
  readonly msAtTwoN: number;
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
const LENGTH = 1 << 13;
/** Below this both times are noise. */
const NOTHING_MS = 12;
/** Linear is 2, quadratic is 4; a busy machine needs room. */
const STEEPEST = 3.2;

/**
 * Reads every shape at two lengths and returns those whose time grew faster than the text. Time is CPU time of this
 * process, the least of several runs: other processes on the machine do not count.
 *
 * @param around what stands before and after the repeated part, so that the parser gets as far as it can
 */
export function steep(
  read: Reader,
  around: readonly (readonly [string, string])[] = [['', '']],
  units: readonly string[] = REPEATED,
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

function growthOf(read: Reader, at: (length: number) => string): Omit<Growth, 'shape'> | null {
  // The first look is cheap: most shapes take no time that can be measured.
  if (cpuMs(read, at(2 * LENGTH)) < NOTHING_MS) return null;
  for (let attempt = 1; ; attempt++) {
    const msAtN = least(read, at(LENGTH));
    const msAtTwoN = least(read, at(2 * LENGTH));
    if (msAtTwoN < NOTHING_MS || msAtTwoN < STEEPEST * msAtN) return null;
    if (attempt === 3) return { msAtN, msAtTwoN };
  }
}

function least(read: Reader, text: string): number {
  return Math.min(...[1, 2, 3].map(() => cpuMs(read, text)));
}

function cpuMs(read: Reader, text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch {
    // Refusing is what most of these readers do with such a text.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
