import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../../src/base/config/config.js';
import { VARIABLES, loadConfig } from '../../src/base/config/load-config.js';
import { OperationsController } from '../../src/operations/operations.controller.js';

// What is written beside the code about running it, compared with the code.
const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string>; engines: { node: string } };
const known = new Set<string>(VARIABLES);
const KEY = randomBytes(32).toString('base64');
const TOKEN = randomBytes(24).toString('hex');

/** What is wrong with settings, by variable; a data directory that is never made, because both secrets are given. */
function problemsOf(settings: Record<string, string>): string[] {
  try {
    loadConfig({ ENCRYPTION_KEY: KEY, OPERATOR_TOKEN: TOKEN, ...settings });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');
  /** The block of a service, by indentation. */
  const service = (name: string) => new RegExp(`\\n  ${name}:\\n((?: {4}.*\\n|\\n)*)`).exec(compose)![1]!;
  const settingsIn = (block: string): Record<string, string> => {
    const environment = /\n? {4}environment:.*\n((?: {6}.*\n)*)/.exec(block)![1]!;
    const lines = [...environment.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name!, value!.replace(/^'(.*)'$/, '$1')]));
  };
  // What the operator has to fill in.
  const filled: Record<string, string> = {
    POSTGRES_PASSWORD: 'a-password',
    SERVICE_PASSWORD: 'other-password',
    BASE_URL: 'https://bridge.example',
    ENCRYPTION_KEY: KEY,
    OPERATOR_TOKEN: TOKEN,
  };
  const substituted = (settings: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value.replace(/\$\{(\w+)(?::-([^}]*))?[^}]*\}/g, (_, v: string, unless?: string) => filled[v] ?? unless!)]), // prettier-ignore
    );
  const api = settingsIn(service('api'));
  const worker = { ...api, ...settingsIn(service('worker')) };

  it('has existing settings with valid values', () => {
    for (const settings of [api, worker]) {
      expect(Object.keys(settings).length).toBeGreaterThan(6);
      expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
      expect(problemsOf(substituted(settings))).toEqual([]);
    }
    expect(problemsOf({ ...substituted(api), ROLE: 'server' })).not.toEqual([]);
  });

  it('has one for requests and one for the background, as production with a database of its own', () => {
    expect([api['ROLE'], worker['ROLE']]).toEqual(['api', 'worker']);
    expect(service('worker')).toMatch(/<<: \*settings/);
    for (const settings of [api, worker]) {
      expect(settings).toMatchObject({ NODE_ENV: 'production', DATABASE_URL: expect.stringContaining('@database:') });
    }
  });

  it('migrates as the owner, and serves as a plain role without the owner’s password', () => {
    const migrate = settingsIn(service('migrate'));
    expect(Object.keys(migrate).filter((name) => !known.has(name))).toEqual([]);
    const user = (address: string) => new URL(address.replace(/\$\{\w+[^}]*\}/, 'p')).username;
    expect([user(migrate['DATABASE_URL']!), user(migrate['MIGRATION_DATABASE_URL']!)]).toEqual([
      'talent_bridge_app',
      'talent_bridge',
    ]);
    for (const settings of [api, worker]) {
      expect(settings['DATABASE_URL']).toMatch(/talent_bridge_app:\$\{SERVICE_PASSWORD/);
      expect(JSON.stringify(settings)).not.toContain('POSTGRES_PASSWORD');
    }
    for (const name of ['api', 'worker']) {
      expect(service(name)).toMatch(/migrate:\n +condition: service_completed_successfully/);
    }
  });

  it('trusts the gateway of its fixed network, by which a proxy on the machine reaches it', () => {
    const outside = /\n {2}outside:\n((?: {4}.*\n)*)/.exec(compose)![1]!;
    const [, subnet] = /subnet: (\S+)/.exec(outside)!;
    const [, gateway] = /gateway: (\S+)/.exec(outside)!;
    expect(ipaddr.parse(gateway!).match(ipaddr.parseCIDR(subnet!))).toBe(true);
    for (const settings of [api, worker]) expect(substituted(settings)['TRUST_PROXY']).toBe(gateway);
    expect(service('api')).toMatch(/networks: \[inside, outside\]/);
  });

  it('pins the image of the database as the Dockerfile pins that of Node.js', () => {
    expect(service('database')).toMatch(/image: postgres:\d+-bookworm\$\{POSTGRES_DIGEST:-\}\n/);
    expect(read('Dockerfile')).toMatch(/^FROM node:\d+-bookworm-slim\$\{BASE_DIGEST\}/m);
  });

  it('names the version of Compose that reads it, beside the document', () => {
    expect(compose).toMatch(/Docker Compose 2\.24 or later/);
    expect(read('docs/run/install.md')).toMatch(/Docker Compose 2\.24 or later/);
  });

  it('does not start without the settings of production', () => {
    for (const name of ['BASE_URL', 'ENCRYPTION_KEY', 'OPERATOR_TOKEN', 'POSTGRES_PASSWORD', 'SERVICE_PASSWORD']) {
      expect(compose).toMatch(new RegExp(`\\$\\{${name}:\\?`));
    }
    expect(problemsOf({ NODE_ENV: 'production', ENCRYPTION_KEY: '' }).join()).toMatch(/ENCRYPTION_KEY must be set/);
  });

  it('runs without rights of the system, on files that are read-only', () => {
    const closed = /<<: &closed\n((?: {6}.*\n)*)/.exec(compose)![1]!;
    expect(closed).toMatch(/read_only: true/);
    expect(closed).toMatch(/cap_drop: \[ALL\]/);
    expect(closed).toMatch(/no-new-privileges:true/);
    for (const name of ['migrate', 'api', 'worker']) expect(service(name)).toMatch(/<<: [&*]closed/);
  });

  it('takes every other setting from a file, whose template has them all', () => {
    for (const name of ['api', 'worker']) expect(service(name)).toMatch(/env_file: [&*]env_file/);
    expect(compose).toMatch(/&env_file\n {6}- path: settings\.env\n {8}required: false/);
    const copied = [...read('docs/reference/settings.env').matchAll(/^#([A-Z_]+)=$/gm)].map(([, name]) => name!);
    expect(copied.filter((name) => !name.endsWith('_FILE'))).toEqual([...VARIABLES]);
    // The settings file must not give the service the password of the owner of the tables.
    expect(compose).not.toMatch(/env_file: *\.env/);
  });

  it('restarts after a failure, keeps its data in named volumes, and has limits and health checks', () => {
    const volumes = /\nvolumes:\n((?: {2}.*\n)*)/.exec(compose)![1]!;
    expect(volumes.match(/\w+/g)).toEqual(['database', 'data']);
    expect(compose).toMatch(/&volumes\n {6}- data:\/data\n/);
    for (const name of ['database', 'api', 'worker']) {
      expect(service(name)).toMatch(/restart: unless-stopped/);
      expect(service(name)).toMatch(/healthcheck:/);
    }
    for (const name of ['api', 'worker']) expect(service(name)).toMatch(/volumes: [&*]volumes/);
    for (const limit of ['mem_limit', 'pids_limit', 'max-size']) expect(compose.match(new RegExp(limit, 'g'))!.length).toBeGreaterThan(0); // prettier-ignore
    // More than the heap that the service is started with.
    const heap = Number(/--max-old-space-size=(\d+)/.exec(read('Dockerfile'))![1]);
    expect(Number(/mem_limit: (\d+)m/.exec(service('migrate'))![1])).toBeGreaterThan(heap);
  });

  it('publishes no port of the database, and gives it an isolated network and few rights', () => {
    const database = service('database');
    expect(database).not.toMatch(/ports:/);
    expect(database).toMatch(/networks: \[inside\]/);
    expect(compose).toMatch(/\n {2}inside:\n {4}internal: true\n/);
    expect(database).toMatch(/cap_drop: \[ALL\]/);
    expect(database).toMatch(/no-new-privileges:true/);
    expect(database).toMatch(/--auth-host=scram-sha-256 --auth-local=scram-sha-256/);
  });

  it('waits for the database, allows time for the stop, and keeps the data', () => {
    for (const name of ['api', 'worker']) {
      expect(service(name)).toMatch(/condition: service_healthy/);
      // Longer than the service takes at the most to finish what runs.
      const seconds = Number(/stop_grace_period: (\d+)s/.exec(service(name))![1]);
      const patience = Number(/drain\(server, (\d+)_000\b/.exec(read('src/start/application.ts'))![1]);
      expect(seconds).toBeGreaterThan(patience);
    }
    expect(service('database')).toMatch(/volumes:\n {6}- database:/);
    expect(Number(/image: postgres:(\d+)/.exec(compose)![1])).toBeGreaterThanOrEqual(17);
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const ignored = new Set(read('.dockerignore').split('\n').filter(Boolean));

  it('has existing settings with valid values', () => {
    const settings = Object.fromEntries(
      [...last.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => [...line!.matchAll(/(\w+)=(\S+)/g)].map(([, n, v]) => [n, v])), // prettier-ignore
    ) as Record<string, string>;
    expect(Object.keys(settings).length).toBeGreaterThan(1);
    const own = Object.keys(settings).filter((name) => !/^(MALLOC|TALENT_BRIDGE)_/.test(name));
    expect(own.filter((name) => !known.has(name))).toEqual([]);
    expect(
      problemsOf({ ...settings, BASE_URL: 'https://bridge.example', DATABASE_URL: 'postgres://u:p@db/x' }),
    ).toEqual([]);
    expect(last).toContain(`EXPOSE ${settings['PORT']}\n`);
    expect(last).toContain(`VOLUME ${settings['DATA_DIR']}\n`);
  });

  it('Node.js knows the flags that it is given', async () => {
    const { NODE_FLAGS } = (await import(path.join(ROOT, 'scripts/node-flags.mjs'))) as { NODE_FLAGS: string[] };
    const { status, stderr } = spawnSync(process.execPath, [...NODE_FLAGS, '-e', '0'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('runs as an ordinary user who owns the data directory, like `npm start`', async () => {
    const { NODE_FLAGS, NODE_VARIABLES } = (await import(path.join(ROOT, 'scripts/node-flags.mjs'))) as {
      NODE_FLAGS: string[];
      NODE_VARIABLES: Record<string, string>;
    };
    for (const [name, value] of Object.entries(NODE_VARIABLES))
      expect(last).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'));
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(last)![1]!) as string[];
    expect(command).toEqual(['node', ...NODE_FLAGS, 'dist/main.js']);
    expect(/^USER (\S+)$/m.exec(last)![1]).toBe('node');
    expect(last.indexOf('chown node:node /data')).toBeGreaterThan(0);
    expect(last.indexOf('chown node:node /data')).toBeLessThan(last.indexOf('USER node'));
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m);
  });

  it('runs files of another owner, and begins with an image that can be pinned', () => {
    expect(dockerfile).not.toMatch(/--chown/);
    expect([...last.matchAll(/\bchown (\S+) (\S+)/g)].map(([, , place]) => place)).toEqual(['/data']);
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('COPY '));
    expect(dockerfile.slice(0, dockerfile.indexOf('\nFROM '))).toMatch(/^ARG BASE_DIGEST=$/m);
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/\$\{BASE_DIGEST\}$/);
  });

  it('checks its health at an existing address', () => {
    const address = /process\.env\.PORT\+'\/(\w+)'/.exec(last)![1]!;
    // The handlers by their names, as Nest itself looks them up.
    const handlers = OperationsController.prototype as unknown as Record<string, object>;
    const routes = Object.getOwnPropertyNames(handlers).map((name) => Reflect.getMetadata('path', handlers[name]!));
    expect(routes).toContain(address);
  });

  it('copies existing files that are not ignored, with a recent Node.js', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(
      ([, line]) =>
      line!.split(' ').filter((word) => !word.startsWith('--')).slice(0, -1), // prettier-ignore
    );
    expect(sources).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', 'src', 'docs']));
    for (const source of sources) expect([source, existsSync(path.join(ROOT, source)), ignored.has(source)]).toEqual([source, true, false]); // prettier-ignore
    const majors = [...dockerfile.matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major));
    expect(majors).toHaveLength(2);
    for (const major of majors) expect(major).toBeGreaterThanOrEqual(Number(/\d+/.exec(manifest.engines.node)![0]));
    // The service shows them at /docs.
    expect(last).toContain('COPY --from=build /app/docs ./docs\n');
    expect(ignored.has('.data')).toBe(true);
  });

  it('has the command line, which calls the process in the same container', () => {
    expect(last).toContain('COPY --chmod=0555 bin/talent-bridge.mjs ./bin/talent-bridge.mjs\n');
    expect(last).toContain('ln -s /app/bin/talent-bridge.mjs /usr/local/bin/talent-bridge\n');
    const port = /\bPORT=(\d+)/.exec(last)![1]!;
    expect(last).toContain(`TALENT_BRIDGE_URL=http://127.0.0.1:${port} `);
  });

  it('is built as the scripts build', () => {
    const build = manifest.scripts['build']!;
    expect(dockerfile).toContain(`npx ${build}`);
  });
});
