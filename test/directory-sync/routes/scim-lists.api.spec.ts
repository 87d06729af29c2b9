import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { send, type Client } from '../../support/http.js';
import { long, someOf } from '../../support/rounds.js';
import {
  ENTERPRISE,
  failure,
  fresh,
  GROUP,
  group,
  madeGroup,
  madeUser,
  patch,
  scim,
  user,
  USER,
} from '../../support/scim.js';
import { patience } from '../../support/speed.js';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  directory = scim(service.url, tenant.scimToken);
});
afterAll(() => service.close());

type Found = { id: string; userName: string };
const query = (parts: Record<string, string | number>) =>
  new URLSearchParams(
    Object.entries(parts).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
const list = (parts: Record<string, string | number>, type = 'Users', by = directory) =>
  by.get(`/${type}?${query(parts)}`);
const namesIn = (answer: { body: { Resources: Found[] } }) => answer.body.Resources.map(({ userName }) => userName);

/** A directory of its own with the people named. */
async function populated(...bodies: object[]): Promise<Client> {
  const by = scim(service.url, (await service.newTenant()).scimToken);
  for (const body of bodies) await madeUser(by, body);
  return by;
}

describe('a list', () => {
  it('has totalResults, startIndex and itemsPerPage', async () => {
    const by = await populated(user('one'), user('two'), user('three'));
    expect((await by.get('/Users')).body).toMatchObject({
      schemas: [LIST],
      totalResults: 3,
      startIndex: 1,
      itemsPerPage: 3,
    });
    expect((await list({ filter: 'userName eq "unknown"' }, 'Users', by)).body).toEqual({
      schemas: [LIST],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await list({ count: 0 }, 'Users', by)).body).toMatchObject({
      totalResults: 3,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await list({ count: -5 }, 'Users', by)).body).toMatchObject({ totalResults: 3, itemsPerPage: 0 });
    expect((await list({ startIndex: -5, count: 2 }, 'Users', by)).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 2,
      totalResults: 3,
    });
    expect((await list({ startIndex: 3 }, 'Users', by)).body).toMatchObject({
      startIndex: 3,
      itemsPerPage: 1,
      totalResults: 3,
    });
    expect((await list({ startIndex: 4 }, 'Users', by)).body).toMatchObject({
      startIndex: 4,
      itemsPerPage: 0,
      totalResults: 3,
      Resources: [],
    });
    expect((await list({ startIndex: '99999999999999' }, 'Users', by)).body).toMatchObject({
      itemsPerPage: 0,
      totalResults: 3,
    });
    const filtered = await list({ filter: 'userName sw "t"', startIndex: 2, count: 1 }, 'Users', by);
    expect(filtered.body).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 });
    expect((await list({ filter: 'userName sw "t"', startIndex: 9 }, 'Users', by)).body).toMatchObject({
      totalResults: 2,
      itemsPerPage: 0,
    });
    expect((await list({ count: 0, filter: 'userName sw "t"' }, 'Users', by)).body).toMatchObject({
      totalResults: 2,
      itemsPerPage: 0,
    });
  });

  it('accepts blanks as + or %20, names in any case, unknown parameters and an empty last one', async () => {
    const by = await populated(user('a+b c@x.example'), user('other'));
    for (const text of [
      '?filter=userName+eq+%22a%2Bb+c@x.example%22',
      '?filter=USERNAME%20Eq%20%22A%2BB%20c@X.example%22',
      '?filter=userName+eq+%22a%2Bb%20c@x.example%22&aadOptscim062020=&',
      '?filter=urn:ietf:params:scim:schemas:core:2.0:user:username+eq+%22a%2Bb%20c@x.example%22',
    ]) {
      expect([text, namesIn(await by.get(`/Users${text}`))]).toEqual([text, ['a+b c@x.example']]);
    }
    expect((await by.get('/Users?')).body.totalResults).toBe(2);
  });

  it('of groups has no members when the client excludes them', async () => {
    const by = await populated();
    const members = [await madeUser(by)];
    const id = await madeGroup(by, members, { externalId: 'X' });
    const whole = await by.get('/Groups');
    expect(whole.body.Resources[0].members).toHaveLength(1);
    const without = await list(
      { excludedAttributes: 'members', filter: `id eq "${id}" and members eq "${members[0]}"`, attributes: '' },
      'Groups',
      by,
    );
    expect(without.body.Resources).toHaveLength(1);
    expect(without.body.Resources[0].members).toBeUndefined();
    expect(
      (await list({ filter: `displayName eq "${whole.body.Resources[0].displayName.toUpperCase()}"` }, 'Groups', by))
        .body.totalResults,
    ).toBe(1);
    expect((await list({ filter: `externalId eq "x"` }, 'Groups', by)).body.totalResults).toBe(0);
    expect((await list({ filter: `members[type eq "User"]` }, 'Groups', by)).body.totalResults).toBe(1);
    expect((await list({ filter: `not (members pr)` }, 'Groups', by)).body.totalResults).toBe(0);
  });

  it('finds nothing by values of another tenant, and answers as for unknown values', async () => {
    const name = `${fresh()}@secret.example`;
    const other = scim(service.url, (await service.newTenant()).scimToken);
    const theirs = await madeUser(
      other,
      user(name, {
        externalId: name,
        emails: [{ value: name, type: 'work' }],
        [ENTERPRISE]: { manager: { value: 'm1' } },
      }),
    );
    const unknown = (await list({ filter: 'id eq "usr_unknown"' })).text;
    for (const filter of [
      `id eq "${theirs}"`,
      `userName eq "${name}"`,
      `externalId eq "${name}"`,
      `emails[value eq "${name}"]`,
      `emails[type eq "work" and value eq "${name}"]`,
      `emails.value co "secret"`,
      `manager eq "m1"`,
      `not (userName pr) or id eq "${theirs}"`,
    ]) {
      expect([filter, (await list({ filter })).text]).toEqual([filter, unknown]);
    }
    expect((await list({ filter: `members.value eq "${theirs}"` }, 'Groups')).body.totalResults).toBe(0);
    // A manager is a text like any other: nothing of the user that it names is shown.
    const mine = await madeUser(directory, user(fresh(), { [ENTERPRISE]: { manager: { value: theirs } } }));
    expect((await directory.get(`/Users/${mine}`)).body[ENTERPRISE].manager).toEqual({ value: theirs });
  });
});

