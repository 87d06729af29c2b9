import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';

let service: TestApp;
let at: House;
let email: string;
let ids: Record<'api' | 'scim' | 'held' | 'observer', string>;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
  email = `${fresh('filter')}@x.example`;
  const made = async (more: object) => (await at.api.post('/users', { last_name: 'Other', ...more })).body.id as string;
  ids = {
    api: await made({ email, first_name: 'Zoë', external_id: 'KEY-1' }),
    scim: await madeUser(at.scim, user(`${fresh('scim')}@x.example`, { name: { familyName: 'Quill' } })),
    held: await madeUser(at.scim, user(fresh('bare'), { name: { givenName: 'Bare' } })),
    observer: await made({ email: `${fresh()}@x.example`, first_name: 'O', role: 'Observer' }),
  };
});
afterAll(() => service.close());

const found = async (query: string) => {
  const { status, body } = await at.api.get(`/users?${query}`);
  return status === 200 ? (body.data as { id: string }[]).map(({ id }) => id).sort() : [status];
};
const of = (...names: (keyof typeof ids)[]) => names.map((name) => ids[name]).sort();

it.each<[string, (keyof typeof ids)[]]>([
  ['directory=none', ['api', 'observer']],
  ['source=scim', ['scim', 'held']],
  ['source=api', ['api', 'observer']],
  ['seat=none', ['observer']],
  ['held=any', ['held']],
  ['held=no_email', ['held']],
  ['held=none', ['api', 'scim', 'observer']],
  ['held=no_seat', []],
  ['q=quill', ['scim']],
  ['q=ZO%C3%8B', ['api']],
  ['q=key-', ['api']],
  ['q=filter', ['api']],
  ['q=BARE', ['held']],
  ['q=other&role=Observer', ['observer']],
  ['q=%25', []],
])('%s', async (query, names) => {
  expect(await found(query)).toEqual(of(...names));
});

it('finds the users of a directory by its id, and refuses what is no filter', async () => {
  expect(await found(`directory=${at.directoryId}`)).toEqual(of('scim', 'held'));
  for (const query of ['seat=x', 'held=x', 'source=x']) expect(await found(query)).toEqual([422]);
});

it('shows the time since when a user is held', async () => {
  expect((await at.api.get(`/users/${ids.held}`)).body).toMatchObject({
    held: 'no_email',
    held_since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  expect((await at.api.get(`/users/${ids.api}`)).body.held_since).toBeNull();
});

it('names an updated_since for the next call that misses no write, also an uncommitted one', async () => {
  const { next_updated_since: next } = (await at.api.get('/users')).body;
  expect(Date.parse(next)).toBeLessThan(Date.now());
  const id = await madeUser(at.scim);
  expect(await found(`updated_since=${encodeURIComponent(next)}`)).toContain(id);
});
