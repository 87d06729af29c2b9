import { sharedApp, type TestApp } from '../support/app.js';
import { candidate } from '../support/candidates.js';
import { newHouse } from '../support/house.js';
import { eventually } from '../support/http.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it('shows a position of the feed that does not move when another tenant works', async () => {
  const [observer, busy] = [await newHouse(service), await newHouse(service)];
  const positionOf = async ({ api }: typeof observer) =>
    (await api.get('/events?after=evt_0000000000000000')).body.next_after as string;
  const before = await positionOf(observer);
  const theirs = await positionOf(busy);
  for (let n = 0; n < 7; n++) expect((await busy.api.post('/candidates', candidate())).status).toBe(201);
  // The feed has an event when those that began before it have ended.
  await eventually(
    () => positionOf(busy),
    (position) => position !== theirs,
  );
  expect(await positionOf(observer)).toBe(before);
});
