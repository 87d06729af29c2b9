import { isLongerThan } from '../characters.js';
import { InvalidFields } from '../errors/domain-error.js';
import { isTidy, tidy } from './text.js';

/** The most characters of an id in the caller's system. */
export const MAX_EXTERNAL_ID = 255;

/**
 * Reads the `external_id` of an address, by the rules of the field of the same name.
 *
 * @throws {InvalidFields} for a text that no record can have
 */
export function externalIdIn(address: string): string {
  const text = tidy(address);
  const problem =
    text === ''
      ? 'must not be empty'
      : !isTidy(text)
        ? 'must not contain control characters'
        : isLongerThan(text, MAX_EXTERNAL_ID)
          ? `must have at most ${MAX_EXTERNAL_ID} characters`
          : null;
  if (problem !== null) throw new InvalidFields([{ field: 'external_id', message: problem }]);
  return text;
}

/**
 * Checks the `external_id` of a body beside that of the address. Absent and null say nothing.
 *
 * @throws {InvalidFields} when the two differ
 */
export function demandSame(sent: string | null | undefined, inAddress: string): void {
  if (sent == null || sent === inAddress) return;
  throw new InvalidFields([{ field: 'external_id', message: 'must be the one in the address' }]);
}
