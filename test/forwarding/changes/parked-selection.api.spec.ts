import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** Makes users whose change the platform has refused. */
async function parked(at: House, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await madeUser(at.scim));
  await service.db.query(
    `update lanes set state = 'parked', parked_reason = 'refused', failed_at = now()
     where tenant_id = $1 and subject = any($2)`,
    [at.tenantId, ids],
  );
  return ids;
}

const states = async ({ api }: House): Promise<string[]> =>
  ((await api.get('/changes')).body.data as { state: string }[]).map(({ state }) => state).sort();

/** Waits for the end of a task. */
const ended = async ({ api }: House, id: string) =>
  (
    await eventually(
      () => api.get(`/tasks/${id}`),
      ({ body }) => body.state === 'done' || body.state === 'failed',
    )
  ).body;

it('dismisses all parked changes of a filter in a task, and counts them in a dry run', async () => {
  const [at, other] = [await newHouse(service), await newHouse(service)];
  await parked(at, 3);
  await parked(other, 1);
  const waiting = await madeUser(at.scim);
  const dry = await at.api.post('/changes/dismiss', { error: 'refused', dry_run: true });
  expect([dry.status, dry.body]).toEqual([200, { count: 3 }]);
  const begun = await at.api.post('/changes/dismiss', { directory: at.directoryId, reason: 'left' });
  expect([begun.status, begun.body.kind, begun.body.total]).toEqual([202, 'changes.dismiss', 3]);
  expect(await ended(at, begun.body.id as string)).toMatchObject({
    state: 'done',
    done: 3,
    total: 3,
    result: { dismissed: 3, left_out: 0 },
  });
  expect(await states(at)).toEqual(['dismissed', 'dismissed', 'dismissed', 'pending']);
  const { body } = await at.api.get(`/changes?user_id=${waiting}`);
  expect(body.data[0].state).toBe('pending');
  expect(await states(other)).toEqual(['parked']);
});

it('retries the parked changes of a list of users', async () => {
  const at = await newHouse(service);
  const [one, two] = (await parked(at, 2)) as [string, string];
  const begun = await at.api.post('/changes/retry', { user_ids: [one] });
  expect(await ended(at, begun.body.id as string)).toMatchObject({ state: 'done', result: { retried: 1 } });
  const stateOf = async (id: string) => (await at.api.get(`/changes?user_id=${id}`)).body.data[0].state as string;
  expect([await stateOf(one), await stateOf(two)]).toEqual(['pending', 'parked']);
});

it('refuses a selection that names nothing, or a list and a filter', async () => {
  const { api } = await newHouse(service);
  for (const body of [{}, { user_ids: ['usr_1'], error: 'refused' }, { user_ids: [] }, { user_ids: 'usr_1' }]) {
    const answer = await api.post('/changes/retry', body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'user_ids']);
  }
});

long('is a command with a filter, which a change excludes', async () => {
  const at = await newHouse(service);
  await parked(at, 2);
  const run = commandLine(service, at.apiKey);
  expect((await run('changes', 'retry', '--error', 'refused', '--dry-run', '--json')).json).toEqual({ count: 2 });
  expect((await run('changes', 'retry', '--error', 'refused', '--wait')).code).toBe(0);
  expect(await states(at)).toEqual(['pending', 'pending']);
  expect((await run('changes', 'retry')).code).toBe(2);
  expect((await run('changes', 'dismiss', 'chg_1', '--error', 'refused')).code).toBe(2);
});
