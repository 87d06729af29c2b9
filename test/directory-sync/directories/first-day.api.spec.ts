import { startApp, type TestApp } from '../../support/app.js';
import { send } from '../../support/http.js';
import { long } from '../../support/rounds.js';

/** The bursts of a first day, and of an ordinary token, at 100 requests a second. */
const FIRST_DAY = '10000';
const ORDINARY = '1000';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: '100' });
});
afterAll(() => app.close());

const burstOf = async (token: string): Promise<string | null> =>
  (await send('GET', `${app.url}/scim/v2/Users?count=0`, token)).headers.get('ratelimit-limit');
/** Moves the directories of a tenant into the past. */
const age = (tenantId: string, days: number): Promise<unknown> =>
  app.db.query(
    `update directories set created_at = created_at - $2 * interval '1 day',
       first_day_from = first_day_from - $2 * interval '1 day' where tenant_id = $1`,
    [tenantId, days],
  );

long(
  'gives the rate of a first day once a week: not to a directory that is made again, nor to another one',
  async () => {
    const { tenantId, apiKey, directoryId, scimToken } = await app.newTenant();
    const second = await app.newDirectory(tenantId);
    expect([await burstOf(scimToken), await burstOf(second.token)]).toEqual([FIRST_DAY, FIRST_DAY]);
    await age(tenantId, 2);
    const gone = await send('DELETE', `${app.url}/api/v1/directories/${directoryId}?force=true`, apiKey);
    expect(gone.status).toBe(204);
    const again = await app.newDirectory(tenantId);
    expect(await burstOf(again.token)).toBe(ORDINARY);
    await age(tenantId, 6);
    expect(await burstOf((await app.newDirectory(tenantId)).token)).toBe(FIRST_DAY);
  },
);
