import { once } from 'node:events';
import net from 'node:net';
import { freePort, listens, untilFree } from '../../../src/base/database/embedded/embedded-postgres.js';

const servers: net.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) if (server.listening) await once(server.close(), 'close');
});

async function listenOn(port: number): Promise<net.Server> {
  const server = net.createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

it('chooses a port that no outgoing connection can hold', async () => {
  for (let n = 0; n < 20; n++) {
    const port = await freePort();
    expect(port).toBeGreaterThanOrEqual(16_000);
    expect(port).toBeLessThan(32_000);
  }
});

it('returns the wanted port while it is free, and another one while it is taken', async () => {
  const wanted = await freePort();
  expect(await freePort(wanted)).toBe(wanted);
  await listenOn(wanted);
  expect(await listens(wanted)).toBe(true);
  expect(await freePort(wanted)).not.toBe(wanted);
});

it('waits for the port of a server that is about to end', async () => {
  const port = await freePort();
  const server = await listenOn(port);
  const waited = untilFree(port, 60_000);
  await once(server.close(), 'close');
  await waited;
  expect(await freePort(port)).toBe(port);
});

it('ends the wait for a port that stays taken', async () => {
  const port = await freePort();
  await listenOn(port);
  await untilFree(port, 1);
  expect(await listens(port)).toBe(true);
});
