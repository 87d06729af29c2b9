import { startApp } from '../support/app.js';
import { collectGarbage } from '../support/garbage.js';
import { long } from '../support/rounds.js';

describe('a stopped service', () => {
  long('frees its memory', async () => {
    const service = await startApp();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const app = new WeakRef(service.app);
    await service.close();
    // A WeakRef keeps what it refers to until the next turn of the event loop.
    await new Promise(setImmediate);
    collectGarbage();
    expect(app.deref() === undefined).toBe(true);
  });
});
