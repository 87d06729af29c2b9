const WORD_PAIRS = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ' +
    'ra ce li ch ll be ma si om ur ok oo pr od uc ct oe ec et bh ho ke ey pa ss wo rd we eb gr nh us ta pl ba tt ry ac cc ' +
    'so ap pi ss ow wn un no op ca ai da ay ev ig gh ht sh ad ab am em po sa la ld il lo mo ag ge nc vi fo'
  ).split(' '),
);

/** A word of 4 000, or a day of some years, with its separator. */
const PART = /[^a-zA-Z0-9]?(?:([A-Z]?[a-z]{3,}|[A-Z]{4,})|(?:19|20)\d\d(?:[^a-zA-Z0-9]?\d\d){0,2})/g;
const BITS_OF_PART = 12;

/** A repeated part, or a run (`aaaa`, `1234`), adds nothing from this length on. */
const LONG = 4;
/** Chance makes a few such characters: they are not deducted. */
const BY_CHANCE = 4;

const CLASSES: readonly [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[^a-zA-Z0-9]/, 4],
];

/**
 * Returns a careful estimate of the bits of chance in a secret. Each character counts by the size of the alphabet; words and
 * days count as one choice, runs and repeated parts as none.
 */
export function measuredBits(secret: string): number {
  if (secret === '') return 0;
  const digits = secret.replaceAll('-', '');
  if (/^[0-9a-f]+$/i.test(digits)) return bitsOf(digits, /[a-f]/i.test(digits) ? 16 : 10);
  const size = CLASSES.reduce((sum, [some, ofClass]) => sum + (some.test(secret) ? ofClass : 0), 0);
  const parts = new Set<string>();
  const rest = secret.replace(PART, (part, word: string | undefined) => {
    if (word !== undefined && !isWord(word.toLowerCase())) return part;
    parts.add(part.toLowerCase());
    return '';
  });
  // Chance makes a word as well, but no third of the text.
  if (3 * (secret.length - rest.length) < secret.length) return bitsOf(secret, size);
  return parts.size * BITS_OF_PART + bitsOf(rest, size);
}

function isWord(letters: string): boolean {
  let pairs = 0;
  for (let at = 1; at < letters.length; at++) if (WORD_PAIRS.has(letters.slice(at - 1, at + 1))) pairs++;
  return 2 * pairs >= letters.length - 1;
}

function bitsOf(text: string, size: number): number {
  let expected = 0;
  for (let at = LONG - 1; at < text.length; at++) if (isExpected(text, at)) expected++;
  return Math.log2(size) * (text.length - Math.max(0, expected - BY_CHANCE));
}

function isExpected(text: string, at: number): boolean {
  const recent = text.slice(at - LONG + 1, at + 1);
  const steps = [1, 2, 3].map((place) => recent.charCodeAt(place) - recent.charCodeAt(place - 1));
  if (Math.abs(steps[0]!) <= 1 && steps.every((step) => step === steps[0])) return true;
  return text.slice(0, at).includes(recent);
}
