import { setTimeout as sleep } from 'node:timers/promises';

const GUARD = { percent: 5, people: 10, at_least: 5, within_minutes: 60, day_percent: 10 };

/** What an admin does with the directory of the crash test: switches its guard and its preview on and off. */
export class Switches {
  constructor(api, apiKey, call) {
    this.count = 0;
    this.api = (method, path, body) => call(method, `${api}${path}`, apiKey, body);
  }

  /** Makes one switch, and waits a moment. */
  async next() {
    const settings = [{ guard: GUARD }, { guard: 'off' }, { state: 'preview' }, { state: 'live' }];
    await this.set(settings[Math.floor(Math.random() * settings.length)]);
    this.count++;
    await sleep(100 + Math.random() * 400);
  }

  /** Switches both off, and releases what the guard holds: then what is in force is what was written. */
  async settle() {
    await this.set({ state: 'live' });
    await this.set({ guard: 'off' });
    const deadline = Date.now() + 120_000;
    for (;;) {
      const { body: running } = await this.answered('GET', '/tasks?state=running');
      const { body: waiting } = await this.answered('GET', '/tasks?state=waiting');
      const { body: held } = await this.answered('GET', '/held');
      if (running.data.length + waiting.data.length + held.data.length === 0) return;
      if (Date.now() > deadline) throw new Error(`not all is in force: ${JSON.stringify(held.data.slice(0, 3))}`);
      if (held.data.some(({ reason }) => reason === 'guard')) {
        await this.answered('POST', `/directories/${this.id}/guard/release`, {});
      }
      await sleep(500);
    }
  }

  async set(setting) {
    this.id ??= (await this.answered('GET', '/directories')).body.data[0].id;
    const { status, body } = await this.answered('PATCH', `/directories/${this.id}`, setting);
    // A directory that is still going live takes no other state.
    if (status !== 200 && status !== 409)
      throw new Error(`${JSON.stringify(setting)}: ${status} ${JSON.stringify(body)}`);
  }

  /** Repeats a request until it is answered. */
  async answered(method, path, body) {
    for (;;) {
      try {
        const answer = await this.api(method, path, body);
        if (answer.status !== 503) return answer;
      } catch (error) {
        if (!(error instanceof TypeError) && error.name !== 'TimeoutError') throw error;
      }
      await sleep(50);
    }
  }
}
