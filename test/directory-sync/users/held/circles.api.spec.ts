import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import type { Client } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { bulk, fresh, madeUser, patch, scim, user } from '../../../support/scim.js';

// Without background work: what takes effect does so by the request that closes the circle.
let service: TestApp;
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
});
afterAll(() => service.close());

interface Person {
  id: string;
  mail: string;
  key: string;
}

const show = async ({ api }: House, { id }: Person) => (await api.get(`/users/${id}`)).body;
const values = async (at: House, person: Person) => {
  const { email, external_id, held, status } = await show(at, person);
  return { email, external_id, held, status };
};
const emails = (value: string) => ({ op: 'replace', path: 'emails', value: [{ value, primary: true }] });
const key = (value: string) => ({ op: 'replace', path: 'externalId', value });
const write = (client: Client, { id }: Person, ...operations: object[]) =>
  client.patch(`/Users/${id}`, patch(...operations));

/** Makes users with an e-mail and an `externalId` each. */
async function people(client: Client, count: number): Promise<Person[]> {
  const made: Person[] = [];
  for (let i = 0; i < count; i++) {
    const [name, mail] = [fresh('N'), `${fresh()}@x.example`];
    const id = await madeUser(client, user(name, { externalId: name, emails: [{ value: mail, primary: true }] }));
    made.push({ id, mail, key: name });
  }
  return made;
}

/** How many transactions have written the users last. */
async function transactions(persons: readonly Person[]): Promise<number> {
  const { rows } = await service.db.query<{ n: number }>(
    'select count(distinct xmin::text)::int as n from users where id = any($1)',
    [persons.map(({ id }) => id)],
  );
  return rows[0]!.n;
}

type Wish = (person: Person, next: Person) => object[];
const SIZES: [string, number, Wish, (next: Person) => object][] = [
  ['two e-mails', 2, (_, { mail }) => [emails(mail)], ({ mail }) => ({ email: mail })],
  ['three e-mails', 3, (_, { mail }) => [emails(mail)], ({ mail }) => ({ email: mail })],
  ['nine e-mails', 9, (_, { mail }) => [emails(mail)], ({ mail }) => ({ email: mail })],
  ['two keys', 2, (_, next) => [key(next.key)], (next) => ({ external_id: next.key })],
  ['four keys', 4, (_, next) => [key(next.key)], (next) => ({ external_id: next.key })],
  [
    'e-mails and keys of three',
    3,
    (_, next) => [emails(next.mail), key(next.key)],
    (next) => ({ email: next.mail, external_id: next.key }),
  ],
];

it.each(SIZES)(
  'a circle of %s takes effect with the last of its writes, in one transaction',
  async (_, size, wish, has) => {
    const at = await newHouse(service);
    const all = await people(at.scim, size);
    for (const [i, person] of all.entries()) {
      const next = all[(i + 1) % size]!;
      const answer = await write(at.scim, person, ...wish(person, next), { op: 'add', path: 'title', value: 'T' });
      expect(answer).toMatchObject({ status: 200, body: { title: 'T' } });
      if (i < size - 1) expect((await values(at, person)).held).not.toBeNull();
    }
    for (const [i, person] of all.entries()) {
      const next = all[(i + 1) % size]!;
      expect(await values(at, person)).toMatchObject({ held: null, status: 'active', ...has(next) });
    }
    expect(await transactions(all)).toBe(1);
    expect((await at.api.get('/held')).body.data).toEqual([]);
    const { rows } = await service.db.query<{ n: number }>(
      'select count(*)::int as n from users where id = any($1) and (email_key is null or person_external_id is null or requested_email_key is not null)',
      [all.map(({ id }) => id)],
    );
    expect(rows[0]!.n).toBe(0);
  },
);

it('circles of e-mails and of keys that share a user take effect', async () => {
  const at = await newHouse(service);
  const [a, b, c] = (await people(at.scim, 3)) as [Person, Person, Person];
  await write(at.scim, a, emails(b.mail));
  await write(at.scim, c, key(b.key));
  await write(at.scim, b, emails(a.mail), key(c.key));
  expect(await values(at, a)).toMatchObject({ email: b.mail, external_id: a.key, held: null });
  expect(await values(at, b)).toMatchObject({ email: a.mail, external_id: c.key, held: null });
  expect(await values(at, c)).toMatchObject({ email: c.mail, external_id: b.key, held: null });
  expect(await transactions([a, b, c])).toBe(1);
});

it('a circle inside one Bulk takes effect', async () => {
  const at = await newHouse(service);
  const all = await people(at.scim, 3);
  const operations = all.map(({ id }, i) => {
    const data = patch(emails(all[(i + 1) % 3]!.mail));
    return { method: 'PATCH', path: `/Users/${id}`, data };
  });
  expect((await at.scim.post('/Bulk', bulk(operations))).status).toBe(200);
  for (const [i, person] of all.entries()) {
    expect(await values(at, person)).toMatchObject({ email: all[(i + 1) % 3]!.mail, held: null });
  }
});