describe('sorting', () => {
  long(
    'respects case and type, uses the primary or first value, and puts missing values last, or first when descending',
    async () => {
      const by = await populated(
        user('b', {
          title: 'x',
          emails: [{ value: 'zz@x' }, { value: 'a@x', primary: true }],
          [ENTERPRISE]: { costCenter: '2' },
        }),
        user('A', { title: 'Y', emails: [{ value: 'c@x' }, { value: '0@x' }] }),
        user('c', { name: { familyName: 'Z' }, [ENTERPRISE]: { costCenter: '10' } }),
        user('D', { title: 'z', active: false, emails: [{ value: 'B@x' }] }),
      );
      const sorted = async (sortBy: string, more = {}) => namesIn(await list({ sortBy, ...more }, 'Users', by));
      expect(await sorted('userName')).toEqual(['A', 'b', 'c', 'D']);
      expect(await sorted('USERNAME', { sortOrder: 'descending' })).toEqual(['D', 'c', 'b', 'A']);
      expect(await sorted('title')).toEqual(['b', 'A', 'D', 'c']);
      expect(await sorted('title', { sortOrder: 'Descending' })).toEqual(['c', 'D', 'A', 'b']);
      expect(await sorted('emails')).toEqual(['b', 'D', 'A', 'c']);
      expect(await sorted('emails.value', { sortOrder: 'descending' })).toEqual(['c', 'A', 'D', 'b']);
      expect(await sorted('active')).toEqual(['D', 'b', 'A', 'c']);
      expect(await sorted('meta.created')).toEqual(['b', 'A', 'c', 'D']);
      expect(await sorted(`${ENTERPRISE}:costCenter`)).toEqual(['c', 'b', 'A', 'D']);
      expect(await sorted('name.familyName', { count: 1 })).toEqual(['c']);
      // Pages of a sorted list, whichever way they are turned.
      expect([
        ...(await sorted('title', { count: 2 })),
        ...(await sorted('title', { count: 2, startIndex: 3 })),
      ]).toEqual(['b', 'A', 'D', 'c']);
      const first = await list({ sortBy: 'title', count: 3, cursor: '' }, 'Users', by);
      const second = await list({ sortBy: 'title', count: 3, cursor: first.body.nextCursor }, 'Users', by);
      expect([...namesIn(first), ...namesIn(second)]).toEqual(['b', 'A', 'D', 'c']);
      expect(second.body.nextCursor).toBeUndefined();
    },
  );

  it.each([
    'nothing',
    'name',
    'password',
    'emails[type eq "work"]',
    'userName;drop table users',
    'emails.hue',
    'members',
  ])('400: by %s', async (sortBy) => {
    expect(failure(await list({ sortBy }))).toEqual([400, 'invalidPath', '400']);
  });

  it('400: in an order that is none', async () => {
    expect((await list({ sortBy: 'userName', sortOrder: 'sideways' })).status).toBe(400);
  });
});

