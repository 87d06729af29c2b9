// Control characters, and halves of a surrogate pair, which are not valid UTF-8.
const UNTIDY = /[\p{Cc}\p{Cs}]/u;

// Most text by far; normalising it would call a library.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Every field is shorter than a quarter of this, and composing shortens a text to a quarter at most. */
const MOST_COMPOSED = 8_192;

/**
 * Normalises text: NFC, without blanks around it. Returns other values unchanged for the validation, and also a text of
 * more than 8,192 characters: composing a run of combining marks takes quadratic time (UAX #15 §3).
 */
export function tidy<T>(value: T): T {
  if (typeof value !== 'string' || isPlain(value)) return value;
  return (value.length > MOST_COMPOSED ? value : value.normalize('NFC').trim()) as T;
}

/** Returns whether a text is printable ASCII without blanks around it: it is tidy, and `tidy` leaves it as it is. */
export function isPlain(value: string): boolean {
  return PLAIN.test(value);
}

/** Returns whether a text contains no control characters or halves of surrogate pairs. */
export function isTidy(value: string): boolean {
  return !UNTIDY.test(value);
}
