import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, madeGroup, madeUser, replace, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

interface Line {
  about: string;
  code: string;
  words: string;
  since: string | null;
}

/** The sentences of a user, once the log has the last write. */
async function sentences({ api }: House, id: string, lastWrite: string): Promise<Line[]> {
  const { body } = await eventually(
    () => api.get(`/users/${id}/explain`),
    ({ body: found }) =>
      (found.sentences as Line[]).some((line) => line.about === 'request' && line.code === lastWrite),
  );
  return body.sentences as Line[];
}

long('says of a user in force where access, role and seat come from, and since when', async () => {
  const at = await newHouse(service);
  const id = await madeUser(at.scim);
  const group = await madeGroup(at.scim);
  await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: group, role: 'Observer' }] });
  const joined = await at.scim.patch(`/Groups/${group}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'add', path: 'members', value: [{ value: id }] }],
  });
  expect(joined.status).toBe(204);
  await eventually(
    () => at.api.get(`/users/${id}`),
    ({ body }) => body.role === 'Observer',
  );
  const lines = await sentences(at, id, 'created');
  expect(lines.map(({ about, code }) => [about, code])).toEqual([
    ['access', 'active'],
    ['role', 'rule'],
    ['seat', 'none'],
    ['request', 'created'],
    ['platform', 'pending'],
    ['sign_in', 'none'],
  ]);
  expect(lines[1]!.words).toMatch(/^The role is Observer: role by the rule for the group Group /);
  for (const line of lines.slice(0, 5)) expect(line.since).toMatch(/^\d{4}-\d\d-\d\dT/);
});

long('says of a leaver, and of a held user, why the user has no access', async () => {
  const at = await newHouse(service, { default_role: null });
  const held = await madeUser(at.scim);
  expect((await sentences(at, held, 'created')).slice(0, 2)).toMatchObject([
    { about: 'access', code: 'never_active' },
    { about: 'access', code: 'no_role' },
  ]);
  const other = await newHouse(service);
  const leaver = await madeUser(other.scim);
  await other.scim.patch(`/Users/${leaver}`, replace('active', false));
  expect((await sentences(other, leaver, 'changed'))[0]).toMatchObject({
    code: 'inactive',
    words: 'The user is not in force: written by the directory.',
  });
});

it('shows the stored resource beside the effective state', async () => {
  const at = await newHouse(service, { state: 'preview' });
  const id = await madeUser(at.scim, user(`${fresh()}@x.example`, { title: 'T', active: true }));
  const { status, body } = await at.api.get(`/users/${id}/resource`);
  expect([status, body]).toMatchObject([
    200,
    { written: { id, title: 'T', active: true }, in_force: { id, status: 'inactive', held: 'preview' } },
  ]);
});

it('is unknown to another tenant', async () => {
  const [at, other] = [await newHouse(service), await newHouse(service)];
  const id = await madeUser(at.scim);
  for (const what of ['explain', 'resource']) expect((await other.api.get(`/users/${id}/${what}`)).status).toBe(404);
});

long('explains on the command line, and lists candidates for half an e-mail with exit code 2', async () => {
  const at = await newHouse(service);
  const name = fresh('ann');
  const [one, two] = [`${name}.a@x.example`, `${name}.b@x.example`];
  const id = await madeUser(at.scim, user(one));
  await madeUser(at.scim, user(two));
  const run = commandLine(service, at.apiKey);
  const explained = await run('explain', one);
  expect([explained.code, explained.out]).toEqual([0, expect.stringContaining('The user is in force.')]);
  expect((await run('explain', one, '--json')).json).toMatchObject({ user: { id }, sentences: expect.any(Array) });
  const half = await run('explain', name);
  expect(half.code).toBe(2);
  expect(half.err).toContain(`${one} (${id})`);
  expect(half.err).toContain(two);
  expect((await run('explain', fresh('none'))).code).toBe(1);
});

it('says of the last write of the managing directory, when another one has written since', async () => {
  const at = await newHouse(service);
  const email = `${fresh()}@x.example`;
  const id = await madeUser(at.scim, user(email));
  const other = await service.newDirectory(at.tenantId, { name: 'Other' });
  const foreign = scim(service.url, other.token);
  await foreign.put(`/Users/${id}`, user(email));
  await foreign.post('/Users', user(email));
  await eventually(
    () => at.api.get(`/requests?directory=${other.id}`),
    ({ body }) => body.data.length >= 2,
  );
  const line = (await sentences(at, id, 'created')).find(({ about }) => about === 'request');
  expect(line).toMatchObject({ code: 'created' });
});
