import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

type Note = (address: string) => void;

/** The dispatch that is under way: undici makes the request of it before it returns. */
let current: Note | null = null;
const notes = new WeakMap<object, Note>();

// The only place where undici tells which connection of its pool carries a request.
subscribe('undici:request:create', (message) => {
  if (current !== null) notes.set((message as { request: object }).request, current);
});
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: Socket };
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined) notes.get(request)?.(remoteAddress);
});

/** Runs a dispatch of undici, and notes the IP address that its request is sent to. */
export function noting(note: Note, dispatch: () => void): void {
  current = note;
  try {
    dispatch();
  } finally {
    current = null;
  }
}
