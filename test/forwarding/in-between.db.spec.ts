import { dismiss } from '../../src/engine/delivery/lanes/admin.js';
import { platformOf } from '../../src/forwarding/connections.js';
import type { Person } from '../../src/tenancy/identity/person.js';
import { long } from '../support/rounds.js';
import { Harness, until } from './harness.js';
import { Scripted } from './scripted.js';

type Request = Scripted['seen'][number];

// What was asked and what was said may be overtaken by what happens in between, and what was never answered may have
// happened.
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

/** A tenant with people who are there; each call that went well allows one more at a time. */
async function people(name: string, ...there: Partial<Person>[]): Promise<string> {
  const t = await h.tenant(name, { timeout_ms: 10_000 }, url);
  for (let n = 0; n < 4; n++) await h.change(t, `usr_other${n}`, 'active');
  await h.drained(t);
  for (const [i, person] of there.entries()) await h.change(t, `usr_${i + 1}`, 'active', person);
  await h.drained(t);
  return t;
}

const isDone = async (t: string, userId: string): Promise<boolean> =>
  (await h.lane(t, userId))['first_pending'] === null;

/**
 * A write waits until a question was asked, and is through before the answer to the question arrives. Out: resolves as
 * soon as the write is on its way.
 */
function overtake(t: string, userId: string, write: string, isQuestion: (request: Request) => boolean): Promise<void> {
  let [asked, begun] = [(): void => undefined, (): void => undefined];
  const question = new Promise<void>((resolve) => (asked = resolve));
  const onItsWay = new Promise<void>((resolve) => (begun = resolve));
  let first = true;
  scripted.answer = (request, res) => {
    if (request.method === write && request.key?.includes(`${userId}_`)) {
      begun();
      void question.then(() => scripted.pass(request, res)).then(({ send }) => send());
      return true;
    }
    if (!first || !isQuestion(request)) return false;
    first = false;
    void scripted.pass(request, res).then(async ({ send }) => {
      asked();
      await until(() => isDone(t, userId));
      send();
    });
    return true;
  };
  return onItsWay;
}

