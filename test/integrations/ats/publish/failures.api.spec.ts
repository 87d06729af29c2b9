import { DomainEvents } from '../../../../src/base/domain-events.js';
import { CandidateRemoved } from '../../../../src/hiring/candidates/candidates.errors.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { eventsOf } from '../../../support/candidates.js';
import { long } from '../../../support/rounds.js';
import {
  CARD,
  DANA,
  hurry,
  interview,
  leverHouse,
  person,
  score,
  settled,
  until,
  writesOf,
  type LeverHouse,
  type Person,
} from './support/lever-house.js';

let service: TestApp;
let lever: LeverSimulator;
let house: LeverHouse;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  house = await leverHouse(service, lever);
});
afterEach(() => lever.close());

const notes = ({ remoteId }: Person) => lever.notesOf(remoteId).map(({ value }) => value);
const stateOf = async () => (await house.api.get(`/ats-connections/${house.connectionId}`)).body;
const newest = async (): Promise<Record<string, unknown>> => (await writesOf(house)).at(-1)!;
const at = (write: Record<string, unknown>, act: string) =>
  `/ats-connections/${house.connectionId}/writes/${String(write['id'])}/${act}`;
const merge = (gone: Person, survivor: Person) =>
  service.db.transaction(house.tenantId, async (tx) => {
    await tx.query(`select 1 from candidates where tenant_id = $1 and id = $2 for update`, [house.tenantId, gone.id]);
    const removed = { id: gone.id, external_id: gone.externalId, email: '' };
    await service.app.nest.get(DomainEvents).publish(new CandidateRemoved(tx, house.tenantId, removed, survivor.id));
    await tx.query(`delete from candidates where tenant_id = $1 and id = $2`, [house.tenantId, gone.id]);
  });

long(
  'a refused write fails with the reason, the next one of the candidate is sent, and a retry writes it',
  async () => {
    const who = await person(service, house);
    const [first, second] = [await interview(house, who.id), await interview(house, who.id)];
    await settled(service, house);
    lever.fault({ kind: 'status', status: 400, method: 'POST', path: '/notes' });
    await score(house, first.id);
    await score(house, second.id);
    await settled(service, house);
    const [failed] = await writesOf(house, '?state=failed');
    expect(failed).toMatchObject({ interview_id: first.id, attempts: 1, detail: expect.stringContaining('400') });
    expect(notes(who)).toHaveLength(1);
    expect((await house.api.post(at(failed, 'retry'), {})).status).toBe(200);
    await settled(service, house);
    expect(notes(who)).toHaveLength(2);
    const again = await house.api.post(at(failed, 'retry'), {});
    expect([again.status, again.body.code]).toEqual([409, 'wrong_ats_state']);
  },
);

long('a write can be dismissed with a reason, and its older revision is not tried again', async () => {
  const who = await person(service, house);
  const { id } = await interview(house, who.id);
  await settled(service, house);
  lever.fault({ kind: 'status', status: 400, method: 'POST', path: '/notes' });
  await score(house, id);
  await settled(service, house);
  const failed = await newest();
  expect((await house.api.post(at(failed, 'dismiss'), {})).status).toBe(422);
  const dismissed = await house.api.post(at(failed, 'dismiss'), { reason: 'Not wanted.' });
  expect(dismissed.body).toMatchObject({ state: 'dismissed', reason: 'Not wanted.' });
  await score(house, id, { ...CARD, overall: 2 });
  await settled(service, house);
  expect((await house.api.post(at(failed, 'retry'), {})).status).toBe(409);
  expect(notes(who).map((text) => /r\d\]/.exec(text)?.[0])).toEqual(['r2]']);
});

long('a write for a candidate that the ATS has no more fails with the reason', async () => {
  const who = await person(service, house);
  lever.remove(who.remoteId, { silent: true });
  await interview(house, who.id);
  await settled(service, house);
  expect(await newest()).toMatchObject({ state: 'failed', reason: 'candidate_gone' });
});

long('the survivor gets the note once when the ATS has merged the candidate', async () => {
  const [who, survivor] = [await person(service, house), await person(service, house)];
  const { id } = await interview(house, who.id);
  await settled(service, house);
  lever.remove(who.remoteId, { silent: true });
  await service.db.query(
    `insert into ats_records (tenant_id, connection_id, kind, remote_id, record_id, state, survivor_id, changed_at, brought_by)
     values ($1, $2, 'candidate', $3, $4, 'merged', $5, now(), 'test')`,
    [house.tenantId, house.connectionId, who.remoteId, who.id, survivor.remoteId],
  );
  await score(house, id);
  await settled(service, house);
  expect(await newest()).toMatchObject({ state: 'written' });
  expect([notes(who).length, notes(survivor).length]).toEqual([0, 1]);
});

long('failed writes follow the survivor when a merge becomes known later', async () => {
  const [who, survivor] = [await person(service, house), await person(service, house)];
  lever.remove(who.remoteId, { silent: true });
  const { meeting_url: url, id } = await interview(house, who.id);
  await score(house, id);
  await settled(service, house);
  expect((await writesOf(house)).map(({ reason }) => reason)).toEqual(['candidate_gone', 'candidate_gone']);
  await merge(who, survivor);
  await settled(service, house);
  expect([lever.linksOf(survivor.remoteId), notes(survivor).length]).toEqual([[url], 1]);
  expect((await writesOf(house)).every((write) => write.candidate_id === survivor.id)).toBe(true);
});

