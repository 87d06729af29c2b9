/** The most bytes of the body of an event. A body over it is refused by some receivers (Zapier, Make). */
const MAX_BODY_BYTES = 20_000;

/** The bytes of a body beside the name of the event and `data`. */
const FRAME_BYTES = Buffer.byteLength('{"event":"","timestamp":"2026-01-31T12:00:00.000Z","data":}');

/**
 * Returns the data of an event as it is recorded: in full, or the ids alone where the body would be over 20 000 bytes.
 *
 * @param data JSON text
 * @param ids the thin form: the ids of the record, and its sequence
 */
export function thinIfLarge(event: string, data: string, ids: object): string {
  const bytes = FRAME_BYTES + event.length + Buffer.byteLength(data);
  return bytes > MAX_BODY_BYTES ? JSON.stringify(ids) : data;
}
