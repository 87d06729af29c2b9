import express from 'express';
import { matchPrefixesFirst, type RouteLayer } from '../../../src/base/http/route-prefixes.js';

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

test('layers match the same addresses as without a look at their beginnings', () => {
  const plain = layers();
  const quick = layers();
  matchPrefixesFirst(quick);
  const found = (all: RouteLayer[]) => ADDRESSES.map((address) => all.map((layer) => layer.match(address)));
  expect(found(quick)).toEqual(found(plain));
  expect(found(plain).flat().filter(Boolean).length).toBeGreaterThan(60);
});

test('a layer whose path begins otherwise is passed over without its expression', () => {
  const asked: string[] = [];
  const layer: RouteLayer = { rawPath: '/scim/v2/Users/:id', match: (path) => asked.push(path) };
  matchPrefixesFirst([layer]);
  for (const address of ['/scim/v2/Groups/1', '/scim/v2/Users/1']) layer.match(address);
  expect(asked).toEqual(['/scim/v2/Users/1']);
});
