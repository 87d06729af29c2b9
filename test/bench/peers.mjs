import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const here = (name) => path.join(import.meta.dirname, name);

/** A program to compare with, as a process of its own; it prints its port. */
export async function startProgram(file, settings) {
  const child = spawn(process.execPath, [here(file), ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface(child.stdout), 'line');
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
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
