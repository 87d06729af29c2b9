import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import {
  CARD,
  hurry,
  interview,
  leverHouse,
  person,
  score,
  settled,
  until,
  writesOf,
  type LeverHouse,
} from './support/lever-house.js';

// Two processes on one database: what one of them begins, the other one never makes twice.
let first: TestApp;
let second: TestApp;
let lever: LeverSimulator;
let house: LeverHouse;
beforeAll(async () => {
  first = await startApp();
  hurry(first);
  second = await startApp({}, first);
  hurry(second);
  lever = await startLever({ rateFactor: 1_000 });
  house = await leverHouse(first, lever);
});
afterAll(async () => {
  await second.close();
  await first.close();
  await lever.close();
});
beforeEach(() => lever.faults.clear());

const notes = (id: string) => lever.notesOf(id).map(({ value }) => /r\d+\]/.exec(value)![0]);

/** The lease of the candidate's lane ends now, as that of a process which is gone. */
const endLease = (id: string) =>
  first.db.query(
    `update lanes set next_at = now() where tenant_id = $1 and channel = 'ats' and subject = $2 and state = 'calling'`,
    [house.tenantId, id],
  );

it('writes one note when the lease ends during the write', async () => {
  for (let round = 0; round < 5; round++) {
    const who = await person(first, house);
    const { id } = await interview(house, who.id);
    await settled(first, house);
    lever.fault({ kind: 'slow', ms: 600, method: 'POST', path: '/notes' });
    await score(house, id);
    await until(async () => (await writesOf(house, `?candidate_id=${who.id}`)).at(-1)!.attempts > 0);
    await endLease(who.id);
    await settled(first, house, 30);
    expect(notes(who.remoteId)).toEqual(['r1]']);
  }
}, 60_000);

it('finds the note by the other process when the answer was lost', async () => {
  const who = await person(first, house);
  const { id } = await interview(house, who.id);
  await settled(first, house);
  lever.fault({ kind: 'reset', after: true, method: 'POST', path: '/notes' });
  await score(house, id);
  await settled(first, house, 30);
  expect(notes(who.remoteId)).toEqual(['r1]']);
  expect((await writesOf(house, `?candidate_id=${who.id}`)).at(-1)).toMatchObject({ state: 'written', attempts: 1 });
});

it('writes each of many revisions once and in order when answers are lost', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => person(first, house)));
  const interviews = await Promise.all(people.map(({ id }) => interview(house, id)));
  await settled(first, house);
  lever.fault({ kind: 'reset', after: true, method: 'POST', path: '/notes', times: null, rate: 0.3 });
  for (let overall = 1; overall <= 8; overall++) {
    await Promise.all(interviews.map(({ id }) => score(house, id, { ...CARD, overall })));
  }
  await until(async () => lever.requests.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  lever.faults.clear();
  await settled(first, house, 40);
  for (const { remoteId } of people) {
    const revisions = notes(remoteId).map((text) => Number(/\d+/.exec(text)![0]));
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    expect(revisions.at(-1)).toBe(8);
  }
}, 60_000);
