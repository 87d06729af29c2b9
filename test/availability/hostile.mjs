// One hostile caller, a process of its own: `node hostile.mjs <name>`. It runs until its parent ends it,
// and never for more than a minute.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CALLERS } from './callers.mjs';
import { Wire } from './wire.mjs';

const [context] = await once(process, 'message');
const wire = new Wire(context.url);
let over = false;

/** The given number of loops of one request each, until the end. */
async function loops(n, ask) {
  const one = async (i) => {
    for (let k = 0; !over; k++) await ask(i, k);
  };
  await Promise.all(Array.from({ length: n }, (_, i) => one(i)));
}

/** The given number of requests that never end: each begun with `first` and fed with `next`; one that is closed is begun again. */
async function openRequests(n, first, next, pauseMs) {
  const begin = async () => {
    const socket = await wire.connect();
    await wire.send(socket, first);
    return socket;
  };
  const sockets = [];
  while (!over) {
    if (sockets.length < n) {
      sockets.push(await begin());
      continue;
    }
    for (const [i, socket] of sockets.entries()) {
      if (over) return;
      if (socket.destroyed) sockets[i] = await begin();
      else await wire.send(socket, next);
    }
    await sleep(pauseMs);
  }
}

process.on('message', (message) => {
  if (message !== 'over') return;
  over = true;
  process.send({ sent: wire.sent, statuses: Object.fromEntries(wire.statuses) }, () => process.exit());
});
process.on('disconnect', () => process.exit());
process.send('begun');
setTimeout(() => process.exit(), 60_000).unref();
await CALLERS[process.argv[2]]({ context, wire, loops, openRequests });
