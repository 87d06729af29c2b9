import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

type Note = (address: string) => void;

/** The key of the note in undici's request: a map beside it would cost each request of the process. */
const NOTE = Symbol('note of the dialled address');

interface NotedRequest {
  [NOTE]?: Note;
}

/** The dispatch that is under way: undici makes the request of it before it returns. */
let current: Note | null = null;

let listens = false;

/**
 * Listens where undici tells which connection of its pool carries a request; it tells it nowhere else. A listener costs
 * each request of the process, so there is none before the first that is noted.
 */
function listen(): void {
  listens = true;
  subscribe('undici:request:create', (message) => {
    if (current !== null) (message as { request: NotedRequest }).request[NOTE] = current;
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as { request: NotedRequest; socket: Socket };
    const note = request[NOTE];
    if (note === undefined) return;
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined) note(remoteAddress);
  });
}

/** Runs a dispatch of undici, and notes the IP address that its request is sent to. */
export function noting(note: Note, dispatch: () => void): void {
  if (!listens) listen();
  current = note;
  try {
    dispatch();
  } finally {
    current = null;
  }
}
