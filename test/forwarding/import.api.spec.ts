import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh, madeUser, mail, user } from '../support/scim.js';
import { patience } from '../support/speed.js';

/** How many accounts the large list has; a full run sets 20000. */
const LARGE = Number(process.env['IMPORT_ACCOUNTS'] ?? 300);
const LIMIT_MS = patience(60_000 + LARGE * 100);

interface Account {
  id?: string;
  email?: string;
  first_name?: string;
  external_id?: string | null;
  status?: string;
}

/** A platform that has a list of accounts and takes nothing. */
class ListingPlatform {
  accounts: Account[] = [];
  /** Runs before each reading of the list, counted from 1. */
  onReading: (n: number) => void = () => undefined;
  private readings = 0;
  readonly others: string[] = [];
  private readonly server = http.createServer((req, res) => {
    const url = new URL(req.url!, 'http://x');
    if (req.method !== 'GET') this.others.push(`${req.method} ${req.url}`);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    if (from === 0) this.onReading((this.readings += 1));
    const to = from + Number(url.searchParams.get('limit') ?? 50);
    const next_cursor = to < this.accounts.length ? String(to) : null;
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ data: this.accounts.slice(from, to), next_cursor }));
  });
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  start = () => new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  stop = async () => {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  };
}

let service: TestApp;
let platform: ListingPlatform;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  platform = new ListingPlatform();
  await platform.start();
});
beforeEach(async () => {
  at = await newHouse(service);
  await at.api.put('/platform', { base_url: platform.url, api_key: `key-${at.tenantId}` });
  // What SCIM brings in waits: the list alone is asked for.
  await at.api.post('/platform/pause', {});
});
afterAll(async () => {
  await platform.stop();
  await service.close();
});

