import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { sharedApp, type TestApp } from '../support/app.js';
import { startBeside, type Beside } from '../support/beside.js';
import { candidate } from '../support/candidates.js';
import { client } from '../support/http.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

let service: TestApp;
let built: Beside;
beforeAll(async () => {
  service = await sharedApp();
  built = await startBeside(service);
});
afterAll(async () => {
  await built.stop();
  await service.close();
});

it('loads no package beside the copy that its one file has', () => {
  const script = `require('./dist/service.cjs'); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const loaded = JSON.parse(
    execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' }),
  ) as string[];
  expect(loaded.map((file) => path.relative(ROOT, file))).toEqual([path.join('dist', 'service.cjs')]);
});

it('converts the fields of a body whose class follows from another one', async () => {
  const api = client(`${built.url}/api/v1`, service.tenant.apiKey);
  const { body: someone } = await api.post('/candidates', candidate());
  const times = { starts_at: '2027-03-05T13:00:00Z', ends_at: '2027-03-05T13:45:00Z' };
  const { body: made } = await api.post(`/candidates/${someone.id}/interviews`, times);
  const changed = await api.patch(`/interviews/${made.id}`, { starts_at: '2027-03-05T12:30:00+01:00' });
  expect([changed.status, changed.body.starts_at]).toEqual([200, '2027-03-05T11:30:00.000Z']);
});
