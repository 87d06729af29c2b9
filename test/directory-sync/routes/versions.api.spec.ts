import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, eventually, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { bulk, fresh, group, madeGroup, madeUser, patch, scim, user } from '../../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  tenant = await service.newTenant();
  directory = scim(service.url, tenant.scimToken);
});
afterAll(() => service.close());

interface Version {
  tag: string;
  lastModified: string;
}

/** The version of a resource; fails where header, `meta`, lists, filters and conditions do not agree on it. */
async function versionOf(path: string): Promise<Version> {
  const read = await directory.get(path);
  const tag = read.headers.get('etag')!;
  const { version, lastModified } = read.body.meta;
  expect(version).toBe(tag);
  const [, type, id] = path.split('/') as [string, string, string];
  for (const more of ['', '&excludedAttributes=groups,members', '&attributes=meta']) {
    const listed = await directory.get(`/${type}?filter=${encodeURIComponent(`id eq "${id}"`)}${more}`);
    expect([more, listed.body.Resources[0].meta.version]).toEqual([more, tag]);
    expect([more, listed.body.Resources[0].meta.lastModified]).toEqual([more, lastModified]);
    const alone = await directory.get(`${path}?${more.slice(1)}`);
    expect([more, alone.headers.get('etag')]).toEqual([more, tag]);
  }
  const filters = [`meta.version eq "${tag.replaceAll('"', '\\"')}"`, `meta.lastModified eq "${lastModified}"`];
  for (const filter of filters) {
    const found = await directory.get(`/${type}?filter=${encodeURIComponent(`id eq "${id}" and ${filter}`)}`);
    expect([filter, found.body.totalResults]).toEqual([filter, 1]);
  }
  expect((await directory.get(path, undefined, { 'if-none-match': tag })).status).toBe(304);
  const stale = await directory.patch(path, patch({ op: 'add', path: 'externalId', value: 'no' }), {
    'if-match': 'W/"0"',
  });
  expect(stale.status).toBe(412);
  return { tag, lastModified };
}

/** Runs a change; the version of `path` has to be another one after it, and the old one no longer counts. */
async function moves(path: string, change: () => Promise<unknown>): Promise<void> {
  const before = await versionOf(path);
  await change();
  const after = await versionOf(path);
  expect(after.tag).not.toBe(before.tag);
  expect((await directory.get(path, undefined, { 'if-none-match': before.tag })).status).toBe(200);
  const late = await directory.patch(path, patch({ op: 'add', path: 'externalId', value: 'no' }), {
    'if-match': before.tag,
  });
  expect(late.status).toBe(412);
}

const add = (groupId: string, value: string) =>
  directory.patch(`/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value }] }));
const remove = (groupId: string, value: string) =>
  directory.patch(`/Groups/${groupId}`, patch({ op: 'remove', path: `members[value eq "${value}"]` }));

describe('the version of a user', () => {
  long('changes when a group of the user is joined, renamed, left or deleted', async () => {
    const id = await madeUser(directory);
    const groupId = await madeGroup(directory);
    const path = `/Users/${id}`;
    await moves(path, () => add(groupId, id));
    await moves(path, () =>
      directory.patch(`/Groups/${groupId}`, patch({ op: 'replace', path: 'displayName', value: fresh('Renamed ') })),
    );
    await moves(path, () => remove(groupId, id));
    await moves(path, () => directory.put(`/Groups/${groupId}`, group(fresh('P'), { members: [{ value: id }] })));
    await moves(path, () => directory.delete(`/Groups/${groupId}`));
  });

  long('is that of the answer of a write, also right after another write and in Bulk', async () => {
    const name = fresh();
    const id = await madeUser(directory, user(name));
    const groupId = await madeGroup(directory, [id]);
    const put = await directory.put(`/Users/${id}`, user(name, { title: 'a' }));
    expect(put.headers.get('etag')).toBe((await versionOf(`/Users/${id}`)).tag);
    await directory.patch(
      `/Groups/${groupId}`,
      patch({ op: 'replace', path: 'displayName', value: fresh('Renamed ') }),
    );
    // The row of the last write is remembered, and its groups are not those of now.
    const late = await directory.put(`/Users/${id}`, user(name, { title: 'b' }), {
      'if-match': put.headers.get('etag')!,
    });
    expect(late.status).toBe(412);
    const { tag } = await versionOf(`/Users/${id}`);
    const { body } = await directory.post(
      '/Bulk',
      bulk([{ method: 'PUT', path: `/Users/${id}`, version: tag, data: user(name, { title: 'c' }) }]),
    );
    expect(body.Operations[0]).toMatchObject({ status: '200', version: (await versionOf(`/Users/${id}`)).tag });
  });

  long('stays when only the effective state changes', async () => {
    const email = `${fresh()}@x.example`;
    const first = await madeUser(directory, user(fresh(), { emails: [{ value: email }] }));
    const held = await madeUser(directory, user(fresh(), { emails: [{ value: email }] }));
    const before = await versionOf(`/Users/${held}`);
    const api = client(`${service.url}/api/v1`, tenant.apiKey);
    expect((await api.get(`/users/${held}`)).body.held).toBe('email_taken');
    await directory.delete(`/Users/${first}`);
    await eventually(
      () => api.get(`/users/${held}`),
      ({ body }) => body.held === null,
    );
    expect(await versionOf(`/Users/${held}`)).toEqual(before);
    await api.patch(`/users/${held}`, { role: 'Admin' });
    expect((await api.get(`/users/${held}`)).body.role).toBe('Admin');
    expect(await versionOf(`/Users/${held}`)).toEqual(before);
    await moves(`/Users/${held}`, () =>
      directory.patch(`/Users/${held}`, patch({ op: 'replace', path: 'title', value: 'moved' })),
    );
    expect(Date.parse((await versionOf(`/Users/${held}`)).lastModified)).toBeGreaterThan(
      Date.parse(before.lastModified),
    );
  });

  long('stays when a group of another directory changes', async () => {
    const unmanaged = await client(`${service.url}/api/v1`, tenant.apiKey).post('/users', {
      email: `${fresh()}@x.example`,
      first_name: 'A',
      last_name: 'B',
    });
    const path = `/Users/${unmanaged.body.id}`;
    const own = await madeGroup(directory, [unmanaged.body.id]);
    const before = await versionOf(path);
    const other = scim(service.url, (await service.newDirectory(tenant.tenantId)).token);
    await madeGroup(other, [unmanaged.body.id]);
    expect(await versionOf(path)).toEqual(before);
    await moves(path, () => remove(own, unmanaged.body.id));
  });
});

describe('the version of a group', () => {
  long('changes with its members, also when a member group is deleted', async () => {
    const id = await madeUser(directory);
    const inner = await madeGroup(directory);
    const outer = await madeGroup(directory);
    const path = `/Groups/${outer}`;
    await moves(path, () => add(outer, id));
    await moves(path, () => add(outer, inner));
    await moves(path, () => directory.delete(`/Groups/${inner}`));
    await moves(path, () => directory.delete(`/Users/${id}`));
    const before = await versionOf(path);
    await add(outer, 'usr_unknown');
    await remove(outer, 'usr_unknown');
    expect(await versionOf(path)).toEqual(before);
  });
});
