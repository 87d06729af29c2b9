import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { send, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { ENTERPRISE, failure, fresh, madeGroup, madeUser, patch, scim, user, USER } from '../../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
let strict: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  directory = scim(service.url, tenant.scimToken);
  strict = scim(service.url, (await service.newTenant({ profile: 'strict' })).scimToken);
});
afterAll(() => service.close());

const get = async (id: string) => (await directory.get(`/Users/${id}`)).body;

/** Every text in every table: what was never to be kept must not be in there. */
async function everythingStored(): Promise<string> {
  const { rows } = await service.db.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  let all = '';
  for (const { name } of rows) {
    all += (await service.db.query<{ t: string }>(`select coalesce(string_agg(x::text, ' '), '') as t from ${name} x`))
      .rows[0]!.t;
  }
  return all;
}

describe('201', () => {
  it('returns the written resource with the members that the server adds, and its address', async () => {
    const userName = `${fresh()}@Example.COM`;
    const written = {
      userName,
      externalId: fresh('E-'),
      name: { givenName: 'Zoë', familyName: '李 🦊', formatted: 'Dr. Zoë 李' },
      displayName: 'Zoë',
      nickName: 'ＦＵＬＬ width',
      emails: [
        { value: `${fresh()}@work.example`, type: 'work', primary: true },
        { value: `${fresh()}@home.example`, type: 'home' },
      ],
      phoneNumbers: [{ value: '+1 (555) 010-9999 ext. 7', type: 'work' }],
      addresses: [{ streetAddress: '1 Rue de l’Été\nÉtage 2', locality: 'Paris', type: 'work' }],
      roles: [{ value: 'User', primary: true, type: 'WindowsAzureActiveDirectoryRole' }],
      active: true,
      [ENTERPRISE]: { employeeNumber: '007', costCenter: 'C 1', manager: { value: 'unknown-here' } },
    };
    const made = await directory.post('/Users', { schemas: [USER, ENTERPRISE], ...written });
    expect(made.status).toBe(201);
    expect(made.headers.get('content-type')).toBe('application/scim+json');
    expect(made.headers.get('location')).toBe(made.body.meta.location);
    expect(made.headers.get('etag')).toBe(made.body.meta.version);
    expect(made.body.meta.lastModified).toBe(made.body.meta.created);
    expect(made.body.meta.resourceType).toBe('User');
    const { id, meta, schemas, ...rest } = made.body;
    expect(rest).toEqual(written);
    expect(schemas).toEqual([USER, ENTERPRISE]);
    expect(meta.location.endsWith(`/scim/v2/Users/${id}`)).toBe(true);
    expect(await get(id)).toEqual(made.body);
  });

  it('null, "" and [] are unassigned; a blank is not', async () => {
    const body = user(fresh(), {
      title: null,
      nickName: '',
      emails: [],
      phoneNumbers: null,
      name: { familyName: ' ', givenName: null },
      id: null,
      [ENTERPRISE]: { department: null },
    });
    const made = await directory.post('/Users', body);
    expect(made.status).toBe(201);
    const { id: _, meta: __, ...rest } = made.body;
    expect(rest).toEqual({
      schemas: [USER],
      userName: (body as { userName: string }).userName,
      name: { familyName: ' ' },
      active: true,
    });
  });

  it('names in any case, of attributes and of schemas', async () => {
    const name = fresh();
    const made = await directory.post('/Users', {
      SCHEMAS: [USER.toUpperCase()],
      USERNAME: name,
      Name: { FAMILYNAME: 'J' },
      [ENTERPRISE.toUpperCase()]: { DEPARTMENT: 'D' },
    });
    expect(made.body).toMatchObject({ userName: name, name: { familyName: 'J' }, [ENTERPRISE]: { department: 'D' } });
  });

  it('read-only attributes are ignored', async () => {
    const made = await directory.post(
      '/Users',
      user(fresh(), {
        id: 'usr_mine',
        meta: { version: 'W/"99"', created: '1999-01-01T00:00:00Z' },
        groups: [{ value: 'g' }],
      }),
    );
    expect(made.status).toBe(201);
    expect(made.body.id).not.toBe('usr_mine');
    expect(made.body.meta.version).toBe('W/"1"');
    expect(made.body.groups).toBeUndefined();
  });

  it('a password is accepted and stored nowhere', async () => {
    const secret = `Pw-${fresh()}-geheim`;
    const id = await madeUser(directory, user(fresh(), { password: secret }));
    const answers = [
      await directory.put(`/Users/${id}`, user(fresh(), { password: secret })),
      await directory.patch(`/Users/${id}`, patch({ op: 'replace', path: 'password', value: secret })),
      await directory.patch(`/Users/${id}`, patch({ op: 'replace', value: { password: secret, title: 'x' } })),
      await directory.get(`/Users/${id}?attributes=password`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { text } of answers) expect(text).not.toContain('geheim');
    expect((await directory.get('/Users?filter=password%20eq%20%22x%22')).status).toBe(400);
    const all = await everythingStored();
    expect(all).toContain(id);
    expect(all).not.toContain('geheim');
  });

  it('attributes that no schema declares are left out, in every profile that accepts them', async () => {
    const made = await directory.post(
      '/Users',
      user(fresh(), { favouriteColour: 'blue', emails: [{ value: 'a@b.example', hue: 1 }] }),
    );
    expect(made.status).toBe(201);
    expect(made.text).not.toMatch(/favouriteColour|"hue"/);
  });

  it('the same names can be created again after a DELETE, as a new user', async () => {
    const body = user(fresh(), { externalId: fresh(), emails: [{ value: `${fresh()}@x.example`, type: 'work' }] });
    const first = await madeUser(directory, body);
    expect((await directory.post('/Users', body)).status).toBe(409);
    expect((await directory.delete(`/Users/${first}`)).status).toBe(204);
    const second = await directory.post('/Users', body);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first);
    const { rows } = await service.db.query(`select deleted_by, deleted_at from deleted_users where id = $1`, [first]);
    expect(rows).toMatchObject([{ deleted_by: { surface: 'scim', directory_id: tenant.directoryId } }]);
  });

  it('a value of 512 characters is accepted', async () => {
    const long = fresh().padEnd(512, 'é');
    expect((await directory.post('/Users', user(long, { externalId: long }))).body.userName).toBe(long);
  });
});

