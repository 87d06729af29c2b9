import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, send, type Answer, type Client } from '../../support/http.js';
import { failure, fresh, group, GROUP, madeGroup, madeUser, membersOf, patch, scim, user } from '../../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
let api: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  directory = scim(service.url, tenant.scimToken);
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
afterAll(() => service.close());

const get = async (id: string) => (await directory.get(`/Groups/${id}`)).body;
const edit = (id: string, ...operations: object[]) => directory.patch(`/Groups/${id}`, patch(...operations));
const pendingOf = async (directoryId = tenant.directoryId) =>
  ((await api.get(`/directories/${directoryId}/pending-members?limit=200`)).body.data as { member_id: string }[]).map(
    (each) => each.member_id,
  );
const people = (count: number) => Promise.all(Array.from({ length: count }, () => madeUser(directory)));

describe('201', () => {
  it('a group with its members, in its first version', async () => {
    const [a, b] = await people(2);
    const body = group(fresh('Ünï 🦊 '), {
      externalId: fresh(),
      members: [{ value: a, display: 'A', $ref: null }, { value: b, type: 'User' }, { value: a }],
    });
    const made = await directory.post('/Groups', body);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(made.body.meta.location);
    expect(made.body.meta).toMatchObject({
      resourceType: 'Group',
      version: 'W/"1"',
      lastModified: made.body.meta.created,
    });
    expect(made.body.schemas).toEqual([GROUP]);
    expect(made.body.members).toHaveLength(2);
    const first = made.body.members.find(({ value }: { value: string }) => value === a);
    expect(first).toMatchObject({ type: 'User', display: 'A' });
    expect(first.$ref.endsWith(`/scim/v2/Users/${a}`)).toBe(true);
    expect(await get(made.body.id)).toEqual(made.body);
  });

  it('groups within groups, with the type Group', async () => {
    const inner = await madeGroup(directory, await people(1));
    const outer = await madeGroup(directory, [inner]);
    expect((await get(outer)).members).toMatchObject([{ value: inner, type: 'Group' }]);
    // A circle is two memberships; no code walks along it.
    await edit(inner, { op: 'add', path: 'members', value: [{ value: outer }] });
    expect(await membersOf(directory, inner)).toContain(outer);
    // Itself it cannot hold.
    await edit(outer, { op: 'add', path: 'members', value: [{ value: outer }] });
    expect(await membersOf(directory, outer)).toEqual([inner]);
    expect((await directory.delete(`/Groups/${inner}`)).status).toBe(204);
    expect(await membersOf(directory, outer)).toEqual([]);
  });
});

