import { spawnSync } from 'node:child_process';
import { Controller, Get } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Readiness } from '../../src/operations/readiness.js';
import { PROBLEM_CODES } from '../../src/operations/docs/problem-codes.js';
import { RequestMetrics, routeClass } from '../../src/operations/metrics.js';
import { adminApp } from '../support/admin-app.js';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase } from '../support/database.js';
import { declaredRoutes } from '../support/routes.js';
import { eventually, send } from '../support/http.js';
import { long } from '../support/rounds.js';

let edge: TestApp;
beforeAll(async () => {
  edge = await startApp();
});
afterAll(() => edge.close());
const get = (path: string, headers: Record<string, string> = {}) =>
  send('GET', edge.url + path, null, undefined, headers);

describe('health', () => {
  it('is up while the process runs', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('is ready, and not ready while it stops', async () => {
    expect((await get('/readyz')).status).toBe(200);
    const lifecycle = edge.app.nest.get(Readiness);
    lifecycle.draining = true;
    const answer = await get('/readyz');
    lifecycle.draining = false;
    expect([answer.status, answer.body.reason, answer.headers.get('retry-after')]).toEqual([503, 'draining', '5']);
    expect((await get('/readyz')).status).toBe(200);
  });

  long('is not ready while migrations are missing or the database is away, but up', async () => {
    const database = await testDatabase();
    const app = await adminApp({}, [], database);
    try {
      const { rows } = await database.owner.query<{ name: string }>(
        `delete from migrations where id = (select max(id) from migrations) returning name`,
      );
      expect(rows).toHaveLength(1);
      expect((await app.call('GET', '/readyz')).body.reason).toBe('migrations pending');
      await database.dataSource.destroy();
      // An answer is shared for a second.
      const reason = async () => (await app.call('GET', '/readyz')).body.reason as string;
      while ((await reason()) === 'migrations pending') await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await reason()).toBe('database unreachable');
      expect((await app.call('GET', '/healthz')).status).toBe(200);
      expect((await app.call('GET', '/metrics')).text).toContain('bridge_http_request_seconds_count');
    } finally {
      await app.app.close();
      await database.close();
    }
  });
});

long('asks the database at most once a second under a flood of probes', async () => {
  const { db } = edge;
  let asked = 0;
  const [ping, query] = [db.ping.bind(db), db.query.bind(db)];
  db.ping = () => (asked++, ping());
  db.query = (text, values) => {
    if (text.includes('chain_heads') && text.includes('sum(count)')) asked++;
    return query(text, values);
  };
  const began = performance.now();
  try {
    for (let i = 0; i < 10; i++) {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => get(n % 2 ? '/readyz' : '/metrics')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
  } finally {
    Object.assign(db, { ping, query });
  }
  expect(asked).toBeLessThanOrEqual(2 * (Math.floor((performance.now() - began) / 1000) + 1));
});

describe('metrics', () => {
  long('are available for Prometheus, and contain no names', async () => {
    await send('GET', `${edge.url}/api/v1/me`, edge.tenant.apiKey);
    await send('GET', `${edge.url}/scim/v2/Users`, edge.tenant.scimToken);
    const { status, headers, text } = await eventually(
      () => get('/metrics'),
      ({ text }) => text.includes('route="scim_users"') && text.includes('bridge_delivery_waiting'),
    );
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching('text/plain')]);
    for (const name of [
      'bridge_http_request_seconds_bucket{route="api",method="GET",status="200",le="0.001"}',
      'bridge_http_request_seconds_count{route="scim_users",method="GET",status="200"}',
      'bridge_database_connections{state="idle"}',
      'process_cpu_seconds_total',
      'bridge_seats_held 0',
      'bridge_delivery_waiting{channel="platform"} 0',
      'bridge_delivery_waiting{channel="webhook"} 0',
    ]) {
      expect(text).toContain(name);
    }
    expect(text).not.toContain(edge.tenant.tenantId);
    expect(text).not.toContain(edge.tenant.directoryId);
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+.\deNaIf]+|)$/);
  });

  it('count a request once, in the first bucket that fits and all after', () => {
    const metrics = new RequestMetrics();
    metrics.observe('/scim/v2/Users/x', 'GET', 200, 0.004);
    metrics.observe('/scim/v2/Users/y', 'GET', 200, 99);
    const text = metrics.render();
    expect(text).toContain('le="0.0025"} 0\n');
    expect(text).toContain('le="0.005"} 1\n');
    expect(text).toContain('le="10"} 1\n');
    expect(text).toContain('le="+Inf"} 2\n');
    expect(text).toContain('_sum{route="scim_users",method="GET",status="200"} 99.004');
  });

  it('have no series for an unknown method', () => {
    const metrics = new RequestMetrics();
    for (let i = 0; i < 100; i++) metrics.observe('/x', `METHOD${i}`, 405, 0.001);
    expect(metrics.render().match(/_count/g)).toHaveLength(1);
  });

  it.each([
    ['/scim/v2/Users', 'scim_users'],
    ['/scim/v2/Groups/x', 'scim_groups'],
    ['/scim/v2/Bulk', 'scim_bulk'],
    ['/scim/v2/Schemas', 'scim_other'],
    ['/api/auth/login', 'sign_in'],
    ['/api/users', 'api'],
    ['/v1/users', 'api'],
    ['/readyz', 'operations'],
    ['/docs/openapi.json', 'pages'],
    ['/wp-login.php', 'other'],
  ])('%s is %s', (path, route) => expect(routeClass(path)).toBe(route));
});

