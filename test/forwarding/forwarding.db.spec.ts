import { Harness } from './harness.js';

describe('forwarding', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start();
  });
  afterAll(() => h.stop());

  it('creates, updates, deactivates, reactivates and deletes', async () => {
    const t = await h.tenant('life');
    h.worker();
    await h.change(t, 'usr_1', 'active', {}, 'created');
    await h.drained(t);
    expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ email: 'usr_1@example.com', status: 'active' });
    await h.change(t, 'usr_1', 'active', { last_name: 'New' });
    await h.drained(t);
    expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ last_name: 'New' });
    await h.change(t, 'usr_1', 'inactive', { last_name: 'New' });
    await h.drained(t);
    expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ status: 'inactive' });
    await h.change(t, 'usr_1', 'active', { last_name: 'New' }, 'reactivated');
    await h.drained(t);
    expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ status: 'active' });
    await h.change(t, 'usr_1', 'deleted');
    await h.drained(t);
    expect((await h.platformUsers(t)).size).toBe(0);
    expect((await h.calls(t)).map((c) => `${c['method']} ${c['status']}`)).toEqual([
      'POST 201',
      'PATCH 200',
      'PATCH 200',
      'PATCH 200',
      'DELETE 204',
    ]);
  });
});
