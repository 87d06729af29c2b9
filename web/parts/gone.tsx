import { Problem } from '../api/client.js';
import { text } from '../text/text.js';
import { Time } from './time.js';

/** Returns whether the API knows no such object: it was deleted, or never existed. */
export function isGone(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

/** Says that an object was deleted, when, and by which actor. */
export function Deleted({ what, at, by }: { what: string; at: string; by: { kind: string; name: string } }) {
  const kinds: Readonly<Record<string, string>> = text.actors;
  return (
    <p role="status">
      {what} <Time at={at} /> {text.gone.by}{' '}
      {by.kind === 'system' ? by.name : `${kinds[by.kind] ?? by.kind} ${by.name}`}.
    </p>
  );
}
