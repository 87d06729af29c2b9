import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { NODE_FLAGS, NODE_VARIABLES } from '../../scripts/node-flags.mjs';

const ROOT = path.resolve(import.meta.dirname, '..', '..');

/** A PostgreSQL with a data directory of its own below `.data`, made anew. */
export async function freshDatabase(name, settings = []) {
  const folder = path.join(ROOT, '.data', name);
  const { EmbeddedPostgres } = await import(
    pathToFileURL(path.join(ROOT, 'dist/base/database/embedded/embedded-postgres.js')).href
  );
  if (existsSync(path.join(folder, 'database.json'))) {
    const old = await EmbeddedPostgres.start(folder, settings);
    await old.stop();
    rmSync(old.folder, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  const server = await EmbeddedPostgres.start(folder, settings);
  return { folder, server, url: server.url() };
}

/** The sandbox platform as a process of its own. */
export async function startSandbox(databaseUrl, port = 0) {
  const child = spawn(process.execPath, [path.join(ROOT, 'dist/sandbox/main.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', SANDBOX_DATABASE_URL: databaseUrl, SANDBOX_PORT: String(port) },
  });
  const [url] = await once(createInterface(child.stdout), 'line');
  return {
    url,
    pid: child.pid,
    stop: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** The service as a process. `start` resolves when it answers; `kill` is a SIGKILL. */
export class Service {
  constructor(env) {
    this.env = env;
    this.output = '';
  }

  async start() {
    const began = performance.now();
    this.child = spawn(
      process.execPath,
      [...NODE_FLAGS, ...(this.flags ?? []), path.join(ROOT, this.entry ?? 'dist/main.js')],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...NODE_VARIABLES, ...process.env, NODE_OPTIONS: '', ...this.env },
      },
    );
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (chunk) => (this.output = (this.output + chunk).slice(-20_000)));
    }
    this.ended = once(this.child, 'exit');
    await this.answers();
    return performance.now() - began;
  }

  async answers() {
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`the service ended:\n${this.output}`);
      try {
        const response = await fetch(`http://127.0.0.1:${this.env.PORT}/readyz`);
        await response.arrayBuffer();
        if (response.ok) return;
      } catch {
        // not listening yet
      }
      await sleep(5);
    }
  }

  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async stop() {
    this.child.kill('SIGTERM');
    const [code] = await this.ended;
    return code;
  }

  get pid() {
    return this.child.pid;
  }
}

/** The credentials that the first start left behind. */
export function credentialsIn(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'credentials.json'), 'utf8'));
}

/** A free port that no outgoing connection can hold while its server restarts. */
export async function freePort() {
  const ports = await import(pathToFileURL(path.join(ROOT, 'dist/base/database/embedded/embedded-postgres.js')).href);
  return ports.freePort();
}

/** The resident memory of a process in MiB, and its highest value so far (Linux). */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
