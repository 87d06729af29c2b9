import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { client, type Answer } from '../../support/http.js';
import { fresh, madeGroup, madeUser, replace } from '../../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const members = (group: string, query = '', directory = house.directoryId): Promise<Answer> =>
  house.api.get(`/directories/${directory}/groups/${group}/members${query}`);
const idsIn = ({ body }: Answer): string[] => body.data.map(({ user_id: id }: { user_id: string }) => id);

describe('200', () => {
  it('lists the users of a group by page, without nested groups and without a second entry', async () => {
    const ids = [await madeUser(house.scim), await madeUser(house.scim), await madeUser(house.scim)].sort();
    const group = await madeGroup(house.scim, [...ids, await madeGroup(house.scim)]);
    await house.scim.patch(`/Users/${ids[1]}`, replace('active', false));
    const first = await members(group, '?limit=2');
    const second = await members(group, `?limit=2&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    expect([idsIn(first), idsIn(second), second.body.next_cursor]).toEqual([ids.slice(0, 2), ids.slice(2), null]);
    const name = (await house.scim.get(`/Users/${ids[0]}`)).body.userName;
    expect(first.body.data).toEqual([
      { user_id: ids[0], user_name: name, email: name, status: 'active' },
      expect.objectContaining({ user_id: ids[1], status: 'inactive' }),
    ]);
  });

  it('leaves out a deleted user', async () => {
    const [stays, leaves] = [await madeUser(house.scim), await madeUser(house.scim)];
    const group = await madeGroup(house.scim, [stays, leaves]);
    await house.scim.delete(`/Users/${leaves}`);
    expect(idsIn(await members(group))).toEqual([stays]);
  });

  it('has a command, which takes the name of the group', async () => {
    const [id, name] = [await madeUser(house.scim), fresh('Sales ')];
    const group = await madeGroup(house.scim, [id], { displayName: name });
    const cli = commandLine(service, house.apiKey);
    for (const named of [group, name.toUpperCase()]) {
      const { code, json } = await cli('directory', 'group-members', '--group', named, '--json');
      expect([code, json.map((row: { user_id: string }) => row.user_id)]).toEqual([0, [id]]);
    }
    expect(await cli('directory', 'group-members', '--group', 'none such')).toMatchObject({ code: 2 });
  });
});

describe('400', () => {
  it('refuses the cursor of another group', async () => {
    const ids = [await madeUser(house.scim), await madeUser(house.scim)];
    const [one, other] = [await madeGroup(house.scim, ids), await madeGroup(house.scim, ids)];
    const { next_cursor: cursor } = (await members(one, '?limit=1')).body;
    expect((await members(other, `?cursor=${encodeURIComponent(cursor)}`)).body.code).toBe('invalid_cursor');
  });
});

describe('403', () => {
  it('needs both scopes', async () => {
    const group = await madeGroup(house.scim);
    for (const scope of ['users:read', 'directories:read']) {
      const { api_key: key } = (await house.api.post('/api-keys', { name: fresh(), scopes: [scope] })).body;
      const answer = await client(`${service.url}/api/v1`, key).get(
        `/directories/${house.directoryId}/groups/${group}/members`,
      );
      expect([answer.status, answer.body.code]).toEqual([403, 'missing_scope']);
    }
  });
});

describe('404', () => {
  it('for a group or directory that is unknown, and for those of another directory or tenant', async () => {
    const group = await madeGroup(house.scim);
    const other = await newHouse(service);
    const theirs = await madeGroup(other.scim, [await madeUser(other.scim)]);
    const second = await service.newDirectory(house.tenantId);
    for (const answer of [
      await members('grp_0'),
      await members(theirs),
      await members(theirs, '', other.directoryId),
      await members(group, '', second.id),
      await members(group, '', 'dir_0'),
    ]) {
      expect(answer.status).toBe(404);
    }
  });
});

describe('422', () => {
  it('names a limit that is none', async () => {
    const group = await madeGroup(house.scim);
    expect((await members(group, '?limit=0')).body.errors).toMatchObject([{ field: 'limit' }]);
  });
});
