import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, patch, user } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
});
afterAll(() => service.close());

const leaver = async () => {
  const userName = `${fresh()}@x.example`;
  const id = await madeUser(at.scim, user(userName));
  await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  return { id, userName };
};
const stateOf = async (id: string) => ({
  written: (await at.scim.get(`/Users/${id}`)).body.active as unknown,
  effective: (await at.api.get(`/users/${id}`)).body.status as unknown,
});

describe('a cleared active of a leaver', () => {
  it.each([
    ['remove', { op: 'remove', path: 'active' }],
    ['remove by a URN', { op: 'remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active' }],
    ['null', { op: 'replace', path: 'active', value: null }],
    ['an empty text', { op: 'Replace', path: 'active', value: '' }],
    ['null without a path', { op: 'replace', value: { active: null, title: 'T' } }],
  ])('is 400 invalidValue in a PATCH, and changes nothing: %s', async (_, operation) => {
    const { id } = await leaver();
    const answer = await at.scim.patch(`/Users/${id}`, patch(operation));
    expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidValue']);
    expect(answer.body.detail).toContain('"active"');
    expect(await stateOf(id)).toEqual({ written: false, effective: 'inactive' });
    expect((await at.scim.get(`/Users/${id}`)).body.title).toBeUndefined();
  });

  it.each([
    ['left out', {}],
    ['null', { active: null }],
    ['an empty text', { active: '' }],
  ])('stays unchanged in a PUT: %s', async (_, active) => {
    const { id, userName } = await leaver();
    const answer = await at.scim.put(`/Users/${id}`, user(userName, { title: 'T', ...active }));
    expect([answer.status, answer.body.active, answer.body.title]).toEqual([200, false, 'T']);
    expect(await stateOf(id)).toEqual({ written: false, effective: 'inactive' });
  });

  it('is found as the resource shows it', async () => {
    const { id, userName } = await leaver();
    await at.scim.put(`/Users/${id}`, user(userName));
    const found = async (filter: string) =>
      (await at.scim.get(`/Users?filter=${encodeURIComponent(`id eq "${id}" and ${filter}`)}`)).body
        .totalResults as number;
    expect(await found('active eq false')).toBe(1);
    expect(await found('active pr')).toBe(1);
    expect(await found('not (active eq true)')).toBe(1);
  });
});

it('a PUT without active keeps an active user active', async () => {
  const userName = `${fresh()}@x.example`;
  const id = await madeUser(at.scim, user(userName));
  expect((await at.scim.put(`/Users/${id}`, user(userName))).body.active).toBe(true);
});