describe('200 and 204', () => {
  it('PATCH answers 204, or 200 where attributes are asked for', async () => {
    const [a] = await people(1);
    const id = await madeGroup(directory);
    const plain = await edit(id, { op: 'add', path: 'members', value: [{ value: a }] });
    expect([plain.status, plain.text]).toEqual([204, '']);
    const shown = await directory.patch(
      `/Groups/${id}?attributes=members`,
      patch({ op: 'add', path: 'externalId', value: 'x' }),
    );
    expect([shown.status, shown.body.members.length, shown.body.externalId]).toEqual([200, 1, undefined]);
    const rest = await directory.patch(
      `/Groups/${id}?excludedAttributes=members`,
      patch({ op: 'remove', path: 'externalId' }),
    );
    expect([rest.status, rest.body.members, rest.body.displayName]).toEqual([200, undefined, expect.any(String)]);
  });

  it('members: add, remove, replace, by path and by filter', async () => {
    const ids = (await people(4)).sort();
    const [a, b, c, d] = ids as [string, string, string, string];
    const inner = await madeGroup(directory);
    const id = await madeGroup(directory);
    const is = async (...wanted: string[]) => expect(await membersOf(directory, id)).toEqual([...wanted].sort());
    await edit(id, { op: 'add', path: 'members', value: [{ value: a }, { value: b, display: 'Bee' }] });
    await is(a, b);
    await edit(
      id,
      { op: 'add', path: 'members', value: { value: c } },
      { op: 'add', value: { members: [{ value: d }] } },
    );
    await is(a, b, c, d);
    await edit(id, { op: 'remove', path: `members[value eq "${a}"]` });
    await is(b, c, d);
    await edit(id, { op: 'Remove', path: 'members', value: [{ value: c, $ref: null }] });
    await is(b, d);
    await edit(id, { op: 'remove', path: 'members', value: [] });
    await is(b, d);
    await edit(id, { op: 'remove', path: 'members[display eq "bee"]' });
    await is(d);
    await edit(id, { op: 'add', path: 'members', value: [{ value: inner }, { value: a }] });
    await edit(id, { op: 'remove', path: 'members[type eq "User"]' });
    await is(inner);
    await edit(id, { op: 'replace', path: 'members', value: [{ value: a }, { value: b }] });
    await is(a, b);
    await edit(id, { op: 'remove', path: `members[value eq "${a}" or value eq "${c}"]` });
    await is(b);
    await edit(id, { op: 'replace', path: 'members', value: [] });
    await is();
    await edit(id, { op: 'add', path: 'members', value: [{ value: a }] });
    await edit(id, { op: 'remove', path: 'members' });
    await is();
    await edit(id, { op: 'replace', value: { id, displayName: fresh('Renamed '), members: [{ value: d }] } });
    await is(d);
    await edit(id, { op: 'replace', value: { displayName: fresh('Renamed ') } });
    await is(d);
    await directory.put(`/Groups/${id}`, group(fresh('Put ')));
    await is();
  });

  it('a request without a change keeps version and lastModified', async () => {
    const [a, b] = await people(2);
    const name = fresh('Still ');
    const id = await madeGroup(directory, [a!], { displayName: name });
    const { meta } = await get(id);
    await edit(id, { op: 'add', path: 'members', value: [{ value: a }] });
    await edit(id, { op: 'remove', path: `members[value eq "${b}"]` });
    await edit(id, { op: 'remove', path: 'members[display eq "unknown"]' });
    await edit(id, { op: 'replace', path: 'members', value: [{ value: a }] });
    await edit(id, { op: 'replace', value: { id, displayName: name } });
    await directory.put(`/Groups/${id}`, group(name, { members: [{ value: a }] }));
    expect((await get(id)).meta).toEqual(meta);
    await edit(id, { op: 'add', path: 'members', value: [{ value: b }] });
    expect((await get(id)).meta.version).not.toBe(meta.version);
  });

  it('a PATCH has its whole effect or none', async () => {
    const [a] = await people(1);
    const id = await madeGroup(directory);
    const before = await get(id);
    const answer = await edit(
      id,
      { op: 'add', path: 'members', value: [{ value: a }] },
      { op: 'replace', path: 'displayName', value: 'x' },
      { op: 'add', path: 'nothing', value: 1 },
    );
    expect(failure(answer)).toEqual([400, 'invalidPath', '400']);
    expect(await get(id)).toEqual(before);
  });

  it('304 and 412', async () => {
    const id = await madeGroup(directory);
    expect((await directory.get(`/Groups/${id}`, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304);
    const stale = { 'if-match': 'W/"9"' };
    for (const answer of [
      await directory.patch(`/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: 'x' }] }), stale),
      await directory.put(`/Groups/${id}`, group(fresh()), stale),
      await directory.delete(`/Groups/${id}`, undefined, stale),
    ]) {
      expect(failure(answer)).toEqual([412, undefined, '412']);
    }
    expect((await directory.delete(`/Groups/${id}`, undefined, { 'if-match': 'W/"1"' })).status).toBe(204);
  });
});

describe('unknown members', () => {
  it('wait as pending, do not fail the others, and can be taken back', async () => {
    const [a] = await people(1);
    const unknown = fresh('usr_unknown');
    const id = await madeGroup(directory, [a!, unknown]);
    expect(await membersOf(directory, id)).toEqual([a]);
    expect(await pendingOf()).toContain(unknown);
    await edit(id, { op: 'remove', path: 'members', value: [{ value: unknown }] });
    expect(await pendingOf()).not.toContain(unknown);
    await edit(id, { op: 'add', path: 'members', value: [{ value: unknown }] });
    await edit(id, { op: 'replace', path: 'members', value: [] });
    expect(await pendingOf()).not.toContain(unknown);
  });

  it('an id is never looked up as externalId or userName', async () => {
    const name = fresh();
    await madeUser(directory, user(name, { externalId: `E${name}` }));
    const id = await madeGroup(directory, [name, `E${name}`]);
    expect(await membersOf(directory, id)).toEqual([]);
  });

  it('join when a user of that id comes into the directory', async () => {
    const old = await service.newDirectory(tenant.tenantId);
    const theirs = scim(service.url, old.token);
    const name = fresh();
    const moving = await madeUser(theirs, user(name));
    const linking = await madeUser(theirs, user(`${name}2`));
    const id = await madeGroup(directory, [moving, linking]);
    expect(await membersOf(directory, id)).toEqual([]);
    expect(await pendingOf()).toEqual(expect.arrayContaining([moving, linking]));
    // No directory manages them any more, so every directory sees them.
    expect((await api.delete(`/directories/${old.id}?force=true`)).status).toBe(204);
    expect(await membersOf(directory, id)).toEqual([moving, linking].sort());
    expect(await pendingOf()).not.toContain(moving);
    expect((await directory.get(`/Users/${moving}`)).body.groups).toMatchObject([{ value: id }]);
  });

  it('join when the directory takes them over from another one, and get the role of the group', async () => {
    const old = await service.newDirectory(tenant.tenantId);
    const theirs = scim(service.url, old.token);
    const name = fresh();
    const person = await madeUser(theirs, user(name));
    const mine = await service.newDirectory(tenant.tenantId);
    const next = scim(service.url, mine.token);
    const id = await madeGroup(next, [person]);
    expect(await membersOf(next, id)).toEqual([]);
    expect((await api.put(`/directories/${mine.id}/rules`, { rules: [{ group_id: id, role: 'Admin' }] })).status).toBe(
      200,
    );
    expect((await api.patch(`/directories/${mine.id}`, { takes_over: old.id })).status).toBe(200);
    const linked = await next.post('/Users', user(name));
    expect([linked.status, linked.body.id]).toEqual([201, person]);
    expect(linked.body.groups).toMatchObject([{ value: id }]);
    expect(await membersOf(next, id)).toEqual([person]);
    expect(await pendingOf(mine.id)).toEqual([]);
    expect((await api.get(`/users/${person}`)).body).toMatchObject({ role: 'Admin', managed_by: { id: mine.id } });
  });

  it('join in the write that creates the user, or the write has no effect', async () => {
    const old = await service.newDirectory(tenant.tenantId);
    const theirs = scim(service.url, old.token);
    const name = fresh();
    const person = await madeUser(theirs, user(name));
    const mine = await service.newDirectory(tenant.tenantId, { takes_over: old.id });
    const next = scim(service.url, mine.token);
    // As if the process had been killed between the person and their groups.
    await service.db.execute(`
      create function refuse_member() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse_member before delete on pending_members for each row when (old.member_id = '${person}')
        execute function refuse_member()`);
    const id = await madeGroup(next, [person]);
    // Members of the directory that is taken over are seen already; this one was asked for before.
    await service.db.query('delete from group_members where group_id = $1', [id]);
    await service.db.query(`insert into pending_members (tenant_id, group_id, member_id) values ($1, $2, $3)`, [
      tenant.tenantId,
      id,
      person,
    ]);
    expect((await next.post('/Users', user(name))).status).toBe(500);
    expect((await api.get(`/users/${person}`)).body.managed_by.id).toBe(old.id);
    await service.db.execute('drop function refuse_member() cascade');
    expect((await next.post('/Users', user(name))).body.id).toBe(person);
    expect(await membersOf(next, id)).toEqual([person]);
    expect(await pendingOf(mine.id)).toEqual([]);
  });

  it('never join from another tenant', async () => {
    const other = await service.newTenant();
    const theirs = await madeUser(scim(service.url, other.scimToken));
    const id = await madeGroup(directory, [theirs]);
    expect(await membersOf(directory, id)).toEqual([]);
    await client(`${service.url}/api/v1`, other.apiKey).delete(`/directories/${other.directoryId}?force=true`);
    expect(await membersOf(directory, id)).toEqual([]);
    expect((await directory.get(`/Groups?filter=members.value eq "${theirs}"`)).body.totalResults).toBe(0);
  });
});

describe('400', () => {
  it.each([
    ['a member without an id', 'invalidValue', { op: 'add', path: 'members', value: [{ display: 'x' }] }],
    ['members that are a number', 'invalidValue', { op: 'add', path: 'members', value: 7 }],
    ['a member’s id that is a number', 'invalidValue', { op: 'add', path: 'members', value: [{ value: 7 }] }],
    ['U+0000 in an id', 'invalidValue', { op: 'add', path: 'members', value: [{ value: 'a\u0000' }] }],
    ['another id for a member', 'mutability', { op: 'replace', path: 'members[value eq "x"].value', value: 'y' }],
    ['a filter that is none', 'invalidPath', { op: 'remove', path: 'members[value eq' }],
    ['an unknown attribute of a member', 'invalidFilter', { op: 'remove', path: 'members[hue eq "x"]' }],
    ['no displayName any more', 'mutability', { op: 'remove', path: 'displayName' }],
    ['a displayName of 513 characters', 'invalidValue', { op: 'replace', path: 'displayName', value: 'x'.repeat(513) }],
    ['meta', 'mutability', { op: 'replace', path: 'meta.version', value: 'x' }],
  ])('%s', async (_, scimType, operation) => {
    const id = await madeGroup(directory, await people(1));
    const before = await get(id);
    expect(failure(await edit(id, operation))).toEqual([400, scimType, '400']);
    expect(await get(id)).toEqual(before);
  });

  it('no displayName, a blank one, a list that is none', async () => {
    for (const body of [
      group(''),
      group('  '),
      { schemas: [GROUP] },
      group(fresh(), { members: 'x' }),
      group(fresh(), { members: [[]] }),
    ]) {
      expect((await directory.post('/Groups', body)).status).toBe(400);
    }
  });
});

describe('404', () => {
  it('for every operation, with one body, when the group is unknown, deleted, or of another directory or tenant', async () => {
    const elsewhere = [
      scim(service.url, (await service.newTenant()).scimToken),
      scim(service.url, (await service.newDirectory(tenant.tenantId)).token),
    ];
    const ids = [
      'grp_unknown',
      await madeGroup(directory),
      ...(await Promise.all(elsewhere.map((each) => madeGroup(each)))),
    ];
    await directory.delete(`/Groups/${ids[1]}`);
    const bodies = new Set<string>();
    for (const id of ids) {
      for (const [method, body] of [
        ['GET'],
        ['PUT', group(fresh())],
        ['PATCH', patch({ op: 'add', path: 'members', value: [{ value: 'x' }] })],
        ['PATCH', patch({ op: 'remove', path: 'members[display eq "x"]' })],
        ['PATCH', patch({ op: 'replace', path: 'displayName', value: 'x' })],
        ['DELETE'],
      ] as const) {
        const answer = await send(method, `${service.url}/scim/v2/Groups/${id}`, tenant.scimToken, body);
        expect([id, method, answer.status]).toEqual([id, method, 404]);
        bodies.add(answer.text);
      }
    }
    expect([...bodies]).toHaveLength(1);
    expect((await elsewhere[0]!.get(`/Groups/${ids[2]}`)).status).toBe(200);
    // Nor does anybody else's group become a member.
    const id = await madeGroup(directory, ids.slice(2));
    expect(await membersOf(directory, id)).toEqual([]);
  });
});

describe('409', () => {
  it('a displayName that another group of the directory has, in any case', async () => {
    const name = fresh('Çözüm ');
    await madeGroup(directory, [], { displayName: name });
    expect(failure(await directory.post('/Groups', group(name.toUpperCase())))).toEqual([409, 'uniqueness', '409']);
    const second = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    expect((await second.post('/Groups', group(name))).status).toBe(201);
  });
});

describe('a name that another group has', () => {
  const named = async (name: string) => {
    const { body } = await directory.get(`/Groups?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
    return (body.Resources as { id: string }[]).map(({ id }) => id).sort();
  };
  const rename = (id: string, value: string) => edit(id, { op: 'replace', path: 'displayName', value });

  it('can be given by PUT and PATCH, so that two groups swap their names', async () => {
    const [a, b] = [fresh('Ärzte '), fresh('B ')];
    const first = await madeGroup(directory, [], { displayName: a, externalId: 'E' });
    const second = await madeGroup(directory, [], { displayName: b });
    expect((await rename(first, b.toUpperCase())).status).toBe(204);
    expect(await named(b)).toEqual([first, second].sort());
    expect((await directory.put(`/Groups/${second}`, group(a))).body).toMatchObject({ displayName: a });
    expect(await named(b)).toEqual([first]);
  });

  it('is refused to a new group, also when no group was created with it', async () => {
    const [a, b] = [fresh('A '), fresh('B ')];
    const first = await madeGroup(directory, [], { displayName: a });
    const second = await madeGroup(directory, [], { displayName: b });
    await rename(first, b);
    await directory.delete(`/Groups/${second}`);
    for (const name of [b, b.toUpperCase()]) {
      expect(failure(await directory.post('/Groups', group(name)))).toEqual([409, 'uniqueness', '409']);
    }
    expect((await directory.post('/Groups', group(a))).status).toBe(201);
    await rename(first, fresh('C '));
    expect((await directory.post('/Groups', group(b))).status).toBe(201);
  });

  it('is given to one new group when many ask for it at once, beside groups that are renamed to it', async () => {
    const name = fresh('Wanted ');
    const others = await Promise.all(Array.from({ length: 6 }, () => madeGroup(directory)));
    const [made, renamed] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, () => directory.post('/Groups', group(name)))),
      Promise.all(others.map((id) => rename(id, name))),
    ]);
    expect(renamed.map(({ status }) => status)).toEqual(Array(6).fill(204));
    const created = made.filter(({ status }) => status === 201);
    expect(created.length).toBeLessThan(2);
    expect(await named(name)).toEqual([...others, ...created.map(({ body }) => body.id as string)].sort());
  });

  it('leaves pages by name complete', async () => {
    const client = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    const ids = await Promise.all(Array.from({ length: 7 }, () => madeGroup(client)));
    for (const id of ids)
      await client.patch(`/Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: 'One' }));
    const met: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Answer = await client.get(`/Groups?sortBy=displayName&count=2&cursor=${encodeURIComponent(cursor)}`);
      met.push(...(page.body.Resources as { id: string }[]).map(({ id }) => id));
      cursor = page.body.nextCursor as string | undefined;
    }
    expect(met).toEqual([...ids].sort());
  });
});

describe('roles and rules', () => {
  it('groups of a replaced directory give no roles to the users of its successor', async () => {
    const old = await service.newDirectory(tenant.tenantId);
    const theirs = scim(service.url, old.token);
    const name = fresh();
    const person = await madeUser(theirs, user(name));
    const id = await madeGroup(theirs);
    await api.put(`/directories/${old.id}/rules`, { rules: [{ group_id: id, role: 'Admin' }] });
    const next = scim(service.url, (await service.newDirectory(tenant.tenantId, { takes_over: old.id })).token);
    expect((await next.put(`/Users/${person}`, user(name, { title: 'T' }))).status).toBe(200);
    const before = (await api.get(`/users/${person}`)).body;
    expect(
      (await theirs.patch(`/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: person }] }))).status,
    ).toBe(204);
    expect((await theirs.delete(`/Users/${person}`)).status).toBe(204);
    expect((await theirs.put(`/Users/${person}`, user(name, { active: false }))).status).toBe(200);
    expect((await api.get(`/users/${person}`)).body).toEqual(before);
    expect((await next.get(`/Users/${person}`)).body).toMatchObject({ title: 'T', active: true });
  });
});

