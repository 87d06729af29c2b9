/** Signs that NFC replaces by the letters that they look like: ohm, kelvin, angstrom. */
const LOOK_ALIKES = /[\u2126\u212a\u212b]/;
/** Composing a run of combining marks takes quadratic time (UAX #15 §3), and no name is so long. */
const MOST_COMPOSED = 2_048;

/** Compares two names in NFC, without regard to case. A look-alike is another name. */
export function sameLetters(a: string, b: string): boolean {
  return lettersOf(a) === lettersOf(b);
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

function lettersOf(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  if (text.length > MOST_COMPOSED || LOOK_ALIKES.test(text))
    return text.replace(/[A-Z]+/g, (some) => some.toLowerCase());
  // Some letters have one of A to Z as their lower case (\u0130).
  return text.normalize('NFC').replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return isAscii(letter) || !/[a-z]/.test(lower) ? lower : letter;
  });
}
