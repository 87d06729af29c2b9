import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { long } from '../../../support/rounds.js';
import { DANA, hurry, interview, leverHouse, person, settled, writesOf } from './support/lever-house.js';

let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
  lever = await startLever({ rateFactor: 1_000 });
});
afterAll(async () => {
  await service.close();
  await lever.close();
});

long('keeps a note of a recruiter that quotes the address of a link', async () => {
  const house = await leverHouse(service, lever, { writes: { as_user: DANA, link_target: 'note' } });
  const who = await person(service, house);
  const { id, meeting_url: url } = await interview(house, who.id);
  await settled(service, house);
  const [ours] = lever.notesOf(who.remoteId);
  expect(ours!.value).toBe(`Interview: ${url}\n\n[talent-bridge ${id} link]`);
  expect(await writesOf(house)).toMatchObject([{ state: 'written', marker: `[talent-bridge ${id} link]` }]);
  const [note] = lever.notes.get(who.remoteId)!;
  const quoting = { ...note!, id: 'of-a-recruiter', value: `We meet at ${String(url)}, please join.` };
  lever.notes.set(who.remoteId, [quoting, note!]);
  await house.api.patch(`/interviews/${id}`, { state: 'cancelled' });
  await settled(service, house);
  expect(lever.notesOf(who.remoteId).map(({ value }) => value)).toEqual([quoting.value]);
});
