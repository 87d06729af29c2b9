import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { long, someOf } from '../../../support/rounds.js';
import {
  CARD,
  hurry,
  interview,
  leverHouse,
  person,
  score,
  settled,
  writesOf,
  type LeverHouse,
} from './support/lever-house.js';

let service: TestApp;
let lever: LeverSimulator;
let house: LeverHouse;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
  lever = await startLever({ rateFactor: 1_000 });
  house = await leverHouse(service, lever);
});
afterAll(async () => {
  await service.close();
  await lever.close();
});
beforeEach(() => lever.faults.clear());

const notes = (id: string) => lever.notesOf(id).map(({ value }) => value);

long('writes a link, a scorecard, and a revision that names the replaced one', async () => {
  const who = await person(service, house);
  const { id, meeting_url: url } = await interview(house, who.id);
  await settled(service, house);
  expect(lever.linksOf(who.remoteId)).toEqual([url]);
  await score(house, id);
  await settled(service, house);
  await score(house, id, { ...CARD, overall: 3 });
  await settled(service, house);
  const [first, second, ...more] = lever.notesOf(who.remoteId);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ secret: true, value: expect.stringContaining(`[talent-bridge ${id} scorecard r1]`) });
  expect(first!.value).toContain('Knows Kubernetes.');
  expect(second!.value).toContain('Replaces revision 1');
  const writes = await writesOf(house, `?candidate_id=${who.id}`);
  expect(writes).toMatchObject([
    { kind: 'link', state: 'written', attempts: 1, target: 'link', remote_ref: url },
    { kind: 'scorecard', revision: 1, state: 'written', attempts: 1, target: 'note', remote_ref: first!.id },
    { kind: 'scorecard', revision: 2, state: 'written', attempts: 1, remote_ref: second!.id },
  ]);
  const { body } = await house.api.get(`/ats-connections/${house.connectionId}/writes/${writes[1].id}`);
  expect(body.tries).toMatchObject([{ outcome: 'delivered', detail: null }]);
});

long('keeps only the newest revision while the ATS is away, and writes one note', async () => {
  const who = await person(service, house);
  const { id } = await interview(house, who.id);
  await settled(service, house);
  lever.fault({ kind: 'status', status: 503, times: null });
  await score(house, id);
  for (let overall = 1; overall <= 5; overall++) await score(house, id, { ...CARD, overall: overall / 2 });
  lever.faults.clear();
  await settled(service, house);
  expect(notes(who.remoteId).filter((text) => text.includes('scorecard r6]'))).toHaveLength(1);
  const states = (await writesOf(house, `?candidate_id=${who.id}`)).map(({ state }) => state);
  expect(states.filter((state) => state === 'written').length).toBeLessThanOrEqual(3);
  expect(notes(who.remoteId)).toHaveLength(states.filter((state) => state === 'written').length - 1);
});

it('removes the link of a cancelled interview, and writes none that never reached the ATS', async () => {
  const who = await person(service, house);
  const first = await interview(house, who.id);
  await settled(service, house);
  await house.api.patch(`/interviews/${first.id}`, { state: 'cancelled' });
  await settled(service, house);
  expect(lever.linksOf(who.remoteId)).toEqual([]);
  expect((await writesOf(house, `?candidate_id=${who.id}`)).map(({ action, state }) => [action, state])).toEqual([
    ['put', 'written'],
    ['remove', 'written'],
  ]);
});

describe('exactly one note is written', () => {
  it.each(
    someOf([
      [{ kind: 'reset', after: true } as const],
      [{ kind: 'slow', ms: 1_500 } as const],
      [{ kind: 'status', status: 500 } as const],
      [{ kind: 'status', status: 429, retryAfter: 1 } as const],
      [{ kind: 'html' } as const],
      [{ kind: 'no_content' } as const],
      [{ kind: 'reset' } as const],
    ]),
  )(
    'when the answer to the note is %j',
    async (fault) => {
      const who = await person(service, house);
      const { id } = await interview(house, who.id);
      await settled(service, house);
      lever.fault({ ...fault, method: 'POST', path: '/notes' });
      await score(house, id);
      await settled(service, house, 30);
      expect(notes(who.remoteId)).toHaveLength(1);
      expect((await writesOf(house, `?candidate_id=${who.id}`)).at(-1)).toMatchObject({ state: 'written' });
    },
    40_000,
  );
});
