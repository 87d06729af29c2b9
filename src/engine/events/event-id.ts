/** The digits of a sequence in an id: enough for ten thousand events a second over thirty thousand years. */
const DIGITS = 16;

/** Returns the id of the event with this sequence. Later events have later ids, also as text. */
export function eventId(sequence: string | number): string {
  return `evt_${String(sequence).padStart(DIGITS, '0')}`;
}

/** SQL that does the same with a bigint. */
export function eventIdSql(sequence: string): string {
  return `'evt_' || lpad((${sequence})::text, ${DIGITS}, '0')`;
}

/** Returns the sequence in an id of an event as digits, or null if the text is no such id. */
export function sequenceOfEvent(id: string): string | null {
  const [, digits] = /^evt_(\d{16})$/.exec(id) ?? [];
  return digits === undefined ? null : String(BigInt(digits));
}
