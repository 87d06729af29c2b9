const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** One user of the crash test: knows what was acknowledged last, and makes the next change. */
export class Person {
  constructor(number, scim, token, call) {
    this.externalId = `crash-${number}`;
    this.userName = `crash-${number}@example.com`;
    this.scim = scim;
    this.call = async (method, path, body) => {
      const answer = await call(method, `${scim}${path}`, token, body);
      // A busy machine: whether the change was made is as unknown as after a kill.
      if (answer.status === 503) throw new TypeError(`${method} ${path}: 503`);
      return answer;
    };
    this.id = null;
    this.version = 0;
    this.state = null;
  }

  get created() {
    return this.id !== null;
  }

  /** Makes one change and waits for its answer. Throws where the answer is lost. */
  async change() {
    if (this.id === null) return this.create();
    const dice = Math.random();
    if (dice < 0.45) return this.rename();
    if (dice < 0.7) return this.switchActive();
    if (dice < 0.8) return this.replace();
    return this.removeAndReturn();
  }

  resource(active) {
    return {
      schemas: [USER],
      userName: this.userName,
      externalId: this.externalId,
      name: { givenName: 'Crash', familyName: `V${this.version}` },
      emails: [{ value: this.userName, type: 'work', primary: true }],
      active,
    };
  }

  async create() {
    this.version++;
    this.wanted = this.resource(true);
    const { status, body } = await this.call('POST', '/Users', this.wanted);
    if (status !== 201) throw new Error(`create ${this.externalId}: ${status} ${JSON.stringify(body)}`);
    this.accept(body);
  }

  async rename() {
    this.version++;
    const value = `V${this.version}`;
    await this.patch([{ op: 'replace', path: 'name.familyName', value }]);
  }

  async switchActive() {
    await this.patch([{ op: 'replace', value: { active: !this.state.active } }]);
  }

  async patch(operations) {
    const { status, body } = await this.call('PATCH', `/Users/${this.id}`, {
      schemas: [PATCH_OP],
      Operations: operations,
    });
    if (status !== 200) throw new Error(`patch ${this.externalId} ${this.id}: ${status} ${JSON.stringify(body)}`);
    this.accept(body);
  }

  async replace() {
    this.version++;
    const { status, body } = await this.call('PUT', `/Users/${this.id}`, this.resource(this.state.active));
    if (status !== 200) throw new Error(`put ${this.externalId}: ${status} ${JSON.stringify(body)}`);
    this.accept(body);
  }

  /** Deleted and hired again under the same name. */
  async removeAndReturn() {
    const { status } = await this.call('DELETE', `/Users/${this.id}`);
    if (status !== 204) throw new Error(`delete ${this.externalId}: ${status}`);
    this.id = null;
    this.state = null;
    await this.create();
  }

  accept(body) {
    this.id = body.id;
    this.state = { active: body.active, familyName: body.name.familyName };
  }

  /** After a lost answer: what is there now is what counts. */
  async lookUp() {
    for (;;) {
      try {
        const filter = encodeURIComponent(`userName eq "${this.userName}"`);
        const { status, body } = await this.call('GET', `/Users?filter=${filter}`);
        if (status !== 200) throw new Error(`look-up: ${status}`);
        const [found] = body.Resources;
        if (found) this.accept(found);
        else {
          this.id = null;
          this.state = null;
        }
        return;
      } catch (error) {
        if (!(error instanceof TypeError) && error.name !== 'TimeoutError') throw error;
        await new Promise((resolve) => setTimeout(resolve, 20)); // killed again meanwhile
      }
    }
  }

  /** Whether what is stored is what was acknowledged last. */
  matches(stored) {
    if (this.state === null) return stored === undefined;
    return (
      stored?.id === this.id && stored.active === this.state.active && stored.name.familyName === this.state.familyName
    );
  }
}
