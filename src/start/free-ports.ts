import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../base/config/config.js';
import { PlainFailure } from '../base/errors/domain-error.js';

/** The sandbox of a killed service keeps its port for a moment. */
const SANDBOX_WAIT_MS = 3_000;

/**
 * Checks that the ports of this process differ and are free, by listening on each for a moment. 0 is any free port.
 *
 * @throws {PlainFailure} with the setting whose port is taken
 * @throws {NodeJS.ErrnoException} when this user may not listen on a port
 */
export async function demandPorts({ port, metrics, sandbox }: Config, withSandbox: boolean): Promise<void> {
  const wanted = [{ setting: 'PORT', port }];
  if (metrics.port !== null) wanted.push({ setting: 'METRICS_PORT', port: metrics.port });
  if (withSandbox) wanted.push({ setting: 'SANDBOX_PORT', port: sandbox.port });
  for (const [i, one] of wanted.entries()) {
    const other = wanted.slice(0, i).find((before) => before.port === one.port && one.port !== 0);
    if (other !== undefined) throw new PlainFailure(`${one.setting} must be another port than ${other.setting}.`);
    await demandPort(one.port, one.setting);
  }
}

async function demandPort(port: number, setting: string): Promise<void> {
  const isOfSandbox = setting === 'SANDBOX_PORT';
  const deadline = performance.now() + (isOfSandbox ? SANDBOX_WAIT_MS : 0);
  while (!(await isFree(port, isOfSandbox ? '127.0.0.1' : undefined))) {
    if (performance.now() < deadline) await sleep(100);
    else throw portTaken(port, setting);
  }
}

async function isFree(port: number, host: string | undefined): Promise<boolean> {
  const server = net.createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await once(server.close(), 'close');
  return true;
}

function portTaken(port: number, setting: string): PlainFailure {
  const otherwise = setting === 'SANDBOX_PORT' ? ', or SANDBOX=off' : '';
  return new PlainFailure(`port ${port} is taken by another program; set ${setting} to a free one${otherwise}.`);
}
