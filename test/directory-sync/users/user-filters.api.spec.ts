import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, replace, user } from '../../support/scim.js';

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

long('finds by each text that a user has, active, inactive or held, in force or only written', async () => {
  const tag = fresh('all').toLowerCase();
  const name = `${tag}-name@x.example`;
  const emails = [{ value: `${tag}-second@x.example` }, { value: `${tag}-first@x.example`, primary: true }];
  const names = { givenName: `${tag}Given`, familyName: `${tag}Family`, formatted: `${tag}Formatted` };
  let id = await madeUser(at.scim, user(name, { emails, name: names, externalId: `${tag}-KEY` }));
  const texts = ['-NAME', '-first', '-second', 'given', 'family', `given ${tag}f`, '-key'].map((text) => tag + text);
  const findsAll = async (all: string[]) => {
    for (const text of all) {
      expect([text, await found(`q=${encodeURIComponent(text)}`)]).toEqual([text, [id]]);
      const hits = (await at.api.get(`/search?q=${encodeURIComponent(text)}`)).body.data as { id: string }[];
      expect([text, hits.map((hit) => hit.id)]).toEqual([text, [id]]);
    }
  };
  await findsAll(texts);
  await at.scim.patch(`/Users/${id}`, replace('active', false));
  await findsAll(texts);
  await at.scim.patch(`/Users/${id}`, replace('active', true));
  // Of a user who never was in force, what was written counts.
  const written = { givenName: `${tag}New`, familyName: `${tag}Other`, formatted: `${tag}Formatted` };
  id = await madeUser(at.scim, user(fresh('none'), { name: written, externalId: `${tag}-NEXT` }));
  expect((await at.api.get(`/users/${id}`)).body.held).toBe('no_email');
  await findsAll([`${tag}new`, `${tag}OTHER`, `${tag}formatted`, `${tag}-next`]);
});

long('shows the users of a beginning that very many have, newest first, by page', async () => {
  const tag = fresh('crowd').toLowerCase();
  const { api, tenantId } = await newHouse(service);
  const ids = Array.from({ length: 1_100 }, (_, i) => `usr_${tag}${String(i).padStart(5, '0')}`);
  await service.db.query(
    `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
     select $1, id, 'api', '{}', id, id, true, $3, 'Other', 'User', 'active', 'none' from unnest($2::text[]) id`,
    [tenantId, ids, tag],
  );
  const shown: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.get(`/users?q=${tag}&limit=200${cursor}`);
    shown.push(...(body.data as { id: string }[]).map(({ id }) => id));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(shown).toEqual(ids.toReversed());
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