describe('200', () => {
  it('PUT is the whole resource: an attribute that is left out is unassigned, active stays unchanged', async () => {
    const name = fresh();
    const id = await madeUser(directory, user(name, { title: 'T', active: false, emails: [{ value: 'x@y.example' }] }));
    const put = await directory.put(`/Users/${id}`, user(name, { id: 'other', nickName: 'N' }));
    expect(put.status).toBe(200);
    const { meta: _, ...rest } = put.body;
    expect(rest).toEqual({ schemas: [USER], id, userName: name, nickName: 'N', active: false });
  });

  it('a PUT or PATCH without a change keeps version and lastModified', async () => {
    const body = user(fresh(), {
      title: 'T',
      emails: [{ value: 'x@y.example', type: 'work' }],
      [ENTERPRISE]: { division: 'D' },
    });
    const id = await madeUser(directory, body);
    const before = await get(id);
    await directory.put(`/Users/${id}`, { ...body, meta: before.meta, id });
    await directory.patch(
      `/Users/${id}`,
      patch({ op: 'add', path: 'title', value: 'T' }, { op: 'remove', path: 'nickName' }),
    );
    await directory.patch(
      `/Users/${id}`,
      patch({ op: 'add', path: 'emails', value: [{ value: 'x@y.example', type: 'work' }] }),
    );
    expect((await get(id)).meta).toEqual(before.meta);
    const changed = await directory.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'U' }));
    expect(changed.body.meta.version).toBe('W/"2"');
    expect(changed.body.meta.lastModified > before.meta.lastModified).toBe(true);
    expect(changed.body.meta.created).toBe(before.meta.created);
  });

  it('PATCH takes every form of path', async () => {
    const id = await madeUser(directory, user(fresh(), { emails: [{ value: 'h@x.example', type: 'home' }] }));
    const answer = await directory.patch(
      `/Users/${id}`,
      patch(
        { op: 'Add', path: 'emails[type eq "work"].value', value: 'w@x.example' },
        { op: 'replace', path: 'NAME.familyname', value: 'F' },
        { op: 'add', path: `${ENTERPRISE}:manager`, value: 'boss' },
        { op: 'add', path: `${USER}:nickName`, value: 'N' },
        { op: 'replace', value: { 'name.givenName': 'G', [`${ENTERPRISE}:department`]: 'D', active: 'False' } },
        { op: 'add', path: 'emails[value ew "h@x.example"].primary', value: true },
      ),
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      name: { familyName: 'F', givenName: 'G' },
      nickName: 'N',
      active: false,
      emails: [
        { value: 'h@x.example', type: 'home', primary: true },
        { value: 'w@x.example', type: 'work' },
      ],
      [ENTERPRISE]: { manager: { value: 'boss' }, department: 'D' },
    });
    expect(answer.body.schemas).toEqual([USER, ENTERPRISE]);
    const gone = await directory.patch(
      `/Users/${id}`,
      patch({ op: 'remove', path: ENTERPRISE }, { op: 'remove', path: 'emails[type eq "work"]' }),
    );
    expect(gone.body.schemas).toEqual([USER]);
    expect(gone.body.emails).toHaveLength(1);
  });

  it('attributes and excludedAttributes apply to every answer with a resource', async () => {
    const name = fresh();
    const body = user(name, {
      title: 'T',
      name: { givenName: 'G', familyName: 'F' },
      emails: [{ value: 'a@b.example', type: 'work' }],
    });
    const made = await directory.post('/Users?attributes=userName,emails.value', body);
    const id = made.body.id;
    expect(made.body).toEqual({ schemas: [USER], id, userName: name, emails: [{ value: 'a@b.example' }] });
    const only = { schemas: [USER], id, name: { givenName: 'G' } };
    const at = `/Users/${id}?attributes=${USER}:NAME.givenname`;
    expect((await directory.get(at)).body).toEqual(only);
    expect((await directory.put(at, body)).body).toEqual(only);
    expect((await directory.patch(at, patch({ op: 'add', path: 'title', value: 'U' }))).body).toEqual(only);
    const list = await directory.get(`/Users?attributes=name.givenName&filter=id eq "${id}"`);
    expect(list.body.Resources).toEqual([only]);
    const except = await directory.get(`/Users/${id}?excludedAttributes=name,emails.type,meta,id,active`);
    expect(except.body).toEqual({
      schemas: [USER],
      id,
      userName: name,
      title: 'U',
      emails: [{ value: 'a@b.example' }],
    });
    expect((await directory.get(`/Users/${id}?attributes=nothing`)).body).toEqual({ schemas: [USER], id });
  });

  it('groups of a user are shown, and cannot be written there', async () => {
    const id = await madeUser(directory);
    const groupId = await madeGroup(directory, [id]);
    const { groups } = await get(id);
    expect(groups).toMatchObject([{ value: groupId, type: 'direct' }]);
    expect(groups[0].$ref.endsWith(`/Groups/${groupId}`)).toBe(true);
    // They are no part of the document, and no write of the user touches them.
    await directory.put(`/Users/${id}`, user(fresh(), { groups: [] }));
    expect((await get(id)).groups).toEqual(groups);
    await directory.delete(`/Groups/${groupId}`);
    expect((await get(id)).groups).toBeUndefined();
  });

  it('application/json in and out, with parameters, in any case', async () => {
    const answer = await directory.post('/Users', user(fresh()), {
      'content-type': 'Application/JSON ; charset="UTF-8"',
      accept: 'application/json;q=0.9, text/html',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
});

describe('versions', () => {
  it('304 for the version the client has, 200 for another', async () => {
    const id = await madeUser(directory);
    for (const tag of ['W/"1"', '"1"', '*', 'W/"7", W/"1"']) {
      const same = await directory.get(`/Users/${id}`, undefined, { 'if-none-match': tag });
      expect([tag, same.status, same.text, same.headers.get('etag')]).toEqual([tag, 304, '', 'W/"1"']);
    }
    expect((await directory.get(`/Users/${id}`, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(200);
  });

  it('412 without a write when If-Match names another version than the stored one', async () => {
    const name = fresh();
    const id = await madeUser(directory, user(name));
    const stale = { 'if-match': 'W/"2"' };
    expect(failure(await directory.put(`/Users/${id}`, user(name, { title: 'x' }), stale))).toEqual([
      412,
      undefined,
      '412',
    ]);
    expect((await directory.patch(`/Users/${id}`, patch({ op: 'add', path: 'title', value: 'x' }), stale)).status).toBe(
      412,
    );
    expect((await directory.delete(`/Users/${id}`, undefined, stale)).status).toBe(412);
    expect((await get(id)).title).toBeUndefined();
    expect((await directory.put(`/Users/${id}`, user(name, { title: 'y' }), { 'if-match': 'W/"1"' })).status).toBe(200);
    expect((await directory.delete(`/Users/${id}`, undefined, { 'if-match': '*' })).status).toBe(204);
  });
});

describe('400', () => {
  const cases: [string, string, object | string, string][] = [
    ['no userName', 'invalidValue', { schemas: [USER] }, 'POST'],
    ['a blank userName', 'invalidValue', user('  '), 'POST'],
    ['a userName that is a number', 'invalidValue', { schemas: [USER], userName: 7 }, 'POST'],
    ['an externalId that is a number', 'invalidValue', user('num', { externalId: 12345 }), 'POST'],
    ['active that is a word', 'invalidValue', user('word', { active: 'yes' }), 'POST'],
    ['emails that are a text', 'invalidValue', user('mail', { emails: 'a@b.example' }), 'POST'],
    ['U+0000 in a known attribute', 'invalidValue', user('nul', { title: 'a\u0000b' }), 'POST'],
    ['U+0000 in an unknown one', 'invalidValue', user('nul', { colour: { x: ['\u0000'] } }), 'POST'],
    ['half a surrogate pair', 'invalidValue', '{"schemas":["' + USER + '"],"userName":"half\\ud800"}', 'POST'],
    ['a userName of 513 characters', 'invalidValue', user('x'.repeat(513)), 'POST'],
    ['an externalId of 513 characters', 'invalidValue', user('long', { externalId: 'x'.repeat(513) }), 'POST'],
    ['an e-mail of 513 characters', 'invalidValue', user('long', { emails: [{ value: 'x'.repeat(513) }] }), 'POST'],
    [
      'a name twice, in two cases',
      'invalidSyntax',
      '{"schemas":["' + USER + '"],"userName":"a","USERNAME":"b"}',
      'POST',
    ],
    ['no object', 'invalidSyntax', '[]', 'POST'],
    ['no JSON', 'invalidSyntax', '{"userName":', 'POST'],
    ['no body', 'invalidSyntax', '', 'POST'],
    ['what is 33 levels deep', 'invalidSyntax', `{"userName":"deep","x":${'['.repeat(33)}${']'.repeat(33)}}`, 'POST'],
    [
      '2 001 members',
      'invalidSyntax',
      user('many', Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`k${i}`, 1]))),
      'POST',
    ],
    ['a PUT without userName', 'invalidValue', { schemas: [USER] }, 'PUT'],
    ['a PATCH without operations', 'invalidValue', patch(), 'PATCH'],
    ['a PATCH that is none', 'invalidSyntax', { schemas: [USER], title: 'x' }, 'PATCH'],
    ['an unknown op', 'invalidSyntax', patch({ op: 'move', path: 'title', value: 'x' }), 'PATCH'],
    ['an unknown path', 'invalidPath', patch({ op: 'add', path: 'favouriteColour', value: 'x' }), 'PATCH'],
    ['a path that is none', 'invalidPath', patch({ op: 'add', path: 'emails[type eq', value: 'x' }), 'PATCH'],
    [
      'a value filter on an unknown attribute',
      'invalidFilter',
      patch({ op: 'remove', path: 'emails[hue eq "x"]' }),
      'PATCH',
    ],
    ['remove without a path', 'noTarget', patch({ op: 'remove' }), 'PATCH'],
    [
      'replace of what is not there',
      'noTarget',
      patch({ op: 'replace', path: 'emails[type eq "fax"].value', value: 'x' }),
      'PATCH',
    ],
    ['remove of what is required', 'mutability', patch({ op: 'remove', path: 'userName' }), 'PATCH'],
    ['userName set to nothing', 'invalidValue', patch({ op: 'replace', path: 'userName', value: null }), 'PATCH'],
    ['add without a value', 'invalidValue', patch({ op: 'add', path: 'title' }), 'PATCH'],
    ['U+0000 in a PATCH', 'invalidValue', patch({ op: 'add', path: 'title', value: '\u0000' }), 'PATCH'],
    [
      '513 characters in a PATCH',
      'invalidValue',
      patch({ op: 'add', path: 'externalId', value: 'x'.repeat(513) }),
      'PATCH',
    ],
    ['a path through the prototype', 'invalidPath', patch({ op: 'add', path: '__proto__.x', value: 1 }), 'PATCH'],
  ];
  it.each(cases)('%s: %s', async (_, scimType, body, method) => {
    const id = method === 'POST' ? null : await madeUser(directory);
    const before = id && (await get(id));
    const answer = await send(method, `${service.url}/scim/v2/Users${id ? `/${id}` : ''}`, tenant.scimToken, body, {
      'content-type': 'application/scim+json',
    });
    expect(failure(answer)).toEqual([400, scimType, '400']);
    expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    if (id) expect(await get(id)).toEqual(before);
  });

  it.each(['id', 'meta', 'meta.version', 'groups', 'groups[value eq "x"]', 'meta.created'])(
    'mutability: a PATCH of %s, which the server writes',
    async (path) => {
      const id = await madeUser(directory);
      for (const op of ['add', 'replace', 'remove']) {
        const answer = await directory.patch(
          `/Users/${id}`,
          patch({ op, path, value: op === 'remove' ? undefined : 'x' }),
        );
        expect([op, ...failure(answer)]).toEqual([op, 400, 'mutability', '400']);
      }
    },
  );

  it('a PATCH has no effect when any operation fails', async () => {
    const id = await madeUser(
      directory,
      user(fresh(), { title: 'T', emails: [{ value: 'a@b.example', type: 'work' }] }),
    );
    const before = await get(id);
    const good = [
      { op: 'replace', path: 'title', value: 'changed' },
      { op: 'add', path: 'emails', value: [{ value: 'c@d.example', type: 'home' }] },
    ];
    for (const bad of [
      { op: 'add', path: 'nothing', value: 1 },
      { op: 'replace', path: 'active', value: 'perhaps' },
      { op: 'replace', path: 'id', value: 'x' },
      { op: 'replace', path: 'emails[type eq "fax"]', value: { value: 'x' } },
    ]) {
      expect((await directory.patch(`/Users/${id}`, patch(...good, bad))).status).toBe(400);
    }
    expect(await get(id)).toEqual(before);
  });

  it('__proto__, constructor and prototype are refused as names, and change no prototype', async () => {
    const id = await madeUser(directory);
    for (const name of ['__proto__', 'constructor', 'prototype', '__PROTO__']) {
      const raw = (text: string) => text.replaceAll('NAME', name);
      const attempts: [string, string, string][] = [
        ['POST', '', raw(`{"schemas":["${USER}"],"userName":"p","NAME":{"polluted":1}}`)],
        ['POST', '', raw(`{"schemas":["${USER}"],"userName":"p","name":{"NAME":{"polluted":1}}}`)],
        ['POST', '', raw(`{"schemas":["${USER}"],"userName":"p","${ENTERPRISE}":{"NAME":{"polluted":1}}}`)],
        ['PATCH', `/${id}`, JSON.stringify(patch({ op: 'add', path: `${name}.polluted`, value: 1 }))],
        ['PATCH', `/${id}`, JSON.stringify(patch({ op: 'add', path: `name.${name}`, value: 1 }))],
        [
          'PATCH',
          `/${id}`,
          raw(JSON.stringify(patch({ op: 'add', value: {} })).replace('{}', '{"NAME":{"polluted":1}}')),
        ],
        ['PATCH', `/${id}`, raw(JSON.stringify(patch({ op: 'add', value: {} })).replace('{}', '{"NAME.polluted":1}'))],
      ];
      for (const [method, at, body] of attempts) {
        const answer = await send(method, `${service.url}/scim/v2/Users${at}`, tenant.scimToken, body, {
          'content-type': 'application/scim+json',
        });
        expect([method, body, answer.status]).toEqual([method, body, 400]);
      }
      expect((await directory.get(`/Users?filter=${name}.polluted%20pr`)).status).toBe(400);
      expect((await directory.get(`/Users?sortBy=${name}`)).status).toBe(400);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await get(id)).polluted).toBeUndefined();
  });

  it('attributes together with excludedAttributes', async () => {
    const id = await madeUser(directory);
    expect(failure(await directory.get(`/Users/${id}?attributes=title&excludedAttributes=name`))).toEqual([
      400,
      'invalidValue',
      '400',
    ]);
    // Refused before anything is written.
    const name = fresh();
    expect((await directory.post('/Users?attributes=title&excludedAttributes=name', user(name))).status).toBe(400);
    expect((await directory.post('/Users', user(name))).status).toBe(201);
  });

  it('a strict directory refuses unknown attributes, and a PATCH without a path', async () => {
    const name = fresh();
    expect(failure(await strict.post('/Users', user(name, { colour: 'x' })))).toEqual([400, 'invalidSyntax', '400']);
    expect(failure(await strict.post('/Users', { userName: name }))).toEqual([400, 'invalidSyntax', '400']);
    expect(failure(await strict.post('/Users', user(name, { active: 'True' })))).toEqual([400, 'invalidValue', '400']);
    const id = await madeUser(strict, user(name, { password: 'x' }));
    expect(failure(await strict.patch(`/Users/${id}`, patch({ op: 'replace', value: { title: 'x' } })))).toEqual([
      400,
      'invalidPath',
      '400',
    ]);
    expect((await strict.patch(`/Users/${id}`, patch({ op: 'Replace', path: 'title', value: 'x' }))).status).toBe(400);
    expect((await strict.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'x' }))).status).toBe(200);
  });
});

