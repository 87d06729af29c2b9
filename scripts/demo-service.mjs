// The service beside the demos: the one that runs already, or a new one with the settings that a demo needs.
import { spawn } from 'node:child_process';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns whether a service is ready at an address. Another program can take the port and never answer. */
export async function isReady(address) {
  return fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Starts the service; returns its process when it is ready. Ends this one when the service ends before, which says why. */
export async function startService(address, settings) {
  console.log('Starting the service …\n');
  const service = spawn(process.execPath, ['scripts/start.mjs'], {
    stdio: 'inherit',
    env: { ...process.env, ...settings },
  });
  const hand = () => service.kill('SIGTERM');
  process.once('SIGTERM', hand);
  while (service.exitCode === null && service.signalCode === null) {
    if (await isReady(address)) {
      process.off('SIGTERM', hand);
      return service;
    }
    await sleep(100);
  }
  console.error('The service did not start, so the demo ends.');
  process.exit(1);
}

/** Ends this process when another program has one of the ports. */
export async function demandPorts(ports, variable) {
  for (const port of ports) {
    const server = net.createServer();
    const isTaken = await new Promise((resolve) => {
      server.once('error', () => resolve(true));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
    });
    if (!isTaken) continue;
    console.error(`Port ${port} is taken by another program. ${variable}=<port>,<port>,… names others.`);
    process.exit(1);
  }
}
