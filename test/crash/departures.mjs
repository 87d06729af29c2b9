import { setTimeout as sleep } from 'node:timers/promises';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const USERS = 40;
/** A fifth of the users. */
const LIMIT = 8;
/** A task of a killed process is taken over when its lease has run out. */
const PATIENCE_MS = 180_000;
const GUARD = { percent: 20, people: 200, at_least: 8, within_minutes: 60, day_percent: 50 };

/** The ways by which a directory takes users out of force. */
export const WAYS = ['DELETE', 'PATCH', 'PUT', 'Bulk', 'emptied group', 'deleted group', 'changed rule'];
/** What an admin does about the held departures. */
export const ACTS = ['release', 'discard', 'undo'];

const patch = (...operations) => ({ schemas: [PATCH_OP], Operations: operations });

/** One directory whose users leave all, as a round of the test says: by which way, how many at once. */
export class Departures {
  constructor({ number, way, atOnce, kills, act }, services, apiKey) {
    this.name = `round-${number}`;
    Object.assign(this, { way, atOnce, kills, actName: act, services, apiKey, turn: number });
    this.byGroup = way.includes('group') || way.includes('rule');
  }

  /** Repeats a request through the other process until it has an answer: the effect of a killed one is unknown. */
  async call(method, path, credential, body) {
    for (let tries = 0; ; tries++) {
      const { PORT } = this.services[this.turn++ % this.services.length].env;
      try {
        const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
          method,
          headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(20_000),
        });
        const text = await response.text();
        if (response.status === 503 && tries < 200) continue;
        return { status: response.status, body: text === '' ? null : JSON.parse(text) };
      } catch (error) {
        if (tries > 500) throw error;
        await sleep(20);
      }
    }
  }

  api(method, path, body) {
    return this.call(method, `/api/v1${path}`, this.apiKey, body);
  }

  async demand(expected, method, path, body) {
    const answer = await this.api(method, path, body);
    if (answer.status !== expected)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  scim(method, path, body) {
    return this.call(method, `/scim/v2${path}`, this.token, body);
  }

  resource(i, active = true) {
    return {
      schemas: [USER],
      userName: `${this.name}-${i}@guard.example`,
      externalId: `${this.name}-${i}`,
      name: { givenName: 'Guard', familyName: String(i) },
      emails: [{ value: `${this.name}-${i}@guard.example`, type: 'work', primary: true }],
      active,
    };
  }

  async prepare() {
    const roles = this.byGroup ? { default_role: null } : {};
    const made = await this.demand(201, 'POST', '/directories', { name: this.name, guard: GUARD, ...roles });
    this.id = made.id;
    this.token = made.scim_token;
    const users = Array.from({ length: USERS }, (_, i) => i);
    const { body } = await this.scim('POST', '/Bulk', {
      schemas: [BULK],
      Operations: users.map((i) => ({ method: 'POST', path: '/Users', bulkId: `u${i}`, data: this.resource(i) })),
    });
    this.ids = body.Operations.map(({ location }) => location.split('/').at(-1));
    if (this.byGroup) await this.ruled();
  }

  /** Gives all users their role by a rule for a group. */
  async ruled() {
    const members = this.ids.map((value) => ({ value }));
    const group = await this.scim('POST', '/Groups', { schemas: [GROUP], displayName: this.name, members });
    this.groupId = group.body.id;
    await this.demand(200, 'PUT', `/directories/${this.id}/rules`, {
      rules: [{ group_id: this.groupId, role: 'User' }],
    });
    await this.settled(({ out }) => out === 0);
  }

  /** Makes all users leave. */
  async leave() {
    if (this.way === 'Bulk') {
      const operations = this.ids.map((id) => ({ method: 'DELETE', path: `/Users/${id}` }));
      return this.scim('POST', '/Bulk', { schemas: [BULK], Operations: operations });
    }
    if (this.way === 'emptied group') {
      return this.scim('PATCH', `/Groups/${this.groupId}`, patch({ op: 'replace', path: 'members', value: [] }));
    }
    if (this.way === 'deleted group') return this.scim('DELETE', `/Groups/${this.groupId}`);
    if (this.way === 'changed rule') return this.api('PUT', `/directories/${this.id}/rules`, { rules: [] });
    for (let from = 0; from < USERS; from += this.atOnce) {
      await Promise.all(this.ids.slice(from, from + this.atOnce).map((id, i) => this.leaves(id, from + i)));
    }
  }

  leaves(id, i) {
    if (this.way === 'DELETE') return this.scim('DELETE', `/Users/${id}`);
    if (this.way === 'PUT') return this.scim('PUT', `/Users/${id}`, this.resource(i, false));
    return this.scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  }

  /** Who is in force, and who of them is held by the guard: two sets of ids. */
  async state() {
    const { data } = await this.demand(200, 'GET', `/users?directory=${this.id}&limit=200`);
    const active = data.filter(({ status }) => status === 'active');
    const held = active.filter((user) => user.held === 'guard').map(({ id }) => id);
    return { active: active.map(({ id }) => id), held, out: USERS - active.length };
  }

  async settled(isSettled) {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const state = await this.state();
      if (isSettled(state) || Date.now() > deadline) return state;
      await sleep(50);
    }
  }

  /** Returns what is wrong after all have left. */
  async problems() {
    const { out, held, active } = await this.settled((state) => state.out + state.held.length === USERS);
    const problems = [];
    if (out !== LIMIT) problems.push(`${out} of ${USERS} are out, the limit is ${LIMIT}`);
    if (held.length !== USERS - LIMIT) problems.push(`${held.length} are held`);
    const seen = await Promise.all(this.ids.map((id) => this.scim('GET', `/Users/${id}`)));
    const asWritten = seen.filter(({ status, body }) => this.isAsWritten(status, body)).length;
    if (asWritten !== USERS) problems.push(`${asWritten} of ${USERS} users read back as written`);
    if (this.isDeletion) {
      const filter = encodeURIComponent(`userName sw "${this.name}-"`);
      const { body } = await this.scim('GET', `/Users?filter=${filter}`);
      if (body.totalResults !== 0) problems.push(`${body.totalResults} names of deleted users are not free`);
    }
    this.expected = this.ids.map((id, i) => {
      const isActive = active.includes(id);
      return { id, key: `${this.name}-${i}`, left: !isActive, active: isActive, held: held.includes(id) };
    });
    return problems;
  }

  /** Removes the directory: a tenant has a limit of them. Its users stay as they are in force. */
  remove() {
    return this.demand(204, 'DELETE', `/directories/${this.id}?force=true`);
  }

  get isDeletion() {
    return this.way === 'DELETE' || this.way === 'Bulk';
  }

  isAsWritten(status, body) {
    if (this.isDeletion) return status === 404;
    return status === 200 && body.active === this.byGroup;
  }

  /** Lets an admin decide, and returns what is wrong then. */
  async act() {
    const task = await this.demand(202, 'POST', `/directories/${this.id}/guard/${this.actName}`, {});
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const { state } = await this.demand(200, 'GET', `/tasks/${task.id}`);
      if (state === 'done') break;
      if (state === 'failed' || Date.now() > deadline) return [`the task of ${this.actName} is ${state}`];
      await sleep(50);
    }
    for (const user of this.expected) {
      if (this.actName === 'release') Object.assign(user, { left: true, active: false });
      if (this.actName === 'undo') user.active = true;
    }
    const { active } = await this.state();
    const wrong = this.expected.filter((user) => active.includes(user.id) !== user.active);
    return wrong.length === 0 ? [] : [`after ${this.actName} ${wrong.length} users are not where they belong`];
  }
}