describe('401', () => {
  it('without a token, with a wrong one, and with an API key; a SCIM token is refused elsewhere', async () => {
    for (const token of [null, 'x', 'tbs_wrong', tenant.apiKey, service.operatorToken]) {
      const answer = await scim(service.url, token).get('/Users');
      expect(failure(answer)).toEqual([401, undefined, '401']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(typeof answer.body.detail).toBe('string');
    }
    expect((await send('GET', `${service.url}/api/v1/users`, tenant.scimToken)).status).toBe(401);
    expect((await send('GET', `${service.url}/api/v1/users`, tenant.apiKey)).status).toBe(200);
    const basic = await send('GET', `${service.url}/scim/v2/Users`, null, undefined, {
      authorization: `Basic ${Buffer.from(`x:${tenant.scimToken}`).toString('base64')}`,
    });
    expect(basic.status).toBe(401);
    const lower = await send('GET', `${service.url}/scim/v2/Users`, null, undefined, {
      authorization: `bearer ${tenant.scimToken}`,
    });
    expect(lower.status).toBe(200);
  });
});

describe('404, 405, 406, 413, 415', () => {
  it('404 with the same body for every operation on a missing user, and for the second DELETE', async () => {
    const other = scim(service.url, (await service.newTenant()).scimToken);
    const theirs = await madeUser(other, user(fresh(), { title: 'secret' }));
    const gone = await madeUser(directory);
    expect((await directory.delete(`/Users/${gone}`)).status).toBe(204);
    const bodies = new Set<string>();
    for (const id of ['usr_unknown', gone, theirs, 'x y', '..%2fGroups', 'usr_%00', '%F0%9F%A6%8A']) {
      for (const [method, body] of [
        ['GET'],
        ['PUT', user(fresh())],
        ['PATCH', patch({ op: 'add', path: 'title', value: 'x' })],
        ['DELETE'],
      ] as const) {
        const answer = await send(method, `${service.url}/scim/v2/Users/${id}`, tenant.scimToken, body);
        if (id !== 'usr_%00') expect([id, method, answer.status]).toEqual([id, method, 404]);
        else expect([404, 400]).toContain(answer.status);
        if (answer.status === 404) bodies.add(answer.text);
      }
    }
    expect([...bodies]).toHaveLength(1);
    expect((await other.get(`/Users/${theirs}`)).body.title).toBe('secret');
  });

  it('404 for an unknown address', async () => {
    for (const path of ['/Nothing', '/Users/a/b', '/ServiceProviderConfig/x', '/v3/Users']) {
      expect([path, ...failure(await directory.get(path))]).toEqual([path, 404, undefined, '404']);
    }
  });

  it('405 for an unknown method of an address', async () => {
    const id = await madeUser(directory);
    for (const [method, path] of [
      ['PUT', '/Users'],
      ['PATCH', '/Users'],
      ['DELETE', '/Users'],
      ['POST', `/Users/${id}`],
      ['GET', '/Bulk'],
      ['PUT', '/Groups'],
      ['POST', '/Schemas'],
      ['DELETE', '/ServiceProviderConfig'],
      ['PUT', '/ResourceTypes/User'],
      ['DELETE', '/'],
    ] as const) {
      const answer = await send(method, `${service.url}/scim/v2${path}`, tenant.scimToken);
      expect([method, path, ...failure(answer)]).toEqual([method, path, 405, undefined, '405']);
      expect(answer.headers.get('allow')).toBeTruthy();
    }
  });

  it('406 when the client accepts no JSON, 415 when it sends none', async () => {
    expect(failure(await directory.get('/Users', undefined, { accept: 'text/html' }))).toEqual([406, undefined, '406']);
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/scim+json; charset=latin1',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await directory.post('/Users', user(fresh()), { 'content-type': type });
      expect([type, ...failure(answer)]).toEqual([type, 415, undefined, '415']);
    }
    expect(failure(await directory.post('/Users', user(fresh()), { 'content-encoding': 'gzip' }))).toEqual([
      415,
      undefined,
      '415',
    ]);
  });

  it('413 for a body over 1 MiB', async () => {
    const of = (length: number) => JSON.stringify(user(fresh())).padEnd(length, ' ');
    expect(failure(await directory.post('/Users', of(1024 * 1024 + 1)))).toEqual([413, undefined, '413']);
    expect((await directory.post('/Users', of(1024 * 1024))).status).toBe(201);
  });
});