long(
  'access that is withdrawn: the connection reports it once, writes wait, and continue with another key',
  async () => {
    const people = [await person(service, house), await person(service, house)];
    lever.fault({ kind: 'status', status: 401, path: '/opportunities/', times: null });
    for (const who of people) await interview(house, who.id);
    await until(async () => (await stateOf()).state === 'reconnect_needed');
    const before = lever.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The call for the other person may have been under way.
    expect(lever.requests.length).toBeLessThanOrEqual(before + 1);
    lever.faults.clear();
    const credential = { kind: 'api_key', key: lever.apiKey };
    expect((await house.api.patch(`/ats-connections/${house.connectionId}`, { credential })).status).toBe(200);
    await settled(service, house);
    for (const { remoteId } of people) expect(lever.linksOf(remoteId)).toHaveLength(1);
    expect((await stateOf()).state).toBe('ok');
  },
);

long('a permission that is missing degrades the connection until it is back', async () => {
  const who = await person(service, house);
  lever.fault({ kind: 'status', status: 403, path: '/opportunities/', times: null });
  await interview(house, who.id);
  await until(async () => (await stateOf()).state === 'degraded');
  lever.faults.clear();
  await settled(service, house);
  await until(async () => (await stateOf()).state === 'ok');
  expect(lever.linksOf(who.remoteId)).toHaveLength(1);
});

long('a writer who is gone: degraded, writes wait, and continue when another one is set', async () => {
  const { id: gone } = lever.add.user({ name: 'Gone' });
  await house.api.patch(`/ats-connections/${house.connectionId}`, { writes: { as_user: gone } });
  lever.users.get(gone)!['deactivatedAt'] = 1;
  const who = await person(service, house);
  const { id } = await interview(house, who.id);
  await until(async () => (await stateOf()).state === 'degraded');
  expect(await stateOf()).toMatchObject({ reason: 'writer_gone' });
  await score(house, id);
  await house.api.patch(`/ats-connections/${house.connectionId}`, { writes: { as_user: DANA } });
  await settled(service, house);
  expect([lever.linksOf(who.remoteId).length, notes(who).length]).toEqual([1, 1]);
  expect(lever.notesOf(who.remoteId)[0]!.user).toBe(DANA);
  await until(async () => (await stateOf()).state === 'ok');
});

long('a write waits for another writer when its writer is gone between two writes', async () => {
  const { id: leaving } = lever.add.user({ name: 'Leaving' });
  await house.api.patch(`/ats-connections/${house.connectionId}`, { writes: { as_user: leaving } });
  const who = await person(service, house);
  const { id } = await interview(house, who.id);
  await settled(service, house);
  lever.users.get(leaving)!['deactivatedAt'] = 1;
  await score(house, id);
  await until(async () => (await stateOf()).reason === 'writer_gone');
  expect(await newest()).toMatchObject({ kind: 'scorecard', state: 'waiting' });
  await house.api.patch(`/ats-connections/${house.connectionId}`, { writes: { as_user: DANA } });
  await settled(service, house);
  expect(notes(who)).toHaveLength(1);
});

long('takes back the link of one meeting, and not that of another one whose address begins the same', async () => {
  const who = await person(service, house);
  const { id, meeting_url: url } = await interview(house, who.id);
  await settled(service, house);
  lever.change(who.remoteId, { links: [`${url}-2`, url] });
  await house.api.patch(`/interviews/${id}`, { state: 'cancelled' });
  await settled(service, house);
  expect(lever.linksOf(who.remoteId)).toEqual([`${url}-2`]);
});

long('waiting writes of an erased candidate are removed', async () => {
  const who = await person(service, house);
  const { id } = await interview(house, who.id);
  await settled(service, house);
  lever.fault({ kind: 'status', status: 503, times: null });
  await score(house, id);
  await house.api.delete(`/candidates/${who.id}`);
  lever.faults.clear();
  await settled(service, house);
  expect(notes(who)).toEqual([]);
  const { rows } = await service.db.query(
    `select row_to_json(w)::text as text from ats_writes w where tenant_id = $1`,
    [house.tenantId],
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('Kubernetes');
  expect((await eventsOf(service, house.tenantId, id)).every(({ data }) => !data.includes('Kubernetes'))).toBe(true);
});

long('a candidate of the API, a connection without targets, and one that is disconnected write nothing', async () => {
  const who = await person(service, house);
  await service.db.query(`update candidates set ats_connection_id = null where tenant_id = $1`, [house.tenantId]);
  await interview(house, who.id);
  expect(await writesOf(house)).toEqual([]);
  const other = await person(service, house);
  await house.api.patch(`/ats-connections/${house.connectionId}`, {
    writes: { link_target: null, scorecard_target: null },
  });
  await score(house, (await interview(house, other.id)).id);
  expect(await writesOf(house)).toEqual([]);
  await house.api.patch(`/ats-connections/${house.connectionId}`, { writes: { link_target: 'link' } });
  lever.fault({ kind: 'status', status: 503, times: null });
  await interview(house, other.id);
  const { body } = await house.api.post(`/ats-connections/${house.connectionId}/disconnect`, {});
  expect(JSON.stringify(body.stays)).toContain('1 writes had not reached');
  expect(await newest()).toMatchObject({ state: 'left', reason: 'disconnected' });
  await interview(house, other.id);
  expect(await writesOf(house)).toHaveLength(1);
});
