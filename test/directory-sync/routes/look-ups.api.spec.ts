import { sharedApp, type TestApp } from '../../support/app.js';
import type { Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser, scim, user } from '../../support/scim.js';

// The look-ups of concurrent requests are read by one statement: each must find what it would have found alone.
let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const COUNT = 12;
const NASTY = ['{a,b}', 'back\\slash', 'NULL', "o'hara", '$1', 'a,b', '(1,2)', '\u{1f642}é', 'ＡＢＣ'];

async function populated(): Promise<Client> {
  const by = scim(service.url, (await service.newTenant()).scimToken);
  for (let i = 0; i < COUNT; i++) {
    const externalId = `${NASTY[i % NASTY.length]}-${i}`;
    await madeUser(by, user(`person-${i}@example.com`, { externalId, active: i % 3 !== 0 }));
  }
  return by;
}

const found = async (by: Client, filter: string, more = '') => {
  const { status, body } = await by.get(`/Users?filter=${encodeURIComponent(filter)}${more}`);
  return { status, body };
};

long('gives concurrent look-ups the same results as single ones', async () => {
  const [one, two] = [await populated(), await populated()];
  const filters = Array.from({ length: COUNT }, (_, i) => [
    `userName eq "person-${i}@example.com"`,
    `userName eq "PERSON-${i}@Example.com"`,
    `externalId eq ${JSON.stringify(`${NASTY[i % NASTY.length]}-${i}`)}`,
    `externalId eq ${JSON.stringify(`${NASTY[i % NASTY.length]}-${i}`.toUpperCase())}`,
    `userName eq "unknown-${i}@example.com"`,
    `userName eq "bad\\u0000name-${i}"`,
  ]).flat();
  const asks = [one, two].flatMap((by) => filters.map((filter) => () => found(by, filter)));
  const alone = [];
  for (const ask of asks) alone.push(await ask());
  expect(await Promise.all(asks.map((ask) => ask()))).toEqual(alone);
  const totals = alone.map(({ body }) => body.totalResults);
  expect(totals.filter((total) => total === 1).length).toBeGreaterThanOrEqual(2 * 3 * COUNT);
  expect(totals).toContain(0);
});

it('reads a value that many users share page by page', async () => {
  const by = scim(service.url, (await service.newTenant()).scimToken);
  for (let i = 0; i < 7; i++) await madeUser(by, user(`left-${i}@example.com`, { externalId: 'E-1', active: false }));
  const page = (more: string) => found(by, 'externalId eq "E-1"', more);
  expect((await page('')).body).toMatchObject({ totalResults: 7, itemsPerPage: 7 });
  expect((await page('&count=2')).body).toMatchObject({ totalResults: 7, startIndex: 1, itemsPerPage: 2 });
  expect((await page('&count=0')).body).toMatchObject({ totalResults: 7, itemsPerPage: 0, Resources: [] });
  expect((await page('&count=2&startIndex=7')).body).toMatchObject({ totalResults: 7, itemsPerPage: 1 });
});

it('shows the attributes of the projection, and no resource when count is 0', async () => {
  const by = scim(service.url, (await service.newTenant()).scimToken);
  await madeUser(by, user('one@example.com', { externalId: 'E-1' }));
  const shown = await found(by, 'userName eq "one@example.com"', '&attributes=externalId');
  expect(shown.body.Resources).toEqual([expect.objectContaining({ externalId: 'E-1' })]);
  expect(shown.body.Resources[0]).not.toHaveProperty('userName');
  const none = await found(by, 'userName eq "one@example.com"', '&count=0');
  expect(none.body).toMatchObject({ totalResults: 1, itemsPerPage: 0, Resources: [] });
});