describe('an account that was in the way when it was read, and not any more when its user was looked up', () => {
  const isRead = ({ method, url }: Request): boolean => method === 'GET' && !url.includes('resolve');

  long('is removed in between: the hired user has an account of their own', async () => {
    const t = await people('left', { email: 'a@e.com', external_id: 'x' });
    const removal = overtake(t, 'usr_1', 'DELETE', isRead);
    await h.change(t, 'usr_1', 'deleted', { email: 'a@e.com', external_id: 'x' });
    await removal;
    await h.change(t, 'usr_2', 'active', { email: 'a@e.com', external_id: 'y' });
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    const users = await h.platformUsers(t);
    expect([users.get('x'), users.get('y')]).toMatchObject([undefined, { email: 'a@e.com', status: 'active' }]);
  });

  long('has another address by then: the user who gets the address has an account', async () => {
    const t = await people('renamed', { email: 'a@e.com' }, { email: 'b@e.com' });
    const rename = overtake(t, 'usr_1', 'PATCH', isRead);
    await h.change(t, 'usr_1', 'active', { email: 'c@e.com' });
    await rename;
    await h.change(t, 'usr_2', 'active', { email: 'a@e.com' });
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    const users = await h.platformUsers(t);
    expect([users.get('x-usr_1'), users.get('x-usr_2')]).toMatchObject([{ email: 'c@e.com' }, { email: 'a@e.com' }]);
  });

  long('has another external_id by then: the user hired under the old one has an account', async () => {
    const t = await people('rekeyed', { email: 'a@e.com', external_id: 'x' });
    const change = overtake(t, 'usr_1', 'PATCH', ({ url }) => url.includes('resolve'));
    await h.change(t, 'usr_1', 'active', { email: 'a@e.com', external_id: 'z' });
    await change;
    await h.change(t, 'usr_2', 'active', { email: 'b@e.com', external_id: 'x' });
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    const users = await h.platformUsers(t);
    expect([users.get('x'), users.get('z')]).toMatchObject([{ email: 'b@e.com' }, { email: 'a@e.com' }]);
  });

  it('is in the way of an earlier change only: the user with another address by then has an account', async () => {
    const t = await people('other-address', { email: 'a@e.com' });
    const posts = (): number => scripted.seen.filter(({ method }) => method === 'POST').length;
    const before = posts();
    let renamed = (): void => undefined;
    const rename = new Promise<void>((resolve) => (renamed = resolve));
    scripted.answer = (request, res) => {
      if (request.method !== 'POST') return false;
      void scripted.pass(request, res).then(async ({ send }) => {
        await rename;
        send();
      });
      return true;
    };
    await h.change(t, 'usr_2', 'active', { email: 'a@e.com' });
    await until(() => Promise.resolve(posts() > before));
    await h.change(t, 'usr_2', 'active', { email: 'b@e.com' });
    renamed();
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    const users = await h.platformUsers(t);
    expect([users.get('x-usr_1'), users.get('x-usr_2')]).toMatchObject([{ email: 'a@e.com' }, { email: 'b@e.com' }]);
  });

  long('is of a user who has left since: the platform decides whether it still is in the way', async () => {
    const t = await people('rests', { email: 'a@e.com', external_id: null });
    const isRename = ({ method, body }: Request): boolean => method === 'PATCH' && body.includes('b@e.com');
    let away = true;
    scripted.answer = (request, res) => {
      if (!away || !isRename(request)) return false;
      res.writeHead(500).end();
      return true;
    };
    await h.change(t, 'usr_1', 'active', { email: 'b@e.com', external_id: null });
    await until(() => Promise.resolve(scripted.seen.some(isRename)));
    await h.change(t, 'usr_2', 'active', { email: 'a@e.com', external_id: null });
    await until(async () => ((await h.lane(t, 'usr_2'))['lookup']?.waited ?? 0) > 0);
    // The rename is refused permanently, and what takes its place leaves the address as it is.
    scripted.answer = (request, res) => {
      if (!isRename(request)) return false;
      away = false;
      res.writeHead(422).end('{}');
      return true;
    };
    await h.change(t, 'usr_1', 'inactive', { email: 'b@e.com', external_id: null });
    await h.drained(t);
    expect(away).toBe(false);
    expect(await h.parked(t)).toEqual([]);
    const { data } = (await h.platform(t, 'GET', '/v1/users?email=a@e.com')).body;
    expect(data).toHaveLength(2);
    expect(data).toContainEqual(expect.objectContaining({ id: (await h.lane(t, 'usr_2'))['platform_id'] }));
  });

  long('does not keep a leaver whose earlier change it blocked', async () => {
    const mine = { email: 'a@e.com', external_id: null };
    const t = await people('came-back', mine);
    await h.change(t, 'usr_1', 'inactive', mine);
    await h.drained(t);
    let away = true;
    const isBack = ({ method, body }: Request): boolean => method === 'PATCH' && body.includes('"active"');
    scripted.answer = (request, res) => {
      if (!away || !isBack(request)) return false;
      res.writeHead(500).end();
      return true;
    };
    await h.change(t, 'usr_1', 'active', mine);
    await until(() => Promise.resolve(scripted.seen.some(isBack)));
    await h.change(t, 'usr_1', 'deleted', mine);
    await h.change(t, 'usr_2', 'active', mine);
    await until(() => isDone(t, 'usr_2'));
    away = false;
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    const { data } = (await h.platform(t, 'GET', '/v1/users?email=a@e.com')).body;
    expect(data).toMatchObject([{ status: 'active', id: (await h.lane(t, 'usr_2'))['platform_id'] }]);
  });
});

