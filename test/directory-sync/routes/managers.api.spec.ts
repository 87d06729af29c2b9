import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { ENTERPRISE, fresh, madeUser, patch, user } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
});
afterAll(() => service.close());

const manager = async (displayName = 'Berta Boss') => madeUser(at.scim, user(`${fresh()}@x.example`, { displayName }));
const report = async (value: unknown, more: object = {}) =>
  madeUser(at.scim, user(`${fresh()}@x.example`, { [ENTERPRISE]: { manager: value, ...more } }));
const read = async (id: string, query = '') => (await at.scim.get(`/Users/${id}${query}`)).body;
const found = async (filter: string) =>
  ((await at.scim.get(`/Users?filter=${encodeURIComponent(filter)}`)).body.Resources as { id: string }[]).map(
    ({ id }) => id,
  );

describe('a manager', () => {
  it('is shown with name and address, in every answer', async () => {
    const boss = await manager();
    const shown = { value: boss, $ref: (await read(boss)).meta.location, displayName: 'Berta Boss' };
    const made = await at.scim.post(
      '/Users',
      user(`${fresh()}@x.example`, { [ENTERPRISE]: { manager: { value: boss } } }),
    );
    expect(made.body[ENTERPRISE].manager).toEqual(shown);
    const { id, meta } = made.body;
    expect((await read(id))[ENTERPRISE].manager).toEqual(shown);
    expect((await read(id)).meta).toEqual(meta);
    expect((await read(id, `?attributes=${ENTERPRISE}:manager.displayName`))[ENTERPRISE]).toEqual({
      manager: { displayName: 'Berta Boss' },
    });
    const put = await at.scim.put(`/Users/${id}`, { ...made.body, title: 'T' });
    expect(put.body[ENTERPRISE].manager).toEqual(shown);
    const patched = await at.scim.patch(
      `/Users/${id}`,
      patch({ op: 'Replace', path: 'manager', value: [{ value: boss, $ref: 'x' }] }),
    );
    expect(patched.body[ENTERPRISE].manager).toEqual(shown);
    const { Resources } = (await at.scim.get(`/Users?filter=${encodeURIComponent(`id eq "${id}"`)}`)).body;
    expect(Resources[0][ENTERPRISE].manager).toEqual(shown);
  });

  it('changes the version of the report only with its name', async () => {
    const boss = await manager();
    const id = await report({ value: boss });
    const before = (await at.scim.get(`/Users/${id}`)).headers.get('etag')!;
    await at.scim.patch(`/Users/${boss}`, patch({ op: 'replace', path: 'title', value: 'T' }));
    expect((await at.scim.get(`/Users/${id}`, undefined, { 'if-none-match': before })).status).toBe(304);
    await at.scim.patch(`/Users/${boss}`, patch({ op: 'replace', path: 'displayName', value: 'New Name' }));
    const after = await at.scim.get(`/Users/${id}`, undefined, { 'if-none-match': before });
    expect([after.status, after.body[ENTERPRISE].manager.displayName]).toEqual([200, 'New Name']);
    expect(after.body.meta.version).toBe(after.headers.get('etag'));
    expect(
      await found(`id eq "${id}" and meta.version eq "${after.body.meta.version.replaceAll('"', '\\"')}"`),
    ).toEqual([id]);
    const stale = await at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'title' }), { 'if-match': before });
    expect(stale.status).toBe(412);
  });

  it('is in no answer and no filter once it is deleted', async () => {
    const boss = await manager();
    const id = await report({ value: boss });
    const both = await report({ value: boss }, { department: 'D' });
    expect((await found(`manager eq "${boss}"`)).sort()).toEqual([id, both].sort());
    const before = (await read(id)).meta.version;
    await at.scim.delete(`/Users/${boss}`);
    const after = await read(id);
    expect([after[ENTERPRISE], after.schemas.includes(ENTERPRISE)]).toEqual([undefined, false]);
    expect(after.meta.version).not.toBe(before);
    expect((await read(both))[ENTERPRISE]).toEqual({ department: 'D' });
    expect(await found(`manager eq "${boss}"`)).toEqual([]);
    expect(await found(`id eq "${id}" and manager pr`)).toEqual([]);
    expect(await found(`id eq "${id}" and not (manager eq "${boss}")`)).toEqual([id]);
  });

  it('with an unknown id stays unchanged', async () => {
    const id = await report({ value: '26118915-6090-4610-87e4-49d8ca9f808d' });
    expect((await read(id))[ENTERPRISE].manager).toEqual({ value: '26118915-6090-4610-87e4-49d8ca9f808d' });
    expect(await found('manager eq "26118915-6090-4610-87e4-49d8ca9f808d"')).toEqual([id]);
  });

  it('is found by its shown attributes', async () => {
    const boss = await manager('Unique Name');
    const id = await report({ value: boss });
    const { $ref } = (await read(id))[ENTERPRISE].manager as { $ref: string };
    for (const filter of [
      `${ENTERPRISE}:manager.value eq "${boss}"`,
      `manager.displayName eq "unique name"`,
      `manager.displayName sw "Unique"`,
      `manager.$ref eq "${$ref}"`,
    ]) {
      expect([filter, await found(filter)]).toEqual([filter, [id]]);
    }
  });

  it('of another directory is shown without its name', async () => {
    const other = await service.newDirectory(at.tenantId);
    const { scim } = await import('../../support/scim.js');
    const boss = await madeUser(
      scim(service.url, other.token),
      user(`${fresh()}@x.example`, { displayName: 'Hidden' }),
    );
    const id = await report({ value: boss });
    expect((await read(id))[ENTERPRISE].manager).toEqual({ value: boss });
    expect(await found('manager.displayName eq "Hidden"')).toEqual([]);
  });
});