describe('cursors (RFC 9865)', () => {
  it('lead through all pages; the last page has none; each is bound to its list', async () => {
    const by = await populated(...Array.from({ length: 7 }, (_, i) => user(`n${i}`)));
    const first = await list({ count: 3, cursor: '' }, 'Users', by);
    expect(first.body).toMatchObject({ totalResults: 7, itemsPerPage: 3 });
    expect(first.body.nextCursor).toMatch(/^[A-Za-z0-9._~-]+$/);
    const next = (parts: Record<string, string | number>) =>
      list({ cursor: first.body.nextCursor, count: 3, ...parts }, 'Users', by);
    const second = await next({});
    const third = await next({ cursor: second.body.nextCursor });
    expect([first, second, third].flatMap(namesIn)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']);
    expect(third.body.nextCursor).toBeUndefined();
    expect(failure(await next({ count: 4 }))).toEqual([400, 'invalidCount', '400']);
    expect(failure(await next({ filter: 'userName sw "n"' }))).toEqual([400, 'invalidCursor', '400']);
    expect(failure(await next({ sortBy: 'userName' }))).toEqual([400, 'invalidCursor', '400']);
    // As many results as fit into the last page exactly end the list, too.
    const exact = await list({ count: 7, cursor: '' }, 'Users', by);
    expect([exact.body.itemsPerPage, exact.body.nextCursor]).toEqual([7, undefined]);
  });

  it('work in .search, and not beyond their own directory and type', async () => {
    const by = await populated(user('a'), user('b'), user('c'));
    const search = (more: object, type = 'Users', client = by) =>
      client.post(`/${type}/.search`, { schemas: [SEARCH], count: 2, ...more });
    const first = await search({ cursor: '' });
    const cursor = first.body.nextCursor;
    expect(namesIn(await search({ cursor }))).toEqual(['c']);
    expect(failure(await search({ cursor }, 'Users', directory))).toEqual([400, 'invalidCursor', '400']);
  });

  it('are refused for another resource type', async () => {
    const by = await populated(user('a'), user('b'));
    const { nextCursor } = (await list({ count: 1, cursor: '' }, 'Users', by)).body;
    expect(failure(await list({ count: 1, cursor: nextCursor }, 'Groups', by))).toEqual([400, 'invalidCursor', '400']);
  });

  it('are refused when a single character differs', async () => {
    const by = await populated(user('a'), user('b'));
    const { nextCursor } = (await list({ count: 1, cursor: '' }, 'Users', by)).body;
    expect(failure(await list({ count: 1, cursor: `${nextCursor}A` }, 'Users', by))).toEqual([
      400,
      'invalidCursor',
      '400',
    ]);
  });

  it('400: forged, cut, of another kind', async () => {
    const by = await populated(user('a'), user('b'));
    const { nextCursor } = (await list({ count: 1, cursor: '' }, 'Users', by)).body;
    const [body, mac] = nextCursor.split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), a: '' }),
    ).toString('base64url');
    const { body: page } = await send('GET', `${service.url}/api/v1/users?limit=1`, tenant.apiKey);
    for (const cursor of [
      `${forged}.${mac}`,
      body,
      `${body}.`,
      `.${mac}`,
      'x',
      nextCursor.slice(0, -1),
      'x'.repeat(5000),
      page.next_cursor ?? '0',
    ]) {
      expect([cursor, ...failure(await list({ count: 1, cursor }, 'Users', by))]).toEqual([
        cursor,
        400,
        'invalidCursor',
        '400',
      ]);
    }
    for (const count of [-1, 1001]) {
      expect(failure(await list({ count, cursor: '' }, 'Users', by))).toEqual([400, 'invalidCount', '400']);
    }
  });
});

