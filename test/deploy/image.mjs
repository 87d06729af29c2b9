// The promise under test: the Dockerfile makes an image that works. There is no container engine in the tests, so its steps
// are carried out in plain folders, one for each stage: COPY takes only what the step names, so a file that is missing in
// the image is missing here. Then the command of the image starts the service, its health check asks, and the command line
// in it makes a tenant. Not covered: the base image, users and the read-only file system.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, freshDatabase } from '../support/processes.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const HOME = path.join(ROOT, '.data/image');
const BIN = path.join(HOME, 'bin');

/** The instructions of a Dockerfile, each with its words; lines that end with a backslash continue. */
function instructionsOf(text) {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  return lines.filter((line) => /^[A-Z]+ /.test(line)).map((line) => /^([A-Z]+) +(.*)$/.exec(line).slice(1));
}

/** One stage: a folder that is the root of its file system. */
class Stage {
  workdir = '/';
  env = {};

  constructor(name, others) {
    this.root = path.join(HOME, name);
    this.others = others;
    for (const folder of ['usr/local/bin', 'tmp']) mkdirSync(path.join(this.root, folder), { recursive: true });
  }

  /** The place of a path of the image. */
  at(name) {
    return path.join(this.root, path.resolve(this.workdir, name));
  }

  /** A command of the image: its absolute paths are below the folder. */
  placed(text) {
    return text.replace(/(?<![\w.])\/(app|data|usr\/local)(?=[/\s"']|$)/g, (_, name) => path.join(this.root, name));
  }

  run(command) {
    execFileSync('sh', ['-ec', this.placed(command)], {
      cwd: this.at('.'),
      env: this.environment(),
      stdio: ['ignore', 2, 2],
    });
  }

  environment(more = {}) {
    const own = Object.fromEntries(Object.entries(this.env).map(([name, value]) => [name, this.placed(value)]));
    const { HOME: home, npm_config_cache: cache } = process.env;
    const search = [BIN, path.join(this.root, 'usr/local/bin'), path.dirname(process.execPath), process.env.PATH].join(
      ':',
    );
    return { PATH: search, HOME: home, ...(cache ? { npm_config_cache: cache } : {}), ...own, ...more };
  }

  copy(words) {
    const options = Object.fromEntries(
      words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')),
    );
    const names = words.filter((word) => !word.startsWith('--'));
    const target = names.pop();
    const from = options.from === undefined ? ROOT : this.others[options.from].root;
    for (const name of names) {
      const source = path.join(from, name);
      const isFolder = lstatSync(source).isDirectory();
      // A folder is copied as its content; a target that ends with a slash is the folder for files.
      const place = !isFolder && /\/$/.test(target) ? path.join(this.at(target), path.basename(name)) : this.at(target);
      mkdirSync(path.dirname(place), { recursive: true });
      cpSync(source, place, { recursive: true, verbatimSymlinks: true });
      if (options.chmod !== undefined && !isFolder) chmodSync(place, Number.parseInt(options.chmod, 8));
    }
  }
}

/** Carries out all steps; returns the last stage and what it says of health and command. */
function build(dockerfile) {
  const stages = {};
  let stage;
  let health;
  let command;
  for (const [what, words] of instructionsOf(dockerfile)) {
    if (what === 'FROM') {
      const name = /\bAS (\w+)$/.exec(words)?.[1] ?? 'last';
      stages[name] = stage = new Stage(name, stages);
    } else if (what === 'WORKDIR') {
      stage.workdir = words;
      mkdirSync(stage.at('.'), { recursive: true });
    } else if (what === 'ENV') {
      for (const [, name, value] of words.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
    } else if (what === 'COPY') stage.copy(words.split(' '));
    else if (what === 'RUN') stage.run(words);
    else if (what === 'HEALTHCHECK') health = /\bCMD (.*)$/.exec(words)[1];
    else if (what === 'CMD') command = JSON.parse(words);
    else if (!['ARG', 'USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL'].includes(what))
      throw new Error(`${what} is not known here`);
  }
  return { stage, health, command };
}

rmSync(HOME, { recursive: true, force: true });
mkdirSync(BIN, { recursive: true });
// The user `node` belongs to the base image.
writeFileSync(path.join(BIN, 'chown'), '#!/bin/sh\n', { mode: 0o755 });
const { stage, health, command } = build(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'));
console.log('ok   the steps of the Dockerfile');

const database = await freshDatabase('image-database');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = stage.environment({
  PORT: String(port),
  TALENT_BRIDGE_URL: url,
  BASE_URL: 'https://bridge.example.com',
  DATABASE_URL: database.url,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  OPERATOR_TOKEN: randomBytes(24).toString('hex'),
  LOG_LEVEL: 'warn',
});
const cli = (...args) =>
  execFileSync('talent-bridge', args, { cwd: stage.at('.'), env, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
let service;
try {
  cli('migrate');
  // The flags are those of the Node.js of the image; this one may be older.
  const { NODE_FLAGS } = await import('../../scripts/node-flags.mjs');
  const program = stage.at(command.at(-1));
  if (!existsSync(program)) throw new Error(`${program} is not in the image`);
  service = spawn(process.execPath, [...NODE_FLAGS, program], { cwd: stage.at('.'), env, stdio: ['ignore', 2, 2] });
  const isHealthy = () => {
    try {
      execFileSync('sh', ['-c', health], { env, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  while (!isHealthy()) {
    if (service.exitCode !== null) throw new Error('the service ended');
    await sleep(100);
  }
  console.log('ok   the service of the image is healthy');
  cli('tenant', 'create', '--name', 'Acme');
  if (!cli('tenant', 'list').includes('Acme')) throw new Error('the command line of the image lists no tenant');
  console.log('ok   the command line of the image');
  for (const page of ['/docs', '/docs/api', '/docs/openapi.json']) {
    const { status } = await fetch(`${url}${page}`);
    if (status !== 200) throw new Error(`${page} is ${status}`);
  }
  console.log('ok   the documentation of the image');
} finally {
  if (service !== undefined && service.exitCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await database.server.stop();
}
