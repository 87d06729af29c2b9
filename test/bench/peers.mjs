import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const here = (name) => path.join(import.meta.dirname, name);

/** The raw program, as a process of its own. */
export async function startRaw(databaseUrl, tenant, directory) {
  const child = spawn(process.execPath, [here('raw-server.mjs'), databaseUrl, tenant, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface(child.stdout), 'line');
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** A platform that keeps nothing: it counts and answers. */
export async function startSink() {
  const child = fork(here('sink.mjs'));
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    mode: (mode) => child.send({ mode }),
    count: async () => {
      child.send({ ask: 'count' });
      const [{ count }] = await once(child, 'message');
      return count;
    },
    stop: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
