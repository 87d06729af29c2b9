import type { ServerResponse } from 'node:http';
import { platformOf } from '../../src/forwarding/connections.js';
import { Harness, personOf, until, type Any } from './harness.js';
import { Scripted } from './scripted.js';

const json = (res: ServerResponse, status: number, body: unknown): true => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
};

describe('forwarding, case by case', () => {
  let h: Harness;
  let scripted: Scripted;
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    h = await Harness.start();
  });
  afterAll(() => h.stop());
  beforeEach(async () => {
    scripted = new Scripted(h.sandbox.url);
    url = await scripted.start();
    const { worker } = h.worker();
    stop = () => worker.stop();
  });
  afterEach(async () => {
    await stop();
    scripted.stop();
  });

  const posts = (): Scripted['seen'] => scripted.seen.filter((r) => r.method === 'POST');
  const writes = (): Scripted['seen'] => scripted.seen.filter((r) => r.method !== 'GET');
  /** What the platform itself makes of a call. */
  const takesEffect = (request: Scripted['seen'][number]) =>
    fetch(h.sandbox.url + request.url, {
      method: 'POST',
      headers: { authorization: request.auth!, 'idempotency-key': request.key! },
      body: request.body,
    });

  describe('one user', () => {
    it('folds changes that wait into one call', async () => {
      const t = await h.tenant('fold', {}, url);
      await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
      for (let n = 1; n <= 5; n++) await h.change(t, 'usr_1', 'active', { last_name: `v${n}` });
      await h.change(t, 'usr_2', 'active');
      await h.change(t, 'usr_2', 'deleted');
      await h.states.resume(h.db, platformOf(t));
      await h.drained(t);
      expect(writes().map((r) => [r.method, /v\d/.exec(r.body)?.[0]])).toEqual([['POST', 'v5']]);
    });

    it('repeats a call without an answer byte for byte under the same key before it sends a newer one', async () => {
      const t = await h.tenant('lost', { timeout_ms: 300 }, url);
      let lost = 0;
      scripted.answer = (request, res) => {
        if (request.method !== 'POST' || lost++ > 0) return false;
        // It took effect, and its answer was lost.
        void h.platform(t, 'GET', '/v1/users').then(() => undefined);
        void takesEffect(request).then(() => res.destroy());
        return true;
      };
      await h.change(t, 'usr_1', 'active', { last_name: 'first' });
      await until(() => posts().length === 1);
      await h.change(t, 'usr_1', 'active', { last_name: 'second' });
      await h.drained(t);
      expect(posts()).toHaveLength(2);
      expect(posts()[1]).toEqual(posts()[0]);
      expect(writes().map((r) => r.method)).toEqual(['POST', 'POST', 'PATCH']);
      expect(
        (await h.calls(t)).filter((c) => c['method'] === 'POST').map((c) => [c['applied'], c['replayed']]),
      ).toEqual([
        [true, false],
        [false, true],
      ]);
    });

    it('never creates an inactive user, and sends no value twice', async () => {
      const t = await h.tenant('quiet', {}, url);
      await h.change(t, 'usr_1', 'inactive');
      await h.change(t, 'usr_2', 'active');
      await h.drained(t);
      await h.change(t, 'usr_2', 'active');
      await h.drained(t);
      expect(writes().map((r) => r.method)).toEqual(['POST']);
    });

    it('follows the settings at a deactivation and a deletion', async () => {
      const t = await h.tenant('removal', { on_deactivate: 'delete', on_delete: 'inactive' }, url);
      for (const user of ['usr_1', 'usr_2']) await h.change(t, user, 'active');
      await h.drained(t);
      await h.change(t, 'usr_1', 'inactive');
      await h.change(t, 'usr_2', 'deleted');
      await h.drained(t);
      const there = await h.platformUsers(t);
      expect(there.has('x-usr_1')).toBe(false);
      expect(there.get('x-usr_2')).toMatchObject({ status: 'inactive' });
      await h.change(t, 'usr_1', 'active', {}, 'reactivated');
      await h.drained(t);
      expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ status: 'active' });
    });

    it('changes the external_id as an ordinary field once the id is bound', async () => {
      const t = await h.tenant('rekey');
      await h.change(t, 'usr_1', 'active');
      await h.drained(t);
      await h.change(t, 'usr_1', 'active', { external_id: 'other' });
      await h.drained(t);
      expect([...(await h.platformUsers(t)).keys()]).toEqual(['other']);
    });

    it('finds the id when a create was answered without one', async () => {
      const t = await h.tenant('noid', {}, url);
      scripted.answer = (request, res) => {
        if (request.method !== 'POST') return false;
        void takesEffect(request).then(() => res.writeHead(202).end());
        return true;
      };
      await h.change(t, 'usr_1', 'active');
      await h.drained(t);
      expect((await h.lane(t, 'usr_1'))['platform_id']).toBe((await h.platformUsers(t)).get('x-usr_1')!['id']);
      expect(writes()).toHaveLength(1);
    });
  });

  describe('a 404 of the platform', () => {
    it('creates an active user again, and completes a leaver, when the API itself answers', async () => {
      const t = await h.tenant('gone');
      for (const user of ['usr_1', 'usr_2', 'usr_3']) await h.change(t, user, 'active');
      await h.drained(t);
      for (const { id } of (await h.platformUsers(t)).values() as Iterable<Any>)
        await h.platform(t, 'DELETE', `/v1/users/${id}`);
      await h.change(t, 'usr_1', 'active', { last_name: 'Back' });
      await h.change(t, 'usr_2', 'inactive');
      await h.change(t, 'usr_3', 'deleted');
      await h.drained(t);
      expect([...(await h.platformUsers(t)).values()]).toMatchObject([{ last_name: 'Back', external_id: 'x-usr_1' }]);
      expect((await h.lane(t, 'usr_2'))['confirmed_state']).toBe('inactive');
    });

    it('is not believed when the address is not the API', async () => {
      const t = await h.tenant('mislaid', {}, url);
      for (const user of ['usr_1', 'usr_2', 'usr_3']) await h.change(t, user, 'active');
      await h.drained(t);
      scripted.answer = (_, res) => json(res, 404, { message: 'no Route matched with those values' });
      await h.change(t, 'usr_1', 'inactive');
      await h.change(t, 'usr_2', 'deleted');
      await h.change(t, 'usr_3', 'active', { last_name: 'New' });
      await until(async () => (await h.destinations.read(platformOf(t)))?.state === 'open');
      expect((await h.counts(t)).pending).toBe(3);
      scripted.answer = () => false;
      await h.drained(t);
      const there = await h.platformUsers(t);
      expect(there.size).toBe(2);
      expect(there.get('x-usr_1')).toMatchObject({ status: 'inactive' });
      expect(there.get('x-usr_3')).toMatchObject({ last_name: 'New' });
    });

    it('does not loop when the platform contradicts itself', async () => {
      const t = await h.tenant('circles', {}, url);
      await h.change(t, 'usr_1', 'active');
      await h.drained(t);
      scripted.seen.length = 0;
      scripted.answer = (r, res) =>
        r.method === 'PATCH' && r.body.includes('Circle') && json(res, 404, { code: 'not_found' });
      await h.change(t, 'usr_1', 'active', { last_name: 'Circle' });
      let n = 0;
      await until(async () => {
        await h.change(t, 'usr_2', 'active', { last_name: `n${n++}` });
        return (await h.counts(t)).parked === 1;
      });
      expect((await h.lane(t, 'usr_1'))['parked_reason']).toBe('poison');
      expect(writes().filter((r) => r.body.includes('Circle')).length).toBeLessThanOrEqual(9);
    });
  });

  describe('an account that is there already', () => {
    const there = (t: string, body: object) =>
      h.platform(t, 'POST', '/v1/users', { first_name: 'A', last_name: 'B', ...body });

    it('is adopted by external_id', async () => {
      const t = await h.tenant('adopt-1');
      const { body } = await there(t, { email: 'old@example.com', external_id: 'x-usr_1' });
      await h.change(t, 'usr_1', 'active');
      await h.drained(t);
      expect([...(await h.platformUsers(t)).values()]).toMatchObject([{ id: body.id, email: 'usr_1@example.com' }]);
      expect(await h.lane(t, 'usr_1')).toMatchObject({ platform_id: body.id, parked_reason: null });
      const { rows } = await h.db.query(`select outcome, detail from attempts where tenant_id = $1 order by sent_at`, [
        t,
      ]);
      expect(rows).toContainEqual({ outcome: 'adopted', detail: 'found by external_id' });
    });

    it('is adopted by e-mail when no other user has it', async () => {
      const t = await h.tenant('adopt-2');
      const { body } = await there(t, { email: 'USR_1@example.com' });
      await h.change(t, 'usr_1', 'active');
      await h.drained(t);
      expect([...(await h.platformUsers(t)).values()]).toMatchObject([{ id: body.id, external_id: 'x-usr_1' }]);
      const { rows } = await h.db.query(`select detail from attempts where tenant_id = $1 and outcome = 'adopted'`, [
        t,
      ]);
      expect(rows).toEqual([{ detail: 'found by email' }]);
    });

    it('parks if it has another external_id', async () => {
      const t = await h.tenant('adopt-3');
      await there(t, { email: 'usr_1@example.com', external_id: 'another' });
      await h.change(t, 'usr_1', 'active');
      await until(async () => (await h.lane(t, 'usr_1'))['parked_reason'] === 'account_belongs_to_someone_else');
      expect(h.told.parked).toContainEqual({ tenantId: t, userId: 'usr_1', reason: 'account_belongs_to_someone_else' });
    });

    it('parks when it is bound to another user here', async () => {
      const t = await h.tenant('adopt-4');
      await h.change(t, 'usr_1', 'active', { external_id: null });
      await h.drained(t);
      await h.change(t, 'usr_2', 'active', { email: 'usr_1@example.com' });
      await until(async () => (await h.lane(t, 'usr_2'))['parked_reason'] === 'account_belongs_to_someone_else');
      expect((await h.lane(t, 'usr_2'))['parked_detail']).toContain('usr_1');
    });

    it('parks when it is the account of a leaver', async () => {
      const t = await h.tenant('adopt-5', {}, url);
      const { body } = await there(t, { email: 'usr_1@example.com', status: 'inactive' });
      scripted.answer = (request, res) => request.method === 'POST' && json(res, 409, { code: 'taken', id: body.id });
      await h.change(t, 'usr_1', 'active');
      await until(async () => (await h.lane(t, 'usr_1'))['parked_reason'] === 'account_belongs_to_someone_else');
    });

    it('goes to the next user only when the change of its leaver is delivered', async () => {
      const t = await h.tenant('adopt-6', {}, url);
      await h.change(t, 'usr_1', 'active', { external_id: 'x' });
      await h.drained(t);
      // The deletion hangs behind; the new record of the same person comes first.
      let late = 0;
      scripted.answer = (request, res) => request.method === 'DELETE' && late++ < 3 && json(res, 500, {});
      await h.change(t, 'usr_1', 'deleted', { external_id: 'x' });
      await h.change(t, 'usr_2', 'active', { external_id: 'x', email: 'usr_1@example.com' });
      await h.drained(t);
      expect([...(await h.platformUsers(t)).values()]).toMatchObject([{ external_id: 'x', status: 'active' }]);
      expect((await h.lane(t, 'usr_2'))['parked_reason']).toBeNull();
    });

    it('is not adopted while the create that made it has no known outcome', async () => {
      const t = await h.tenant('adopt-8', { timeout_ms: 300 }, url);
      let released = false;
      const first = () => posts()[0];
      scripted.answer = (request, res) => {
        if (request.method !== 'POST' || released || (request !== first() && request.key !== first()!.key))
          return false;
        // It takes effect, and its answer is lost, like those of its repetitions.
        void takesEffect(request).then(() => res.destroy());
        return true;
      };
      await h.change(t, 'usr_1', 'active', { external_id: 'x' });
      await until(async () => (await h.platformUsers(t)).has('x'));
      await h.change(t, 'usr_1', 'deleted', { external_id: 'x' });
      await h.change(t, 'usr_2', 'active', { external_id: 'x' });
      await until(async () => ((await h.lane(t, 'usr_2'))['lookup']?.waited ?? 0) > 0);
      released = true;
      await h.drained(t);
      const users = [...(await h.platformUsers(t)).values()];
      expect(users).toMatchObject([{ external_id: 'x', status: 'active', email: 'usr_2@example.com' }]);
      const lane = await h.lane(t, 'usr_2');
      expect([lane['parked_reason'], lane['platform_id']]).toEqual([null, users[0]!['id']]);
    });

    it('of a leaver who was deactivated goes to the same person’s new record', async () => {
      const t = await h.tenant('adopt-7', { on_delete: 'inactive' });
      await h.change(t, 'usr_1', 'active', { external_id: 'x' });
      await h.drained(t);
      await h.change(t, 'usr_1', 'deleted', { external_id: 'x' });
      await h.drained(t);
      await h.change(t, 'usr_2', 'active', { external_id: 'x' });
      await h.drained(t);
      expect([...(await h.platformUsers(t)).values()]).toMatchObject([
        { external_id: 'x', status: 'active', email: 'usr_2@example.com' },
      ]);
      expect((await h.lane(t, 'usr_1'))['platform_id']).toBeNull();
    });

    it('of an inactive user keeps its names when a deleted user without an account looks for theirs', async () => {
      const t = await h.tenant('adopt-9');
      await h.change(t, 'usr_1', 'active', { external_id: 'x-1' });
      await h.change(t, 'usr_2', 'active', { external_id: 'x-2' });
      await h.drained(t);
      await h.change(t, 'usr_2', 'inactive', { external_id: 'x-2' });
      await h.drained(t);
      const before = (await h.platformUsers(t)).get('x-2');
      await h.db.query(
        `update lanes set platform_id = null, account = 'lost' where tenant_id = $1 and subject = 'usr_1'`,
        [t],
      );
      await h.change(t, 'usr_1', 'deleted', { external_id: 'x-2' });
      await h.drained(t);
      expect((await h.platformUsers(t)).get('x-2')).toEqual(before);
      expect((await h.lane(t, 'usr_1'))['parked_reason']).toBeNull();
    });

    it('of an inactive user keeps its names when a call of an active user is repeated after the user was deleted', async () => {
      const t = await h.tenant('adopt-10');
      await h.change(t, 'usr_2', 'active', { external_id: 'x-2' });
      await h.drained(t);
      await h.change(t, 'usr_2', 'inactive', { external_id: 'x-2' });
      await h.drained(t);
      const before = (await h.platformUsers(t)).get('x-2');
      await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
      await h.change(t, 'usr_1', 'active', { external_id: 'x-2' });
      // The call that the user's create was refused for, of a process that has ended.
      await h.db.query(
        `update lanes l set account = 'sought', lookup = $2::jsonb, call_count = 1, epoch = d.epoch,
           call = json_build_object('v', 1, 'n', 1, 'by', $3::text, 'state', 'active', 'as', 'inactive', 'person', target_body,
             'first', first_pending, 'through', last_pending, 'round', round, 'epoch', d.epoch, 'platform_id', null,
             'confirmed', null, 'known', null, 'lookup', $2::jsonb)
         from destinations d where d.tenant_id = $1 and d.channel = 'platform' and l.tenant_id = $1 and subject = 'usr_1'`,
        [t, '{"why":"conflict","status":409,"detail":"taken"}', '11111111-1111-4111-8111-111111111111'],
      );
      await h.change(t, 'usr_1', 'deleted', { external_id: 'x-2' });
      await h.states.resume(h.db, platformOf(t));
      await h.drained(t);
      expect((await h.platformUsers(t)).get('x-2')).toEqual(before);
      expect((await h.lane(t, 'usr_1'))['parked_reason']).toBeNull();
    });

    it('does not block two people who swap their addresses', async () => {
      const t = await h.tenant('swap', { concurrency: 1 });
      await h.change(t, 'usr_1', 'active', { email: 'a@example.com' });
      await h.change(t, 'usr_2', 'active', { email: 'b@example.com' });
      await h.drained(t);
      await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
      await h.change(t, 'usr_2', 'active', { email: 'a@example.com' });
      await h.change(t, 'usr_1', 'active', { email: 'c@example.com' });
      await h.states.resume(h.db, platformOf(t));
      await h.drained(t);
      expect((await h.counts(t)).parked).toBe(0);
      expect((await h.platformUsers(t)).get('x-usr_2')).toMatchObject({ email: 'a@example.com' });
    });
  });

  describe('users who exchange names', () => {
    type Names = { email?: string; external_id?: string };
    /** Makes users with names of their own, then gives each the names of the next one while nothing is sent. */
    async function exchanged(name: string, size: number, fields: readonly (keyof Names)[]): Promise<string> {
      const t = await h.tenant(name);
      const ids = Array.from({ length: size }, (_, i) => `usr_${String(i).padStart(2, '0')}`);
      const namesOf = (i: number): Names => ({
        email: `${i % size}@${name}.example`,
        external_id: `x-${i % size}`,
      });
      for (const [i, id] of ids.entries()) await h.change(t, id, 'active', namesOf(i));
      await h.drained(t);
      await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
      const wanted = (i: number): Names => {
        const names = namesOf(i);
        for (const field of fields) names[field] = namesOf(i + 1)[field]!;
        return names;
      };
      for (const [i, id] of ids.entries()) await h.change(t, id, 'active', wanted(i));
      await h.states.resume(h.db, platformOf(t));
      await h.drained(t);
      expect(await h.parked(t)).toEqual([]);
      const accounts = [...(await h.platformUsers(t)).values()];
      for (const [i, id] of ids.entries()) {
        const { platform_id } = await h.lane(t, id);
        expect(accounts.find((account) => account['id'] === platform_id)).toMatchObject(wanted(i));
      }
      return t;
    }
    const standIns = async (t: string): Promise<number> => {
      const { rows } = await h.db.query(`select 1 from attempts where tenant_id = $1 and outcome = 'stood_aside'`, [t]);
      return rows.length;
    };

    it.each<[string, number, readonly ('email' | 'external_id')[]]>([
      ['two-emails', 2, ['email']],
      ['two-keys', 2, ['external_id']],
      ['two-of-both', 2, ['email', 'external_id']],
      ['three-emails', 3, ['email']],
    ])('reach the platform through one stand-in: %s', async (name, size, fields) => {
      expect(await standIns(await exchanged(name, size, fields))).toBe(1);
    });

    it('reach the platform in a long circle, in which all get stand-ins', async () => {
      expect(await standIns(await exchanged('long-circle', 8, ['email']))).toBeGreaterThan(1);
    });
  });

  it('gives an account another stand-in when a newer change needs other names', async () => {
    const t = await h.tenant('swap-again');
    await h.change(t, 'usr_1', 'active', { email: 'a@example.com' });
    await h.change(t, 'usr_2', 'active', { email: 'b@example.com' });
    await h.drained(t);
    await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
    await h.change(t, 'usr_1', 'active', { email: 'b@example.com' });
    await h.change(t, 'usr_2', 'active', { email: 'a@example.com' });
    // As after a stand-in for an earlier change of the user.
    const waits = `{"why":"conflict","stoodAside":"the digest of an earlier body","waited":3}`;
    await h.db.query(`update lanes set lookup = $2::jsonb, account = 'bound' where tenant_id = $1`, [t, waits]);
    await h.states.resume(h.db, platformOf(t));
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    for (const [userId, email] of [
      ['usr_1', 'b@example.com'],
      ['usr_2', 'a@example.com'],
    ] as const) {
      expect((await h.platformUsers(t)).get(`x-${userId}`)).toMatchObject({ email, status: 'active' });
    }
  });

  it('parks two users whose stand-ins are refused, each with the other one as the reason', async () => {
    const t = await h.tenant('swap-both');
    await h.change(t, 'usr_1', 'active', { email: 'a@example.com' });
    await h.change(t, 'usr_2', 'active', { email: 'b@example.com' });
    await h.drained(t);
    await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
    await h.change(t, 'usr_1', 'active', { email: 'b@example.com' });
    await h.change(t, 'usr_2', 'active', { email: 'a@example.com' });
    // As after a stand-in that the platform has refused, and two minutes of waiting.
    const waits = `{"why":"conflict","stoodAside":true,"waited":20}`;
    await h.db.query(`update lanes set lookup = $2::jsonb, account = 'bound' where tenant_id = $1`, [t, waits]);
    await h.states.resume(h.db, platformOf(t));
    await until(async () => (await h.counts(t)).parked === 2);
    for (const [userId, other] of [
      ['usr_1', 'usr_2'],
      ['usr_2', 'usr_1'],
    ] as const) {
      const { parked_reason, parked_detail } = await h.lane(t, userId);
      expect([parked_reason, parked_detail]).toEqual([
        'account_belongs_to_someone_else',
        expect.stringContaining(other),
      ]);
      expect(h.told.parked).toContainEqual(expect.objectContaining({ tenantId: t, userId }));
    }
    // What the detail says helps: an interim address for one of them, and then one after the other.
    await h.change(t, 'usr_1', 'active', { email: 'interim@example.com' });
    await until(async () => (await h.lane(t, 'usr_1'))['first_pending'] === null);
    await h.change(t, 'usr_2', 'active', { email: 'a@example.com', last_name: 'New' });
    await h.drained(t);
    await h.change(t, 'usr_1', 'active', { email: 'b@example.com' });
    await h.drained(t);
    const users = await h.platformUsers(t);
    expect(users.get('x-usr_1')).toMatchObject({ email: 'b@example.com' });
    expect(users.get('x-usr_2')).toMatchObject({ email: 'a@example.com' });
  });

  describe('refusals', () => {
    it('park one change with the platform’s own words; a newer change takes its place', async () => {
      const t = await h.tenant('refuse', {}, url);
      scripted.answer = (request, res) =>
        request.body.includes('usr_1') && request.body.includes('Bad') && json(res, 422, { detail: 'Bad is no name' });
      await h.change(t, 'usr_1', 'active', { last_name: 'Bad' });
      await h.change(t, 'usr_2', 'active');
      await until(async () => (await h.lane(t, 'usr_1'))['parked_reason'] !== null);
      expect(await h.lane(t, 'usr_1')).toMatchObject({
        parked_reason: 'refused',
        parked_detail: '{"detail":"Bad is no name"}',
      });
      await h.change(t, 'usr_1', 'active', { last_name: 'Good' });
      await h.drained(t);
      expect((await h.platformUsers(t)).size).toBe(2);
    });

    it('of five people alike pause the destination, and park no change', async () => {
      const t = await h.tenant('alike', {}, url);
      scripted.answer = (request, res) =>
        request.method === 'POST' && json(res, 422, { detail: 'unknown field external_id' });
      for (let n = 1; n <= 30; n++) await h.change(t, `usr_${n}`, 'active');
      await until(async () => (await h.destinations.read(platformOf(t)))?.stateReason === 'looks_misconfigured');
      await until(() => h.sandbox.inFlight === 0);
      await until(
        async () =>
          (await h.db.query(`select 1 from lanes where tenant_id = $1 and lease_token is not null`, [t])).rowCount ===
          0,
      );
      await until(async () => (await h.counts(t)).parked === 0);
      expect(await h.counts(t)).toMatchObject({ parked: 0, pending: 30 });
      expect(h.told.parked.filter((p) => p.tenantId === t).length).toBeLessThan(5);
      expect(h.told.paused).toContainEqual(expect.objectContaining({ tenantId: t, reason: 'looks_misconfigured' }));
      scripted.answer = () => false;
      await h.connect(t, { settings: { rate: null } });
      await h.drained(t);
      expect((await h.platformUsers(t)).size).toBe(30);
    });

    it('of some users among successes park these alone', async () => {
      const t = await h.tenant('some', {}, url);
      const bad = new Set([3, 6, 9, 12, 15, 18].map((n) => `usr_${n}@`));
      scripted.answer = (request, res) => [...bad].some((b) => request.body.includes(`"${b}`)) && json(res, 422, {});
      for (let n = 1; n <= 20; n++) {
        await h.change(t, `usr_${n}`, 'active');
        await until(async () => ['parked', 'idle'].includes((await h.lane(t, `usr_${n}`))['state']));
      }
      expect(await h.counts(t)).toMatchObject({ parked: 6, pending: 6 });
      expect((await h.destinations.read(platformOf(t)))?.state).toBe('ok');
    });

    it('of the key pause the destination at once, until there is a new key', async () => {
      const t = await h.tenant('key', {}, url);
      scripted.answer = (request, res) =>
        request.auth === `Bearer key-${t}` && json(res, 401, { code: 'unauthenticated' });
      for (let n = 1; n <= 20; n++) await h.change(t, `usr_${n}`, 'active');
      await until(async () => (await h.destinations.read(platformOf(t)))?.stateReason === 'credential_refused');
      const tried = scripted.seen.length;
      expect(tried).toBeLessThanOrEqual(3);
      await h.change(t, 'usr_1', 'active', { last_name: 'Later' });
      await h.connect(t, { key: 'another' });
      await h.drained(t);
      expect((await h.counts(t)).parked).toBe(0);
      expect(scripted.seen.slice(tried).every((r) => r.auth === 'Bearer another')).toBe(true);
    });

    it('of a redirect pause the destination, and no redirect is followed', async () => {
      const t = await h.tenant('redirect', {}, url);
      scripted.answer = (_, res) => {
        res.writeHead(301, { location: 'https://elsewhere.example/' }).end();
        return true;
      };
      await h.change(t, 'usr_1', 'active');
      await until(async () => (await h.destinations.read(platformOf(t)))?.stateReason === 'redirect');
      expect((await h.destinations.read(platformOf(t)))?.stateDetail).toBe('https://elsewhere.example/');
    });
  });

  it('parks as poison the one who fails eight times while others succeed, and no other', async () => {
    const t = await h.tenant('poison', {}, url);
    scripted.answer = (request, res) => request.body.includes('usr_bad') && json(res, 500, { detail: 'oops' });
    await h.change(t, 'usr_bad', 'active');
    let n = 0;
    await until(async () => {
      await h.change(t, `usr_${n++}`, 'active');
      return (await h.lane(t, 'usr_bad'))['parked_reason'] === 'poison';
    });
    expect(posts().filter((r) => r.body.includes('usr_bad')).length).toBeGreaterThanOrEqual(8);
    expect(
      new Set(
        posts()
          .filter((r) => r.body.includes('usr_bad'))
          .map((r) => r.key),
      ).size,
    ).toBe(1);
    await until(async () => (await h.counts(t)).pending === 1);
    // A deactivation takes its place; whether the create ever took effect is asked first.
    scripted.answer = () => false;
    scripted.seen.length = 0;
    await h.change(t, 'usr_bad', 'inactive');
    await h.drained(t);
    expect(scripted.seen.map((r) => r.method)).toEqual(['GET', 'GET']);
  });

  it('parks no change, and pauses the destination briefly at most, when each tenth call fails', async () => {
    const t = await h.tenant('tenth');
    h.sandbox.setFaults({ mode: '500', rate: 0.1 }, `key-${t}`);
    for (let n = 1; n <= 400; n++) await h.change(t, `usr_${n}`, 'active');
    await h.drained(t, 15_000);
    expect((await h.counts(t)).parked).toBe(0);
    expect((await h.platformUsers(t)).size).toBe(400);
  });

  it('delays no other tenant when one platform hangs', async () => {
    const slow = await h.tenant('hanging', { timeout_ms: 15_000 });
    const quick = await h.tenant('quick');
    h.sandbox.setFaults({ mode: 'hang' }, `key-${slow}`);
    for (let n = 1; n <= 100; n++) await h.change(slow, `usr_${n}`, 'active');
    await until(() => h.sandbox.inFlight > 0);
    for (let n = 1; n <= 50; n++) await h.change(quick, `usr_${n}`, 'active');
    await h.drained(quick);
    // All of them are through before the first call that hangs is given up.
    const { rows } = await h.db.query(`select 1 from attempts where tenant_id = $1`, [slow]);
    expect(rows).toEqual([]);
    h.sandbox.setFaults({ mode: 'none' }, `key-${slow}`);
  });

  it('keeps the changes of a tenant without a platform', async () => {
    await h.db.query(`insert into tenants (id, name) values ('ten_none', 'none')`);
    for (let n = 1; n <= 10; n++) await h.change('ten_none', `usr_${n}`, 'active');
    const other = await h.tenant('none-other');
    await h.change(other, 'usr_1', 'active');
    await h.drained(other);
    expect((await h.counts('ten_none')).pending).toBe(10);
    await h.tenant('none');
    await h.drained('ten_none');
    expect((await h.platformUsers('ten_none')).size).toBe(10);
  });

  it('keeps the rate that the tenant has set', async () => {
    const t = await h.tenant('rate', { rate: 50 });
    for (let n = 1; n <= 40; n++) await h.change(t, `usr_${n}`, 'active');
    await h.drained(t);
    const calls = await h.calls(t);
    const took = calls.at(-1)!['at'].getTime() - calls[0]!['at'].getTime();
    expect(took).toBeGreaterThan(600);
  });

  it('sends exactly the values of the user', async () => {
    const t = await h.tenant('exact', {}, url);
    const person = { first_name: 'Zoë "Z"', last_name: 'O’Brien\\', email: 'zoë@exämple.com', external_id: 'ä/b?c' };
    await h.change(t, 'usr_1', 'active', person);
    await h.drained(t);
    expect(JSON.parse(posts()[0]!.body)).toEqual(personOf('usr_1', person));
    await h.change(t, 'usr_1', 'active', { ...person, role: 'Admin' });
    await h.drained(t);
    expect((await h.platformUsers(t)).get('ä/b?c')).toMatchObject({ ...person, role: 'Admin' });
  });
});
