import { Database } from '../../src/base/database/database.js';
import { DestinationsRepository } from '../../src/engine/delivery/destinations/destinations.repository.js';
import { claim } from '../../src/engine/delivery/lanes/claim.js';
import { creating } from '../../src/forwarding/accounts.js';
import { NamedUsers, platformOf } from '../../src/forwarding/connections.js';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh, madeUser, user } from '../support/scim.js';
import { Scripted } from './scripted.js';

// A user who left and is hired again under the same names: the leaver's look at the platform may find the account that
// is just being created for their successor, and must not take it for their own.
let service: TestApp;
let sandbox: SandboxPlatform;
beforeAll(async () => {
  service = await startApp({ ROLE: 'all' });
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
});
afterAll(async () => {
  await sandbox.stop();
  await service.close();
});

long('a user who is being created under the same names counts until the outcome is known', async () => {
  const quiet = await startApp({ ROLE: 'api' });
  const house = await newHouse(quiet);
  const set = await house.api.put('/platform', { base_url: 'http://127.0.0.1:9', api_key: 'key' });
  expect(set.status).toBeLessThan(300);
  const [name, key] = [`${fresh('Again')}@e.com`, fresh('key')];
  const id = await madeUser(house.scim, user(name, { externalId: key, emails: [{ value: name, primary: true }] }));
  const db = quiet.app.nest.get(Database);
  const destination = (await quiet.app.nest.get(DestinationsRepository).read(platformOf(house.tenantId)))!;
  const policy = { active: 'inactive', inactive: 'inactive', deleted: 'delete' };
  const [claimed] = await claim(db, destination, { limit: 1, leaseMs: 600_000, mode: 'normal', policy });
  expect(claimed?.subject).toBe(id);
  const users = quiet.app.nest.get(NamedUsers);
  const asked = (external_id: string | null, email: string | null, by = 'usr_leaver') =>
    creating(db, destination, { external_id, email }, by, users);
  const found = { subject: id, target_state: 'active', pending: true };
  expect(await asked(key, null)).toMatchObject(found);
  expect(await asked(null, name)).toMatchObject(found);
  expect(await asked(null, name.toUpperCase())).toMatchObject(found);
  expect([await asked('another', 'other@e.com'), await asked(key, name, id)]).toEqual([null, null]);
  // Once the account is known, it is found by its binding.
  await quiet.db.execute(`update lanes set platform_id = 'hp_1', account = 'bound' where subject = '${id}'`);
  expect(await asked(key, name)).toBeNull();
  const idle = `platform_id = null, state = 'due', call = null, lease_token = null, next_at = '-infinity'`;
  await quiet.db.execute(`update lanes set ${idle}, account = 'none' where subject = '${id}'`);
  expect(await asked(key, name)).toBeNull();
  // The same where an account may exist under an unknown id.
  for (const account of ['lost', 'unnamed']) {
    await quiet.db.execute(`update lanes set account = '${account}' where subject = '${id}'`);
    expect(await asked(key, name)).toMatchObject(found);
  }
  await quiet.close();
});

class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** A call of the platform's API as it comes in. */
interface Call {
  /** Whom it is about, by the order of their first calls, and what it asks: `1 POST`; `GET` of any user. */
  name: string;
  /** The how manieth of that name it is. */
  time: number;
  /** Lets it take effect. Out: the status, and what sends the answer on its way. */
  pass: () => Promise<{ status: number; send: () => void }>;
}

/** One person who leaves and comes back, on a platform that does as the script says. */
class Rehiring {
  private readonly platform = new Scripted(sandbox.url);
  private readonly heardOf: string[] = [];
  private readonly counts = new Map<string, number>();
  readonly ids: string[] = [];
  private constructor(
    private readonly house: House,
    private readonly name: string,
    private readonly key: string,
  ) {}

  static async start(script: (call: Call) => unknown): Promise<Rehiring> {
    const name = `${fresh('again')}@e.com`;
    const rehiring = new Rehiring(await newHouse(service), name, `key-${name}`);
    await rehiring.warmUp();
    rehiring.follow(script);
    return rehiring;
  }

  async hire(): Promise<void> {
    this.ids.push(await madeUser(this.house.scim, user(this.name, { externalId: this.name })));
  }

  /** Hired, and gone again as soon as a call about them is on its way. */
  async comesAndGoes(): Promise<void> {
    await this.hire();
    await this.saw(`${this.ids.length - 1} POST`);
    expect((await this.house.scim.delete(`/Users/${this.ids.at(-1)}`)).status).toBe(204);
  }

