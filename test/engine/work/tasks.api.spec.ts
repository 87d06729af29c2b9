import type { TaskKind, TaskState } from '../../../src/engine/work/task.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { client } from '../../support/http.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
});
afterAll(() => service.close());

const ADMIN = '{"kind":"system","id":"test"}';

/** Puts down a task whose lease no runner may take. */
async function made(more: { kind?: TaskKind; state?: TaskState; done?: number; total?: number } = {}): Promise<string> {
  const id = fresh('tsk_');
  await service.db.query(
    `insert into tasks (tenant_id, id, kind, payload, state, done, total, created_by, started_at, lease_until)
     values ($1, $2, $3, '{}', $4, $5, $6, $7, now() - interval '1 minute', now() + interval '1 hour')`,
    [
      at.tenantId,
      id,
      more.kind ?? 'platform.import',
      more.state ?? 'running',
      more.done ?? 0,
      more.total ?? null,
      ADMIN,
    ],
  );
  return id;
}

const listed = async (query: string): Promise<string[]> =>
  ((await at.api.get(`/tasks?${query}`)).body.data as { id: string }[]).map(({ id }) => id);

describe('a task', () => {
  it('shows its progress and its estimated end', async () => {
    const { body } = await at.api.get(`/tasks/${await made({ done: 100, total: 200 })}`);
    expect(body).toMatchObject({ state: 'running', done: 100, total: 200, error: null });
    const seconds = (Date.parse(body.estimated_end) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThan(90);
  });

  it('is found by kind and by state', async () => {
    const drift = await made({ kind: 'platform.drift' });
    const done = await made({ kind: 'platform.drift', state: 'done' });
    expect(await listed('kind=platform.drift')).toEqual([done, drift]);
    expect(await listed('kind=platform.drift&state=done')).toEqual([done]);
    expect((await at.api.get('/tasks?kind=nothing')).status).toBe(422);
    expect((await at.api.get('/tasks?state=nothing')).status).toBe(422);
  });

  it('of another tenant is not found', async () => {
    const other = await newHouse(service);
    const id = await made();
    expect((await other.api.get(`/tasks/${id}`)).status).toBe(404);
    expect((await other.api.post(`/tasks/${id}/cancel`, {})).status).toBe(404);
    expect((await at.api.get(`/tasks/${id}`)).body.state).toBe('running');
  });
});

describe('cancelling a task', () => {
  it.each(['waiting', 'running'] as const)('stops one that is %s, keeps its results, and is audited', async (state) => {
    const id = await made({ state, done: 7 });
    const { status, body } = await at.api.post(`/tasks/${id}/cancel`, {});
    expect([status, body.state, body.done]).toEqual([200, 'cancelled', 7]);
    expect(body.finished_at).not.toBeNull();
    const { body: audit } = await at.api.get('/audit?action=task.cancelled&limit=1');
    expect(audit.data[0]).toMatchObject({ target_id: id, before: { state, done: 7 } });
  });

  it('twice gives the same answer', async () => {
    const id = await made();
    await at.api.post(`/tasks/${id}/cancel`, {});
    expect(await at.api.post(`/tasks/${id}/cancel`, {})).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  });

  it.each(['done', 'failed'] as const)('refuses one that is %s', async (state) => {
    const id = await made({ state });
    expect(await at.api.post(`/tasks/${id}/cancel`, {})).toMatchObject({ status: 409, body: { code: 'task_over' } });
  });

  it.each(['role-review', 'rules-changed', 'preview-live'] as const)('refuses one of the kind %s', async (kind) => {
    const id = await made({ kind });
    const { status, body } = await at.api.post(`/tasks/${id}/cancel`, {});
    expect([status, body.code]).toEqual([409, 'task_not_cancellable']);
    expect((await at.api.get(`/tasks/${id}`)).body.state).toBe('running');
  });

  it('needs the scope of an administrator', async () => {
    const { body: key } = await at.api.post('/api-keys', { name: fresh('reader'), scopes: ['users:read'] });
    const id = await made();
    const response = await fetch(`${service.url}/api/v1/tasks/${id}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.api_key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });

  it('of another key is shown with settings:read, and not stopped by a key that may stop its own', async () => {
    const scopes = ['settings:read', 'webhooks:manage'];
    const { body: key } = await at.api.post('/api-keys', { name: fresh('auditor'), scopes });
    const auditor = client(`${service.url}/api/v1`, key.api_key);
    const id = await made();
    expect((await auditor.get(`/tasks/${id}`)).body).toMatchObject({ id, state: 'running' });
    expect((await auditor.post(`/tasks/${id}/cancel`, {})).status).toBe(404);
    expect((await auditor.get(`/tasks/${id}`)).body.state).toBe('running');
  });
});

it('lists the tasks of a directory', async () => {
  const { status } = await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Observer' });
  expect(status).toBe(200);
  const { body } = await at.api.get(`/directories/${at.directoryId}/tasks`);
  expect(body.data).toMatchObject([{ kind: 'rules-changed' }]);
});
