import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';

const UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

/** Returns use and limit in words. */
export function storageWords(storage: Json): string {
  const limit = storage['limit_bytes'];
  return `${sizeOf(storage['used_bytes'])} of ${limit === null ? 'no limit' : sizeOf(limit)}`;
}

/** Returns a number of bytes in the largest unit that it reaches: `1.5 GiB`. */
export function sizeOf(bytes: unknown): string {
  const size = Number(bytes);
  const unit = Object.keys(UNITS).findLast((name) => size >= UNITS[name]!) ?? 'MiB';
  return `${(size / UNITS[unit]!).toFixed(1)} ${unit}`;
}

/**
 * Returns the number of bytes of a size such as `50GiB`.
 *
 * @throws {CliError} when the text is no size
 */
export function bytesIn(text: string, option: string): number {
  const [, count, unit] = /^(\d+)(MiB|GiB|TiB)$/.exec(text) ?? [];
  if (count === undefined) throw new CliError(`${option} is a size such as 50GiB, or default.`, EXIT.usage);
  return Number(count) * UNITS[unit!]!;
}