describe('400', () => {
  it.each([
    'userName',
    'userName eq',
    'userName eq bob',
    'userName eq "a" and',
    'userName is "a"',
    '(userName eq "a"',
    'userName eq "a")',
    'favouriteColour eq "x"',
    'name.hue eq "x"',
    'emails[hue eq "x"]',
    'active gt true',
    'meta.created gt "yesterday"',
    'password eq "x"',
    'userName eq "\\u0000"',
    '',
    ' ',
    'not userName pr',
    'userName eq "a" xor title pr',
    `${'('.repeat(60)}userName pr${')'.repeat(60)}`,
    Array.from({ length: 60 }, () => 'title pr').join(' or '),
    `title eq "${'x'.repeat(5000)}"`,
    `urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "x"`,
    `__proto__ eq "x"`,
    `constructor.name pr`,
  ])('invalidFilter: %s', async (filter) => {
    expect(failure(await list({ filter }))).toEqual([400, 'invalidFilter', '400']);
    expect(failure(await directory.post('/Users/.search', { schemas: [SEARCH], filter }))).toEqual([
      400,
      'invalidFilter',
      '400',
    ]);
  });

  it('a parameter twice, or as an object, or a number that is none', async () => {
    for (const text of [
      'filter=userName%20pr&filter=title%20pr',
      'count=1&count=2',
      'filter[]=userName%20pr',
      'filter[x]=userName%20pr',
      'startIndex=1&startIndex=1',
      'cursor=&cursor=',
      'attributes=id&attributes=userName',
      'count=ten',
      'count=1.5',
      'count=1e3',
      'startIndex=0x10',
      'sortBy=userName&sortBy=id',
    ]) {
      const answer = await directory.get(`/Users?${text}`);
      expect([text, answer.status]).toEqual([text, text.startsWith('filter[') ? 200 : 400]);
    }
  });

  it('.search: no message, wrong types', async () => {
    for (const body of [
      [],
      'x',
      { schemas: [SEARCH], filter: 7 },
      { schemas: [SEARCH], count: 'many' },
      { schemas: [SEARCH], attributes: [1] },
    ]) {
      const answer = await directory.post('/Users/.search', JSON.stringify(body));
      expect([body, answer.status]).toEqual([body, 400]);
    }
  });
});

describe('the root', () => {
  it('lists users, then groups, as one list; attributes that a type lacks are unassigned there', async () => {
    const by = await populated(user('a', { title: 'T' }), user('b'));
    await madeGroup(by, [], { displayName: 'G', externalId: 'E' });
    const all = await by.get('/');
    expect(all.body).toMatchObject({ totalResults: 3, startIndex: 1, itemsPerPage: 3 });
    expect(all.body.Resources.map((each: { schemas: string[] }) => each.schemas[0])).toEqual([USER, USER, GROUP]);
    expect((await by.get('/?startIndex=2&count=1')).body).toMatchObject({
      totalResults: 3,
      itemsPerPage: 1,
      Resources: [{ userName: 'b' }],
    });
    expect((await by.get('/?startIndex=3&count=5')).body).toMatchObject({
      itemsPerPage: 1,
      Resources: [{ displayName: 'G' }],
    });
    const search = await by.post('/.search', {
      schemas: [SEARCH],
      filter: 'title pr or externalId eq "E"',
      attributes: ['userName', 'displayName'],
    });
    expect(search.body.Resources).toEqual([
      { schemas: [USER], id: expect.any(String), userName: 'a' },
      { schemas: [GROUP], id: expect.any(String), displayName: 'G' },
    ]);
    expect(
      (await by.post('/.search', { schemas: [SEARCH], filter: 'meta.resourceType eq "Group"' })).body.totalResults,
    ).toBe(1);
    expect((await by.get('/?sortBy=userName&sortOrder=descending')).body).toMatchObject({
      totalResults: 3,
      Resources: [{ userName: 'b' }, { userName: 'a' }, { displayName: 'G' }],
    });
    expect((await by.get('/?filter=not%20(title%20pr)')).body.totalResults).toBe(2);
    expect((await by.get('/?filter=title%20ne%20%22T%22')).body.totalResults).toBe(2);
    expect((await by.get('/?filter=members[value%20eq%20%22x%22]%20or%20title%20eq%20null')).body.totalResults).toBe(2);
    expect(failure(await by.get('/?sortBy=hue'))).toEqual([400, 'invalidPath', '400']);
    expect(failure(await by.get('/?filter=hue%20pr'))).toEqual([400, 'invalidFilter', '400']);
    expect(failure(await by.get('/?cursor='))).toEqual([400, 'invalidCursor', '400']);
  });
});

