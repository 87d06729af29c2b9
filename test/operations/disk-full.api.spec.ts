import { Logger } from '../../src/base/log/logger.js';
import { startApp } from '../support/app.js';
import { eventually, send } from '../support/http.js';
import { long } from '../support/rounds.js';

long('answers a full disk with an error of its own, and is not ready until there is room', async () => {
  const service = await startApp();
  const said: string[] = [];
  const logger = service.app.nest.get(Logger);
  const [error, info] = [logger.error.bind(logger), logger.info.bind(logger)];
  logger.error = (message, fields) => (said.push(message), error(message, fields));
  logger.info = (message, fields) => (said.push(message), info(message, fields));
  try {
    // What PostgreSQL says when a table cannot grow.
    await service.db.execute(`
      create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
    for (const table of ['users', 'storage_probe']) {
      await service.db.execute(`create trigger full_disk before insert on ${table} execute function no_room()`);
    }
    const create = () =>
      send('POST', `${service.url}/api/v1/users`, service.tenant.apiKey, {
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'King',
      });
    for (let i = 0; i < 3; i++) {
      const refused = await create();
      expect([refused.status, refused.body.code, refused.body.errors]).toEqual([503, 'storage_full', undefined]);
    }
    const byScim = await send('POST', `${service.url}/scim/v2/Users`, service.tenant.scimToken, { userName: 'ada' });
    expect([byScim.status, byScim.body.detail]).toEqual([503, expect.stringMatching(/no room left on its disk/)]);
    const ready = () => send('GET', `${service.url}/readyz`, null);
    await eventually(ready, ({ status, body }) => status === 503 && body.reason === 'disk full');

    for (const table of ['users', 'storage_probe']) await service.db.execute(`drop trigger full_disk on ${table}`);
    await eventually(ready, ({ status }) => status === 200);
    expect((await create()).status).toBe(201);
    expect(said.filter((message) => message.startsWith('database'))).toEqual(['database disk full', 'database back']);
  } finally {
    await service.close();
  }
});
