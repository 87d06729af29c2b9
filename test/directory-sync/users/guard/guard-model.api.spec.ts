import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, settleUsers, type House } from '../../../support/house.js';
import fc from '../../../support/properties.js';
import { rounds } from '../../../support/rounds.js';
import { fresh, madeUser, replace, user } from '../../../support/scim.js';

const GUARD = { percent: 20, people: 200, at_least: 3, within_minutes: 60, day_percent: 90 };
const USERS = 25;
const LIMIT = 5;
const STEPS = 120;

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** A user as a naive recount knows it. */
interface Known {
  id: string;
  name: string;
  state: 'in force' | 'out' | 'held';
  isDeleted: boolean;
}

/** Writes what an IdP may write, at random, and counts who left and who is held. */
class Model {
  readonly users: Known[] = [];
  /** Ids of those who left and are not back. */
  readonly departed = new Set<string>();

  constructor(readonly house: House) {}

  async hire(name = `${fresh()}@model.example`): Promise<void> {
    this.users.push({ id: await madeUser(this.house.scim, user(name)), name, state: 'in force', isDeleted: false });
  }

  /** Lets a user leave: the guard holds the one who is too many. */
  private leave(one: Known): void {
    if (one.state !== 'in force') return;
    const isHeld = this.departed.size >= LIMIT;
    one.state = isHeld ? 'held' : 'out';
    if (!isHeld) this.departed.add(one.id);
  }

  async deactivate(one: Known): Promise<void> {
    await this.house.scim.patch(`/Users/${one.id}`, replace('active', false));
    this.leave(one);
  }

  async activate(one: Known): Promise<void> {
    await this.house.scim.patch(`/Users/${one.id}`, replace('active', true));
    one.state = 'in force';
    this.departed.delete(one.id);
  }

  async remove(one: Known): Promise<void> {
    expect((await this.house.scim.delete(`/Users/${one.id}`)).status).toBe(204);
    this.leave(one);
    one.isDeleted = true;
  }

  /** Creates the name of a deleted user again: one whose deletion is held comes back, any other is a new user. */
  async rehire(one: Known): Promise<void> {
    if (one.state !== 'held') {
      this.users.splice(this.users.indexOf(one), 1);
      return this.hire(one.name);
    }
    expect(await madeUser(this.house.scim, user(one.name))).toBe(one.id);
    Object.assign(one, { state: 'in force', isDeleted: false });
  }

  async check(): Promise<void> {
    const { api, directoryId } = this.house;
    const { body } = await api.get(`/users?directory=${directoryId}&status=active&limit=200`);
    const found = body.data as { id: string; held: string | null }[];
    const inForce = this.users.filter(({ state }) => state !== 'out');
    expect(found.map(({ id }) => id).sort()).toEqual(inForce.map(({ id }) => id).sort());
    const held = found.filter(({ held: reason }) => reason === 'guard').map(({ id }) => id);
    expect(held.sort()).toEqual(this.users.flatMap(({ id, state }) => (state === 'held' ? [id] : [])).sort());
    const guard = (await api.get(`/directories/${directoryId}/guard`)).body;
    expect([guard.window.counted, guard.held]).toEqual([this.departed.size, held.length]);
  }
}

/** A history: whom each step is about, and what happens to that user. */
const HISTORY = fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(99)), { minLength: STEPS, maxLength: STEPS });

it.each(fc.sample(HISTORY, rounds(30)).map((history, i) => [i, history] as const))(
  'counts as a naive recount does over the random history %i of departures and returns',
  async (_, history) => {
    const model = new Model(await newHouse(service, { guard: GUARD }));
    for (let i = 0; i < USERS; i++) await model.hire();
    await settleUsers(service, model.house.tenantId);
    for (const [step, [whom, dice]] of history.entries()) {
      const one = model.users[whom % model.users.length]!;
      if (one.isDeleted) await model.rehire(one);
      else if (dice < 50) await model.deactivate(one);
      else if (dice < 75) await model.activate(one);
      else await model.remove(one);
      if (step % 10 === 9) await model.check();
    }
  },
);