describe('the log of requests', () => {
  long('has a line for each request, with its tenant, and never the query or a token', async () => {
    const app = await adminApp();
    try {
      const answer = await app.call('GET', '/api/v1/me?x=canary');
      await app.call('GET', '/api/v1/me', { token: 'canary-token' });
      await app.call('GET', '/healthz');
      const lines = app.lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
      expect(lines.find((line) => line.request_id === answer.headers.get('x-request-id'))).toMatchObject({
        level: 'info',
        method: 'GET',
        path: '/api/v1/me',
        status: 200,
        ms: expect.any(Number),
        tenant_id: app.tenant.id,
        credential_id: expect.stringMatching(/^key_/),
      });
      expect(app.lines.join('')).not.toContain('canary');
      expect(app.lines.join('')).not.toContain('/healthz');
    } finally {
      await app.close();
    }
  });

  long('holds the route and our own ids, and nothing else of a path, in the lines of failures too', async () => {
    @Controller('failing')
    class Failing {
      @Get(':word')
      fail(): never {
        throw new Error('on purpose');
      }
    }
    const app = await adminApp({}, [Failing]);
    try {
      const asked = [
        [`/api/v1/api-keys/key_${'0'.repeat(26)}`, `/api/v1/api-keys/key_${'0'.repeat(26)}`, 404],
        ['/api/v1/api-keys/canary@example.com', '/api/v1/api-keys/:key_id', 404],
        ['/api/v1/canary/of-nowhere', 'unmatched', 404],
        ['/failing/canary?api_token=canary', '/failing/:word', 500],
      ] as const;
      const seen: unknown[] = [];
      for (const [path] of asked) {
        const { status, headers } = await app.call('GET', path);
        const lines = app.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        const own = lines.filter((line) => line['request_id'] === headers.get('x-request-id'));
        seen.push([path, [...new Set(own.map((line) => line['path']))].join(), status]);
        expect(own).toHaveLength(status === 500 ? 2 : 1);
      }
      expect(seen).toEqual(asked);
      expect(app.lines.join('')).not.toContain('canary');
    } finally {
      await app.close();
    }
  });
});

describe('the description', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    document = (await get('/docs/openapi.json')).body as OpenAPIObject;
  });

  long.each(['/docs/openapi.json', '/docs/platform.json', '/docs/interview-engine.json'])(
    '%s is valid OpenAPI 3.1',
    async (path) => {
      const { body: described } = await get(path);
      expect((described as OpenAPIObject).openapi).toBe('3.1.0');
      // In a process of its own: the test runner cannot load this package.
      const script = `import parser from '@apidevtools/swagger-parser';
      let text = ''; for await (const part of process.stdin) text += part;
      await parser.validate(JSON.parse(text));`;
      const checked = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        input: JSON.stringify(described),
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect([checked.stderr.slice(0, 2000), checked.status]).toEqual(['', 0]);
    },
  );

  it('has every route of the API once, at its canonical address, with the method that it really has', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    for (const { method, paths, demand } of declaredRoutes(edge.app.nest)) {
      // Lists under a former name answer, and have no place in the description.
      if (demand === undefined || /\/(platform|:directory_id)\/jobs$/.test(paths[0]!)) continue;
      expect(described).toContain(`${method} ${paths[0]!.replace(/:(\w+)/g, '{$1}')}`);
    }
    expect(described.filter((route) => / \/v1\//.test(route))).toEqual([]);
    expect(new Set(described).size).toBe(described.length);
  });

  it('has every SCIM route, and no other', () => {
    const real = new Set(
      declaredRoutes(edge.app.nest)
        .filter(({ paths }) => paths[0]!.startsWith('/scim/v2'))
        .flatMap(({ method, paths }) => paths.map((path) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)),
    );
    const described = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/scim/'))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => !route.endsWith('/Me'));
    expect(described.filter((route) => !real.has(route))).toEqual([]);
  });

  it('has a summary, a tag and a unique name for every operation', () => {
    const ids: string[] = [];
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item) as [
        string,
        { summary?: string; operationId?: string; security?: object[] },
      ][]) {
        expect([path, method, operation.summary]).toEqual([path, method, expect.stringMatching(/\S/)]);
        ids.push(operation.operationId!);
        // The sign-in is for browsers and IdPs, which have no credential yet; a person's own sessions need theirs.
        // The pages that connect an ATS, and its webhooks, carry theirs in the request.
        const isAts = /^\/api\/(?:integrations|webhooks)\//.test(path);
        // A session of the console begins with the sign-in or the link that the request names.
        const isEntry = path === '/api/v1/console/session';
        const door = isAts || isEntry || (path.startsWith('/api/auth/') && !/^\/api\/auth\/sessions?\b/.test(path));
        // Signing out takes a session's cookie, and does without one.
        const credentials = path === '/api/auth/logout' ? 2 : door ? 0 : 1;
        // Several scopes of one credential are alternatives.
        const kinds = path === '/api/auth/logout' ? operation.security : [...new Set(operation.security?.flatMap(Object.keys))]; // prettier-ignore
        if (path.startsWith('/api/')) expect([path, operation.security && kinds?.length]).toEqual([path, credentials]);
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  long('is a page that loads nothing from elsewhere and runs nothing inline', async () => {
    for (const url of ['/docs', '/docs/', '/docs/problems', '/docs/api']) {
      const page = await get(url, { accept: 'text/html' });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'/);
      expect(page.text).not.toMatch(/<script>|src=['"]?https?:|href=['"]?https?:/);
    }
    for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'swagger-ui-init.js']) {
      expect((await get(`/docs/api/${file}`)).status).toBe(200);
    }
  });

  it('explains every code that a problem can have', async () => {
    const page = (await get('/docs/problems')).text;
    for (const code of Object.keys(PROBLEM_CODES)) expect(page).toContain(`id="${code}"`);
  });
});