it('a circle over two directories takes effect, without regard to case and by the map of each', async () => {
  const at = await newHouse(service);
  const made = await service.newDirectory(at.tenantId, { attribute_map: { email: 'nickName' } });
  const other = scim(service.url, made.token);
  const [a] = (await people(at.scim, 1)) as [Person];
  const mail = `${fresh()}@x.example`;
  const b = { id: await madeUser(other, user(fresh(), { nickName: mail })), mail, key: '' };
  await write(at.scim, a, emails(b.mail.toUpperCase()));
  await write(other, b, { op: 'replace', path: 'nickName', value: a.mail.toUpperCase() });
  expect(await values(at, a)).toMatchObject({ email: b.mail.toUpperCase(), held: null });
  expect(await values(at, b)).toMatchObject({ email: a.mail.toUpperCase(), held: null });
});

it('a circle is closed by a user who comes back with the former e-mail', async () => {
  const at = await newHouse(service);
  const [a, b] = (await people(at.scim, 2)) as [Person, Person];
  await write(at.scim, b, { op: 'replace', path: 'active', value: false });
  await at.scim.patch(`/Users/${b.id}`, patch({ op: 'replace', value: { active: true, emails: [{ value: a.mail }] } }));
  expect(await values(at, b)).toMatchObject({ email: b.mail, status: 'active', held: 'email_taken' });
  await write(at.scim, a, emails(b.mail));
  expect(await values(at, a)).toMatchObject({ email: b.mail, held: null });
  expect(await values(at, b)).toMatchObject({ email: a.mail, held: null });
});

it('a circle leaves a user who waits for one of its users held, and changes no user who is not held', async () => {
  const at = await newHouse(service);
  const [a, b, tail, still] = (await people(at.scim, 4)) as [Person, Person, Person, Person];
  await write(at.scim, tail, emails(a.mail));
  const newcomer = { ...a, id: await madeUser(at.scim, user(fresh(), { emails: [{ value: b.mail }] })) };
  await write(at.scim, a, emails(b.mail), key(still.key));
  await write(at.scim, b, emails(a.mail));
  expect(await values(at, a)).toMatchObject({ email: b.mail, external_id: a.key, held: 'external_id_taken' });
  expect(await values(at, b)).toMatchObject({ email: a.mail, held: null });
  expect(await values(at, tail)).toMatchObject({ email: tail.mail, status: 'active', held: 'email_taken' });
  expect(await values(at, newcomer)).toMatchObject({ status: 'inactive', held: 'email_taken' });
  expect(await values(at, still)).toMatchObject({ email: still.mail, external_id: still.key, held: null });
});

long('a circle takes effect once when its writes come at the same moment', async () => {
  const at = await newHouse(service);
  for (let round = 0; round < 8; round++) {
    const all = await people(at.scim, 3);
    const answers = await Promise.all(
      all.map((person, i) => write(at.scim, person, emails(all[(i + 1) % 3]!.mail), key(all[(i + 2) % 3]!.key))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const [i, person] of all.entries()) {
      const expected = { email: all[(i + 1) % 3]!.mail, external_id: all[(i + 2) % 3]!.key, held: null };
      expect(await values(at, person)).toMatchObject(expected);
    }
  }
});

describe('a release of a circle', () => {
  /** Makes two users who are held for each other's e-mails, as an earlier version has left them. */
  async function stuck(): Promise<{ at: House; a: Person; b: Person }> {
    const at = await newHouse(service);
    const [a, b] = (await people(at.scim, 2)) as [Person, Person];
    await write(at.scim, a, emails(b.mail));
    await service.db.query(
      `update users set held = 'email_taken', held_since = now(), version = version + 1,
         doc = jsonb_set(doc, '{emails,0,value}', to_jsonb($2::text)) where id = $1`,
      [b.id, a.mail],
    );
    return { at, a, b };
  }

  it('two users exchange their e-mails, with a row of the history and the audit log', async () => {
    const { at, a, b } = await stuck();
    const answer = await at.api.post(`/held/${a.id}/release`, {});
    expect(answer).toMatchObject({ status: 200, body: { email: b.mail, held: null } });
    expect(await values(at, b)).toMatchObject({ email: a.mail, held: null });
    const history = (await at.api.get(`/users/${a.id}/history?kind=held`)).body.data;
    expect(history).toMatchObject([{ event: 'released', reason: 'email_taken' }]);
    const { action, target_id } = (await at.api.get('/audit?limit=1')).body.data[0];
    expect([action, target_id]).toEqual(['held.released', a.id]);
  });

  it('a user without a circle cannot be released from the e-mail of another user', async () => {
    const at = await newHouse(service);
    const [a, b] = (await people(at.scim, 2)) as [Person, Person];
    await write(at.scim, a, emails(b.mail));
    expect((await at.api.post(`/held/${a.id}/release`, {})).body.code).toBe('cannot_be_released');
  });

  it('a key cannot be replaced by a userName that is the key of another user', async () => {
    const at = await newHouse(service);
    const [a, b, other] = (await people(at.scim, 3)) as [Person, Person, Person];
    await write(at.scim, a, key(fresh('K')));
    // The userName of the first user is now the key of another one.
    await write(at.scim, other, key(a.key));
    await write(at.scim, a, key(b.key));
    const answer = await at.api.post(`/held/${a.id}/release`, {});
    expect([answer.status, answer.body.code]).toEqual([409, 'cannot_be_released']);
    expect((await values(at, a)).held).toBe('external_id_taken');
    await write(at.scim, other, key(fresh('K')));
    const released = await at.api.post(`/held/${a.id}/release`, {});
    expect(released).toMatchObject({ status: 200, body: { external_id: a.key, held: null } });
  });
});