long('the failures of a user who waits for another user do not add up', async () => {
  const t = await people('patient', { email: 'a@e.com' });
  let [questions, removed] = [0, (): void => undefined];
  const removal = new Promise<void>((resolve) => (removed = resolve));
  scripted.answer = (request, res) => {
    if (request.method === 'DELETE') {
      void removal.then(() => scripted.pass(request, res)).then(({ send }) => send());
      return true;
    }
    // A question or two are answered, and then five are not.
    if (request.method !== 'GET' || ++questions % 7 < 2) return false;
    res.writeHead(500).end();
    return true;
  };
  await h.change(t, 'usr_1', 'deleted', { email: 'a@e.com' });
  await until(() => Promise.resolve(scripted.seen.some(({ method }) => method === 'DELETE')));
  await h.change(t, 'usr_2', 'active', { email: 'a@e.com' });
  let n = 0;
  await until(async () => (await h.change(t, `usr_new${n++}`, 'active'), questions > 21));
  removed();
  scripted.answer = () => false;
  await h.drained(t);
  expect(await h.parked(t)).toEqual([]);
  expect((await h.platformUsers(t)).get('x-usr_2')).toMatchObject({ email: 'a@e.com' });
});

describe('a change that took effect and was never answered', () => {
  /** An inactive user is made active, which takes effect and is never answered, while all is well with others. */
  async function comesBackUnheard(name: string): Promise<{ t: string; othersGoOn: () => Promise<void> }> {
    const t = await people(name, {});
    await h.change(t, 'usr_1', 'inactive');
    await h.drained(t);
    scripted.answer = (request, res) => {
      if (request.method !== 'PATCH' || !request.body.includes('"active"')) return false;
      void scripted.pass(request, res).then(() => res.destroy());
      return true;
    };
    await h.change(t, 'usr_1', 'active');
    await until(async () => (await h.platformUsers(t)).get('x-usr_1')!['status'] === 'active');
    let n = 0;
    return { t, othersGoOn: () => h.change(t, `usr_new${n++}`, 'active') };
  }

  const leaves = async (t: string): Promise<void> => {
    await h.drained(t);
    expect(await h.parked(t)).toEqual([]);
    expect((await h.platformUsers(t)).get('x-usr_1')).toMatchObject({ status: 'inactive' });
  };

  long('is not treated as undone when a newer one takes its place in the end', async () => {
    const { t, othersGoOn } = await comesBackUnheard('outdone');
    await h.change(t, 'usr_1', 'inactive');
    await until(async () => (await othersGoOn(), isDone(t, 'usr_1')));
    await leaves(t);
  });

  long('is not treated as undone when it is parked and a newer one takes its place', async () => {
    const { t, othersGoOn } = await comesBackUnheard('parked');
    await until(async () => (await othersGoOn(), (await h.lane(t, 'usr_1'))['parked_reason'] === 'poison'));
    await h.change(t, 'usr_1', 'inactive');
    await leaves(t);
  });

  long('is not treated as undone when its repetition is refused', async () => {
    const { t } = await comesBackUnheard('refused-later');
    scripted.answer = (request, res) => {
      if (request.method !== 'PATCH' || !request.body.includes('"active"')) return false;
      res.writeHead(422).end('{}');
      return true;
    };
    await until(async () => (await h.lane(t, 'usr_1'))['parked_reason'] === 'refused');
    await h.change(t, 'usr_1', 'inactive');
    await leaves(t);
  });

  long('is not treated as undone when it is parked and dismissed', async () => {
    const { t, othersGoOn } = await comesBackUnheard('dismissed');
    await until(async () => (await othersGoOn(), (await h.lane(t, 'usr_1'))['parked_reason'] === 'poison'));
    await h.db.transaction(t, (tx) => dismiss(tx, platformOf(t), 'usr_1'));
    await h.change(t, 'usr_1', 'inactive');
    await leaves(t);
  });
});