  /** The platform has had an account of these names since before our time. */
  async isThere(): Promise<void> {
    const { status } = await fetch(`${sandbox.url}/v1/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ email: this.name, first_name: 'A', last_name: 'B', external_id: this.name }),
    });
    expect(status).toBe(201);
  }

  /** Waits until a number of calls of a name came in. */
  async saw(name: string, times = 1): Promise<void> {
    const count = (): Promise<number> => Promise.resolve(this.counts.get(name) ?? 0);
    await eventually(count, (seen) => seen >= times, 20_000);
  }

  /** Waits until a user is known to wait for another user. */
  async waits(who: number): Promise<void> {
    const asked = `select 1 from attempts where subject = '${this.ids[who]}' and detail like 'waits for %'`;
    await eventually(() => service.db.execute(asked), ({ rowCount }) => rowCount! > 0, 20_000); // prettier-ignore
  }

  /** In the end the last one has an account and the others have none. */
  async ends(): Promise<void> {
    await eventually(() => this.house.api.get('/platform'), ({ body }) => body.waiting === 0, 40_000); // prettier-ignore
    const there = await fetch(`${sandbox.url}/v1/users?email=${this.name}`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    const { data } = (await there.json()) as { data: { id: string; status: string }[] };
    const lanes = await service.db.execute(
      `select subject, platform_id, parked_reason from lanes where subject in ('${this.ids.join(`', '`)}') order by subject`,
    );
    this.platform.stop();
    expect(data).toEqual([expect.objectContaining({ status: 'active' })]);
    const last = this.ids.length - 1;
    expect(lanes.rows).toEqual(
      this.ids.map((subject, i) => ({ subject, platform_id: i === last ? data[0]!.id : null, parked_reason: null })),
    );
  }

  /** Each call that went well allows one more at a time. */
  private async warmUp(): Promise<void> {
    const settings = { base_url: await this.platform.start(), api_key: this.key, timeout_ms: 30_000 };
    expect((await this.house.api.put('/platform', settings)).status).toBeLessThan(300);
    for (let i = 0; i < 4; i++) await madeUser(this.house.scim);
    await eventually(() => this.house.api.get('/platform'), ({ body }) => body.waiting === 0); // prettier-ignore
  }

  private follow(script: (call: Call) => unknown): void {
    this.platform.answer = (request, res) => {
      const who = /usr_\w+?(?=_)/.exec(request.key ?? '')?.[0];
      if (who !== undefined && !this.heardOf.includes(who)) this.heardOf.push(who);
      const name = who === undefined ? request.method : `${this.heardOf.indexOf(who)} ${request.method}`;
      const time = (this.counts.get(name) ?? 0) + 1;
      this.counts.set(name, time);
      void script({ name, time, pass: () => this.platform.pass(request, res) });
      return true;
    };
  }
}

long('a leaver waits for an account that is being created, takes nothing of it, and both are delivered', async () => {
  const [created, looked] = [new Gate(), new Gate()];
  const story = await Rehiring.start(async ({ name, pass }) => {
    if (name === '0 POST') await created.opened;
    const { send } = await pass();
    if (name === '1 POST') {
      created.open();
      await looked.opened;
    }
    send();
  });
  await story.comesAndGoes();
  await story.hire();
  await story.waits(0);
  looked.open();
  await story.ends();
});

long('a leaver takes nothing of an account that is created after another one of that name is gone', async () => {
  const [conflicted, created, looked] = [new Gate(), new Gate(), new Gate()];
  const story = await Rehiring.start(async ({ name, pass }) => {
    if (name === '0 POST') await created.opened;
    if (name === '1 DELETE') await conflicted.opened;
    const { status, send } = await pass();
    if (name === '2 POST' && status === 409) conflicted.open();
    if (name === '2 POST' && status === 201) {
      created.open();
      await looked.opened;
    }
    send();
  });
  await story.comesAndGoes();
  await story.comesAndGoes();
  await story.hire();
  await story.waits(0);
  looked.open();
  await story.ends();
});

long('at most one of two users writes to an account that both find at the same moment', async () => {
  const [left, both, written] = [new Gate(), new Gate(), new Gate()];
  const story = await Rehiring.start(async ({ name, time, pass }) => {
    if (name === '0 POST') await left.opened;
    // Without care the leaver's call comes last.
    if (name === 'GET' && time > 2) written.open();
    if (name === '0 DELETE') await written.opened;
    const { send } = await pass();
    if (name === 'GET' && time === 2) both.open();
    if (name === 'GET') await both.opened;
    if (name === '1 PATCH') written.open();
    send();
  });
  await story.isThere();
  await story.comesAndGoes();
  await story.hire();
  await story.saw('1 POST');
  left.open();
  await story.ends();
});
