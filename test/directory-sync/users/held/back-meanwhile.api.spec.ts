import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, show, type House } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { waitingForLock } from '../../../support/locks.js';
import { fresh, madeUser, user } from '../../../support/scim.js';

const GUARD = { percent: 10, people: 200, at_least: 1, within_minutes: 60, day_percent: 10 };

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

interface Way {
  directory: object;
  /** Holds back all deletions but those of the guard's limit. */
  before: (at: House) => Promise<unknown>;
  /** Begins the task that puts held deletions into force. */
  release: (at: House) => Promise<{ status: number }>;
}

const ended = (at: House) =>
  eventually(
    () => at.api.get('/tasks'),
    ({ body }) =>
      body.data.length > 0 && body.data.every(({ state }: { state: string }) => state === 'done' || state === 'failed'),
  );

it.each<[string, Way]>([
  [
    'the directory goes live',
    {
      directory: {},
      before: ({ api, directoryId }) => api.patch(`/directories/${directoryId}`, { state: 'preview' }),
      release: ({ api, directoryId }) => api.patch(`/directories/${directoryId}`, { state: 'live' }),
    },
  ],
  [
    'what the guard holds is released',
    {
      directory: { guard: GUARD },
      before: async ({ scim }) => scim.delete(`/Users/${await madeUser(scim)}`),
      release: ({ api, directoryId }) => api.post(`/directories/${directoryId}/guard/release`, {}),
    },
  ],
])('keeps a user who comes back when %s', async (_, { directory, before, release }) => {
  const at = await newHouse(service, directory);
  const names = [`${fresh()}@back.example`, `${fresh()}@back.example`];
  const made: { id: string; name: string }[] = [];
  for (const name of names) made.push({ id: await madeUser(at.scim, user(name)), name });
  const [first, back] = made.sort((a, b) => (a.id < b.id ? -1 : 1)) as [{ id: string }, { id: string; name: string }];
  await before(at);
  for (const { id } of made) expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
  expect(await show(at, back.id)).toMatchObject({ status: 'active' });

  // The task has read both users as deleted when the second one comes back.
  await service.db.transaction(at.tenantId, async (tx) => {
    await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for update`, [at.tenantId, first.id]);
    expect((await release(at)).status).toBeLessThan(300);
    await waitingForLock(service.db);
    expect((await at.scim.post('/Users', user(back.name))).body.id).toBe(back.id);
  });
  await ended(at);
  expect((await at.api.get(`/users/${first.id}`)).status).toBe(404);
  expect((await at.scim.get(`/Users/${back.id}`)).status).toBe(200);
  expect(await show(at, back.id)).toMatchObject({ status: 'active', held: null });
});