/** Runs an import to its end and answers the task. */
const imported = async (accounts: Account[]) => {
  platform.accounts = accounts;
  const { body: job } = await at.api.post('/platform/import');
  const { body } = await eventually(
    () => at.api.get(`/tasks/${job.id}`),
    (answer) => ['done', 'failed'].includes(answer.body.state),
    LIMIT_MS,
  );
  expect(body).toMatchObject({ state: 'done', error: null, total: body.done });
  return body as { id: string; done: number; result: Record<string, number> };
};
const leftOut = async (id: string) => {
  const all: { id: string; reason: string; detail: string; item: Account }[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: { data: typeof all; next_cursor: string | null } } = await at.api.get(
      `/tasks/${id}/left-out?limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    all.push(...body.data);
    cursor = body.next_cursor;
  }
  return all;
};
const account = (id: string, email: string, more: Account = {}): Account => ({
  id,
  email,
  first_name: 'P',
  external_id: null,
  status: 'active',
  ...more,
});
const boundTo = async (platformId: string) =>
  (
    await service.db.query<{ user_id: string }>(
      `select subject as user_id from lanes where tenant_id = $1 and platform_id = $2`,
      [at.tenantId, platformId],
    )
  ).rows.map((row) => row.user_id);

long('takes the active one of two accounts with one e-mail, in each order, and lists the other', async () => {
  const [one, two, three] = [mail(), mail(), mail()];
  const task = await imported([
    account('a-old', one, { status: 'inactive' }),
    account('a-new', one.toUpperCase()),
    account('b-new', two),
    account('b-old', two, { status: 'inactive' }),
    account('c-1', three, { external_id: 'C1' }),
    account('c-2', three, { external_id: 'C2' }),
  ]);
  expect(task).toMatchObject({ done: 6, result: { created: 3, known: 0, left_out: 3 } });
  const left = await leftOut(task.id);
  expect(left.map(({ id, reason }) => [id, reason])).toEqual([
    ['a-old', 'email_of_another_user'],
    ['b-old', 'email_of_another_user'],
    ['c-2', 'another_external_id'],
  ]);
  const { data } = (await at.api.get('/users?limit=200')).body as { data: { id: string; status: string }[] };
  expect(data.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  expect(left[0]).toMatchObject({
    item: { id: 'a-old', email: one, external_id: null, status: 'inactive' },
    detail: `The user ${(await boundTo('a-new'))[0]} has this e-mail.`,
  });
  expect(await boundTo('a-old')).toEqual([]);
});

long('never gives a leaver’s record to a newcomer’s account, nor a user’s to an account of another', async () => {
  const [gone, known, keyed, owned] = [mail(), mail(), mail(), mail()];
  const leaver = (await at.api.post('/users', { email: gone, first_name: 'L', last_name: '', status: 'inactive' }))
    .body;
  const matched = await madeUser(at.scim, user(known, { externalId: 'OKTA-1' }));
  const other = await madeUser(at.scim, user(keyed, { externalId: 'OKTA-2' }));
  const byKey = await madeUser(at.scim, user(mail(), { externalId: 'OKTA-3' }));
  const task = await imported([
    account('newcomer', gone),
    account('matched', known),
    account('matched-again', known, { status: 'active', external_id: 'OKTA-1' }),
    account('stranger', keyed, { external_id: 'HR-9' }),
    account('by-key', mail(), { external_id: 'OKTA-3', status: 'inactive' }),
    account('leaver', owned, { status: 'inactive' }),
    account('nameless', '', {}),
    { ...account('x', mail()), id: '' },
  ]);
  expect(task.result).toEqual({ created: 2, known: 2, left_out: 4 });
  expect((await leftOut(task.id)).map(({ id, reason }) => [id, reason])).toEqual([
    ['matched-again', 'user_has_another_account'],
    ['nameless', 'nameless'],
    ['page , entry 8', 'unreadable'],
    ['stranger', 'another_external_id'],
  ]);
  const [newcomer] = await boundTo('newcomer');
  expect(newcomer).not.toBe(leaver.id);
  expect((await at.api.get(`/users/${newcomer}`)).body).toMatchObject({ email: gone, status: 'active' });
  expect((await at.scim.get(`/Users/${newcomer}`)).body.userName).toBe(gone);
  expect((await at.api.get(`/users/${leaver.id}`)).body).toMatchObject({ email: gone, status: 'inactive' });
  expect(await boundTo('matched')).toEqual([matched]);
  expect(await boundTo('by-key')).toEqual([byKey]);
  expect(await boundTo('stranger')).toEqual([]);
  expect((await at.api.get(`/users/${other}`)).body).toMatchObject({ email: keyed, external_id: 'OKTA-2' });
  expect((await at.api.get(`/users/${(await boundTo('leaver'))[0]}`)).body.status).toBe('inactive');
});

long(
  'counts every account when e-mails are doubled, and finds the users of the first import at a second one',
  async () => {
    const accounts: Account[] = [];
    const doubled = new Set<string>();
    for (let n = 0; n < LARGE; n++) {
      if (n % 50 !== 49) accounts.push(account(`p${n}`, `p${n}@x.example`));
      else {
        // The e-mail of the one before, the doubled account once before and once after it in the list.
        const double = account(`p${n}`, `p${n - 1}@x.example`, { status: n % 100 === 49 ? 'inactive' : 'active' });
        if (double.status === 'inactive') accounts.splice(-1, 0, { ...double, external_id: `e${n}` });
        else accounts.push({ ...double, external_id: `e${n}` });
        doubled.add(`p${n}`);
      }
    }
    const task = await imported(accounts);
    expect(task).toMatchObject({
      done: LARGE,
      result: { created: LARGE - doubled.size, known: 0, left_out: doubled.size },
    });
    const left = await leftOut(task.id);
    expect(new Set(left.map(({ id }) => id))).toEqual(doubled);
    expect(left.every(({ detail }) => /usr_/.test(detail))).toBe(true);
    expect((await at.api.get('/seats')).body.used).toBe(LARGE - doubled.size);
    const again = await imported(accounts);
    expect(again).toMatchObject({
      done: LARGE,
      result: { created: 0, known: LARGE - doubled.size, left_out: doubled.size },
    });
    expect(platform.others).toEqual([]);
  },
  2 * LIMIT_MS,
);

long('answers 404 for a task of another tenant', async () => {
  const task = await imported([account('a', mail())]);
  const other = await newHouse(service);
  for (const path of [`/tasks/${task.id}`, `/tasks/${task.id}/left-out`]) {
    expect((await other.api.get(path)).status).toBe(404);
  }
  expect((await other.api.get('/tasks')).body).toEqual({ data: [], next_cursor: null });
  expect((await at.api.get('/tasks')).body.data).toMatchObject([
    { id: task.id, kind: 'platform.import', state: 'done' },
  ]);
});

long('takes an account once when its state changes between the two readings of the list', async () => {
  const [comes, goes] = [fresh('comes'), fresh('goes')];
  const account = (id: string, status: string): Account => ({ id, email: `${id}@x.example`, first_name: 'F', status });
  const accounts = [account(comes, 'inactive'), account(goes, 'active'), account(fresh('stays'), 'active')];
  const readings: number[] = [];
  platform.onReading = (n) => {
    readings.push(n);
    if (readings.length === 2) platform.accounts = [account(comes, 'active'), account(goes, 'inactive'), accounts[2]!];
  };
  try {
    expect((await imported(accounts)).result).toEqual({ created: 3, known: 0, left_out: 0 });
  } finally {
    platform.onReading = () => undefined;
  }
  const users = (await at.api.get('/users?limit=200')).body.data as { email: string; status: string }[];
  expect(users.map(({ email, status }) => [email, status])).toEqual(
    expect.arrayContaining([
      [`${comes}@x.example`, 'active'],
      [`${goes}@x.example`, 'active'],
    ]),
  );
});