describe('a walk over 1 237 users while others are created and deleted', () => {
  it.each(
    someOf([
      ['startIndex', 100],
      ['startIndex', 37],
      ['startIndex', 1000],
      ['cursor', 100],
      ['cursor', 61],
    ]),
  )(
    'by %s, %d a page: returns every user once',
    async (method, count) => {
      const own = await service.newTenant();
      const by = scim(service.url, own.scimToken);
      await service.db.query(
        `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
       select $1, 'usr_000' || lpad(i::text, 6, '0'), $2, 'scim', jsonb_build_object('userName', 'w' || i), 'w' || i, 'w' || i, true, 'W', '', 'Observer', 'active', 'none'
       from generate_series(1, 1237) i`,
        [own.tenantId, own.directoryId],
      );
      await service.db.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, 1237)`, [
        own.tenantId,
        own.directoryId,
      ]);
      // Every tenth goes while the walk is under way, from the front to the back; new people come all the time.
      const going = Array.from({ length: 123 }, (_, i) => `usr_000${String(i * 10 + 3).padStart(6, '0')}`);
      const coming: string[] = [];
      let walking = true;
      const disturb = (async () => {
        for (const id of going) {
          if (!walking) break;
          await by.delete(`/Users/${id}`);
          coming.push(await madeUser(by));
        }
      })();
      const seen: string[] = [];
      let cursor = '';
      for (let startIndex = 1; ;) {
        const page = await list(method === 'cursor' ? { cursor, count } : { startIndex, count }, 'Users', by);
        expect(page.status).toBe(200);
        const ids = page.body.Resources.map(({ id }: Found) => id);
        seen.push(...ids);
        if (method === 'cursor') {
          cursor = page.body.nextCursor;
          if (cursor === undefined) break;
        } else {
          startIndex += ids.length;
          if (ids.length < count) break;
        }
      }
      walking = false;
      await disturb;
      expect(seen.length).toBe(new Set(seen).size);
      const gone = new Set(going);
      const stayed = Array.from({ length: 1237 }, (_, i) => `usr_000${String(i + 1).padStart(6, '0')}`).filter(
        (id) => !gone.has(id),
      );
      const met = new Set(seen);
      expect(stayed.filter((id) => !met.has(id))).toEqual([]);
      const { totalResults } = (await by.get('/Users?count=0')).body;
      const { rows } = await service.db.query<{ n: number }>(
        'select count(*)::int as n from users where tenant_id = $1',
        [own.tenantId],
      );
      expect(totalResults).toBe(rows[0]!.n);
    },
    patience(120_000),
  );
});

describe('a walk after one that stopped at its first page', () => {
  const walk = async (by: Client, search: Record<string, string>): Promise<string[]> => {
    const seen: string[] = [];
    for (let startIndex = 1; ;) {
      const { body } = await list({ ...search, startIndex, count: 10 }, 'Users', by);
      seen.push(...body.Resources.map(({ id }: Found) => id));
      startIndex += 10;
      if (startIndex > body.totalResults) return seen;
    }
  };
  const thirty = async (by: Client, activeFrom: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push(await madeUser(by, user(`walker${i}`, { active: i >= activeFrom })));
    return ids;
  };

  long('returns every user, also new ones at its beginning', async () => {
    const by = scim(service.url, (await service.newTenant()).scimToken);
    const ids = await thirty(by, 10);
    const filter = 'active eq true';
    await list({ filter, count: 10 }, 'Users', by);
    for (const id of ids.slice(0, 10))
      await by.patch(`/Users/${id}`, patch({ op: 'replace', value: { active: true } }));
    expect((await walk(by, { filter })).sort()).toEqual([...ids].sort());
  });

  long('returns no user twice where users at its beginning were deleted', async () => {
    const by = scim(service.url, (await service.newTenant()).scimToken);
    const ids = await thirty(by, 0);
    const page = await list({ count: 10 }, 'Users', by);
    const gone: string[] = page.body.Resources.slice(0, 5).map(({ id }: Found) => id);
    for (const id of gone) await by.delete(`/Users/${id}`);
    expect((await walk(by, {})).sort()).toEqual(ids.filter((id) => !gone.includes(id)).sort());
  });

  long('returns every user to each of two walks at once', async () => {
    const by = scim(service.url, (await service.newTenant()).scimToken);
    const ids = await thirty(by, 0);
    const both = await Promise.all([walk(by, {}), walk(by, {}), walk(by, {})]);
    for (const seen of both) expect(seen.sort()).toEqual([...ids].sort());
  });
});

describe('walks of groups', () => {
  it('have stable pages', async () => {
    const by = await populated();
    for (let i = 0; i < 5; i++) await by.post('/Groups', group(`G${i}`));
    const first = await list({ count: 2, cursor: '' }, 'Groups', by);
    const second = await list({ count: 2, cursor: first.body.nextCursor }, 'Groups', by);
    const third = await list({ count: 2, startIndex: 5 }, 'Groups', by);
    const names = [first, second, third].flatMap((page) =>
      page.body.Resources.map((each: { displayName: string }) => each.displayName),
    );
    expect(names).toEqual(['G0', 'G1', 'G2', 'G3', 'G4']);
    expect(first.body.totalResults).toBe(5);
  });
});
