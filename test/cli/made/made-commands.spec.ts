import { nameOf } from '../../../src/cli/made/made-commands.js';

const COLLECTIONS = new Set(['/roles', '/directories', '/directories/{directory_id}/clients', '/held', '/api-keys']);

it.each([
  ['GET /roles', 'role list'],
  ['POST /roles', 'role create'],
  ['GET /roles/{name}', 'role show'],
  ['PATCH /roles/{name}', 'role set'],
  ['DELETE /roles/{name}', 'role delete'],
  ['GET /storage', 'storage show'],
  ['PUT /platform', 'platform set'],
  ['GET /directories', 'directory list'],
  ['POST /tasks/{task_id}/cancel', 'task cancel'],
  ['POST /platform/test', 'platform test'],
  ['POST /api-keys/{key_id}/rotate', 'api-key rotate'],
  ['GET /directories/{directory_id}/groups', 'directory groups'],
  ['POST /directories/{directory_id}/clients', 'directory clients create'],
  ['GET /directories/{directory_id}/clients/{client_id}', 'directory clients show'],
  ['DELETE /directories/{directory_id}/clients/{client_id}', 'directory clients delete'],
  ['POST /directories/{directory_id}/guard/release', 'directory guard release'],
  ['PUT /ats-connections/{connection_id}/signing-secret', 'ats signing-secret set'],
  ['POST /ats-connections/{connection_id}/test', 'ats test'],
  ['GET /held', 'held list'],
])('the command of %s is %s', (call, name) => {
  expect(nameOf(call, (path) => COLLECTIONS.has(path))).toBe(name);
});
