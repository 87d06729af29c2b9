import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { candidate } from '../../../support/candidates.js';
import { hurry, leverHouse, person, type LeverHouse } from './support/lever-house.js';

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

const test = (body: object) => house.api.post(`/ats-connections/${house.connectionId}/test-write`, body);

it('200: writes, reads, removes, and lists the steps', async () => {
  const who = await person(service, house);
  const { status, body } = await test({ candidate_id: who.id });
  expect([status, body.ok, body.target]).toEqual([200, true, 'note']);
  expect(body.steps.map((step: { step: string; ok: boolean }) => [step.step, step.ok])).toEqual([
    ['user', true],
    ['write', true],
    ['read_back', true],
    ['take_back', true],
  ]);
  expect(lever.notesOf(who.remoteId)).toEqual([]);
  expect((await house.api.get(`/ats-connections/${house.connectionId}/writes`)).body.data).toEqual([]);
});

it('200: has the reason of the step that fails', async () => {
  const who = await person(service, house);
  lever.fault({ kind: 'status', status: 403, method: 'POST', path: '/notes' });
  const { body } = await test({ candidate_id: who.id });
  expect(body).toMatchObject({ ok: false });
  expect(body.steps.at(-1)).toMatchObject({ step: 'write', ok: false, detail: expect.stringContaining('403') });
});

it('404, 409, 422', async () => {
  const { body: other } = await house.api.post('/candidates', candidate());
  expect((await test({ candidate_id: other.id })).body.errors).toMatchObject([{ field: 'candidate_id' }]);
  expect((await test({})).status).toBe(422);
  expect((await house.api.post('/ats-connections/ats_x/test-write', { candidate_id: 'x' })).status).toBe(404);
  const none = await leverHouse(service, lever, { writes: { link_target: null, scorecard_target: null } });
  const silent = await none.api.post(`/ats-connections/${none.connectionId}/test-write`, { candidate_id: 'x' });
  expect([silent.status, silent.body.code]).toEqual([409, 'wrong_ats_state']);
});

it('answers for connection, candidate and write of another tenant as for unknown ones', async () => {
  const theirs = await leverHouse(service, lever);
  const who = await person(service, theirs);
  const at = `/ats-connections/${theirs.connectionId}`;
  const answers = [
    await house.api.get(`${at}/writes`),
    await house.api.get(`${at}/writes/awr_x`),
    await house.api.post(`${at}/writes/awr_x/retry`, {}),
    await house.api.post(`${at}/writes/awr_x/dismiss`, { reason: 'x' }),
    await house.api.post(`${at}/test-write`, { candidate_id: who.id }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect((await test({ candidate_id: who.id })).status).toBe(422);
});