describe('409', () => {
  long('a userName of another user, in any case, width or composition', async () => {
    const name = fresh('Zoë');
    const id = await madeUser(directory, user(name));
    const mine = await madeUser(directory);
    for (const same of [name, name.toUpperCase(), name.normalize('NFD'), `Ｚ${name.slice(1)}`]) {
      expect([same, ...failure(await directory.post('/Users', user(same)))]).toEqual([same, 409, 'uniqueness', '409']);
      expect((await directory.put(`/Users/${mine}`, user(same))).status).toBe(409);
      const answer = await directory.patch(`/Users/${mine}`, patch({ op: 'replace', path: 'userName', value: same }));
      expect([same, ...failure(answer)]).toEqual([same, 409, 'uniqueness', '409']);
      const found = await directory.get(`/Users?filter=${encodeURIComponent(`userName eq ${JSON.stringify(same)}`)}`);
      expect(found.body.Resources.map((each: { id: string }) => each.id)).toEqual([id]);
    }
    // One's own name in another case is a change.
    expect((await directory.put(`/Users/${id}`, user(name.toUpperCase()))).body.userName).toBe(name.toUpperCase());
    // Names are the tenant's: another tenant has its own, another directory of this one has not.
    const other = scim(service.url, (await service.newTenant()).scimToken);
    expect((await other.post('/Users', user(name))).status).toBe(201);
    const second = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    expect((await second.post('/Users', user(name))).status).toBe(409);
  });

  it('no 409 for an externalId or e-mail of another user', async () => {
    const externalId = fresh();
    const emails = [{ value: `${fresh()}@x.example`, type: 'work' }];
    await madeUser(directory, user(fresh(), { externalId, emails }));
    expect((await directory.post('/Users', user(fresh(), { externalId, emails }))).status).toBe(201);
    const found = await directory.get(`/Users?filter=externalId eq "${externalId}"`);
    expect(found.body.totalResults).toBe(2);
  });
});

describe('two directories of one tenant', () => {
  it('do not see each other’s users or groups', async () => {
    const second = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    const id = await madeUser(directory);
    expect((await second.get(`/Users/${id}`)).status).toBe(404);
    expect((await second.delete(`/Users/${id}`)).status).toBe(404);
    expect((await second.get(`/Users?filter=id eq "${id}"`)).body.totalResults).toBe(0);
  });

  it('see unmanaged users, without their groups of another directory', async () => {
    const api = await send('POST', `${service.url}/api/v1/users`, tenant.apiKey, {
      email: `${fresh()}@x.example`,
      first_name: 'A',
      last_name: 'B',
    });
    const second = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    const groupId = await madeGroup(second, [api.body.id]);
    expect((await second.get(`/Users/${api.body.id}`)).body.groups).toMatchObject([{ value: groupId }]);
    expect((await directory.get(`/Users/${api.body.id}`)).body.groups).toBeUndefined();
    expect((await directory.get(`/Users?filter=groups.value eq "${groupId}"`)).body.totalResults).toBe(0);
  });
});
