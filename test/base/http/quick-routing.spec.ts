import express, { type Express } from 'express';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  askRoutesOfMethod,
  matchPrefixesFirst,
  type LayeredRouter,
  type RouteLayer,
} from '../../../src/base/http/quick-routing.js';

const PATHS = [
  '/',
  '/users',
  '/users/',
  '/users/:id',
  '/users/:id/roles/:role',
  '/users{/:id}',
  '/u{sers}/x',
  '/files/*rest',
  '/*all',
  '/user\\:s',
  '/a.b+c'.replace('+', '\\+'),
  ['/one', '/two/:id'],
  /^\/users\/\d+$/,
];

const ADDRESSES = [
  ...['/', '', '/users', '/users/', '/users//', '/users/1', '/users/1/', '/USERS', '/Users/1', '/user', '/usersx'],
  ...['/users/a%2fb', '/users/1/roles/x', '/users/1/roles', '/u/x', '/users/x', '/files/', '/files', '/files/a/b'],
  ...[
    '/user:s',
    '/a.b+c',
    '/axb+c',
    '/one',
    '/two',
    '/two/3',
    '//users',
    '/users?x',
    '/mount',
    '/mount/',
    '/mount/x',
    '/mounted',
  ],
];

/** Makes the layers of all paths, as routes and as mounts. */
function layers(): RouteLayer[] {
  const app = express();
  app.set('case sensitive routing', true);
  for (const path of PATHS) app.get(path, (_req, res) => res.end());
  for (const path of ['/mount', '/mount/', '/', '/mount/:id']) app.use(path, (_req, res) => res.end());
  return (app.router as unknown as { stack: RouteLayer[] }).stack;
}

test('match the same addresses as without the check of their beginnings', () => {
  const plain = layers();
  const quick = layers();
  matchPrefixesFirst(quick);
  const found = (all: RouteLayer[]) => ADDRESSES.map((address) => all.map((layer) => layer.match(address)));
  expect(found(quick)).toEqual(found(plain));
  expect(found(plain).flat().filter(Boolean).length).toBeGreaterThan(60);
});

test('skip the expression of a layer whose path begins otherwise', () => {
  const asked: string[] = [];
  const layer: RouteLayer = { rawPath: '/scim/v2/Users/:id', match: (path) => asked.push(path) };
  matchPrefixesFirst([layer]);
  for (const address of ['/scim/v2/Groups/1', '/scim/v2/Users/1']) layer.match(address);
  expect(asked).toEqual(['/scim/v2/Users/1']);
});

/** An application that says which of its handlers answered. */
function application(): Express {
  const app = express();
  const named = (name: string) => (_req: unknown, res: express.Response) => res.send(name);
  app.use((_req, res, next) => {
    res.setHeader('passed', 'yes');
    next();
  });
  app.get('/users/:id', named('get'));
  app.put('/users/:id', named('put'));
  app.delete('/users/:id', (_req, _res, next) => next());
  app.delete('/users/:id', named('second'));
  app.post('/users', () => {
    throw new Error('failed');
  });
  app.all('/me', named('all'));
  app.use('/docs', named('docs'));
  app.use((error: Error, _req: unknown, res: express.Response, _next: unknown) => res.status(500).send(error.message));
  return app;
}

/** Returns what an application answers to each method at each address. */
async function answersOf(app: Express): Promise<string[]> {
  const server = http.createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const answers: string[] = [];
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'SEARCH'])
    for (const path of ['/users/1', '/users', '/me', '/docs/x', '/none']) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        http.request({ port, method, path, agent: false }, resolve).on('error', reject).end(),
      );
      const text = (await answer.toArray()).join('');
      const { allow, passed } = answer.headers;
      answers.push(`${method} ${path} ${answer.statusCode} ${text} ${allow ?? ''} ${String(passed)}`);
    }
  await new Promise((resolve) => server.close(resolve));
  return answers;
}

test('each method of each address is answered as without the routes of its method', async () => {
  const plain = application();
  const quick = application();
  askRoutesOfMethod(quick.router as unknown as LayeredRouter);
  const expected = await answersOf(plain);
  expect(await answersOf(quick)).toEqual(expected);
  expect(expected).toContain('DELETE /users/1 200 second  yes');
  expect(expected).toContain('POST /users 500 failed  yes');
});

test('a request does not match the routes of other methods', () => {
  const app = application();
  const router = app.router as unknown as LayeredRouter;
  const asked: string[] = [];
  for (const layer of router.stack) {
    const { match, route } = layer;
    layer.match = (path) => {
      if (route) asked.push(Object.keys(route.methods).join());
      return match.call(layer, path);
    };
  }
  askRoutesOfMethod(router);
  const request = { method: 'PUT', url: '/users/1' } as IncomingMessage;
  router.handle(request, ...([{ setHeader: () => undefined, send: () => undefined }, () => undefined] as never[]));
  expect(asked).toEqual(['put']);
});