describe('members without all attributes', () => {
  it.each([
    ['attributes=members.value', ['value']],
    ['attributes=members.value,members.display', ['display', 'value']],
    ['attributes=members.display', ['display']],
    ['attributes=members.$ref,members.type', ['$ref', 'type']],
    ['excludedAttributes=members.display', ['$ref', 'type', 'value']],
    ['excludedAttributes=members.value,members.type', ['$ref', 'display']],
    ['excludedAttributes=members.value,members.type,members.display,members.$ref', null],
  ])('%s: alone, in a list, and after a write', async (query, keys) => {
    const id = await madeGroup(directory);
    const shown = { value: await madeUser(directory), display: 'Shown' };
    const path = `/Groups/${id}?${query}`;
    await edit(id, { op: 'add', path: 'members', value: [shown] });
    const ofMembers = ({ members }: { members?: object[] }) =>
      members?.map((member) => Object.keys(member).sort()) ?? null;
    const expected = keys && [keys];
    expect(ofMembers((await directory.get(path)).body)).toEqual(expected);
    const listed = await directory.get(`/Groups?filter=${encodeURIComponent(`id eq "${id}"`)}&${query}`);
    expect(ofMembers(listed.body.Resources[0])).toEqual(expected);
    const put = await directory.put(path, group(fresh('P'), { members: [shown] }));
    expect(ofMembers(put.body)).toEqual(expected);
  });
});
