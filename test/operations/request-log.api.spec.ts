import { Logger } from '../../src/base/log/logger.js';
import { startApp } from '../support/app.js';
import { newHouse } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh, patch, user } from '../support/scim.js';

long('logs how a user was linked in the line of that request alone', async () => {
  const service = await startApp({ LOG_LEVEL: 'info' });
  try {
    const lines: Record<string, unknown>[] = [];
    service.app.nest.get(Logger).line = (fields: object) => void lines.push(fields as Record<string, unknown>);
    const at = await newHouse(service);
    const made = async () =>
      (await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' })).body;
    const [one, two] = [await made(), await made()];
    await at.scim.post('/Users', user(one.email));
    await at.scim.patch(`/Users/${two.id}`, patch({ op: 'add', path: 'title', value: 'T' }));
    await at.scim.patch(`/Users/${two.id}`, patch({ op: 'add', path: 'title', value: 'U' }));
    await at.scim.post('/Users', user(fresh()));
    const scim = () => lines.filter(({ path }) => String(path).startsWith('/scim/'));
    await eventually(
      () => Promise.resolve(scim()),
      (found) => found.length === 4,
    );
    expect(scim().map(({ method, link }) => [method, link])).toEqual([
      ['POST', 'email'],
      ['PATCH', 'id'],
      ['PATCH', undefined],
      ['POST', undefined],
    ]);
  } finally {
    await service.close();
  }
});
