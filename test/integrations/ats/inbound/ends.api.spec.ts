import { createHmac } from 'node:crypto';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { chosenToken, until } from '../../../support/ats.js';
import { newHouse } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';

// Deletions and merges, as Ashby tells of them, to a connection that cannot read.
let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const TIMES = { starts_at: '2026-12-01T10:00:00Z', ends_at: '2026-12-01T11:00:00Z' };

async function connected() {
  const house = await newHouse(service);
  const token = chosenToken();
  const body = { provider: 'ashby', api_token: token, signing_secret: token };
  const made = await house.api.post('/ats-connections', body);
  const at = `/ats-connections/${made.body.id}/events`;
  let sent = 0;
  const tell = async (action: string, data: object) => {
    const body = JSON.stringify({ action, data, webhookActionId: `w${++sent}` });
    const url = `${service.url}/api/webhooks/ashby?api_token=${token}`;
    const signature = `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;
    const headers = { 'ashby-signature': signature };
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
    await until(async () => (await house.api.get(`${at}?state=waiting`)).body.data.length === 0);
  };
  const applies = (
    id: string,
    { status = 'Active', updatedAt = '2026-03-01T21:06:38.093Z', name = 'Amara Okonkwo' } = {},
  ) =>
    tell('applicationSubmit', {
      application: {
        id: `application-of-${id}`,
        status,
        updatedAt,
        candidate: { id, name, primaryEmailAddress: { value: 'amara@example.com' } },
        job: { id: 'j1', title: 'Engineer' },
      },
    });
  const merges = (from: string, into: string) =>
    tell('candidateMerge', { deletedCandidate: { id: from }, mergedCandidate: { id: into } });
  const candidate = async (id: string) => (await house.api.get(`/candidates?external_id=as_${id}`)).body.data[0];
  const resolved = async (id: string) =>
    (await house.api.get(`/resolve?type=candidate&external_id=as_${id}`)).body.id as string | undefined;
  const interviewed = async (id: string) => {
    const interview = await house.api.post(`/candidates/${(await candidate(id)).id}/interviews`, TIMES);
    expect(interview.status).toBe(201);
    return interview.body.id as string;
  };
  const ownerOf = async (id: string) => (await house.api.get(`/interviews/${id}`)).body.candidate_id as string;
  return { ...house, tell, applies, merges, candidate, resolved, interviewed, ownerOf };
}

long('keeps the interviews of a candidate that is merged into an unknown one', async () => {
  const ats = await connected();
  await ats.applies('C');
  const interview = await ats.interviewed('C');
  await ats.merges('C', 'D');
  const survivor = await ats.candidate('D');
  expect(survivor).toMatchObject({
    first_name: 'Amara',
    email: 'amara@example.com',
    job_title: 'Engineer',
    metadata: { application_id: 'application-of-C', job_opening_id: 'as_j1' },
  });
  expect(await ats.ownerOf(interview)).toBe(survivor.id);
  expect([await ats.resolved('C'), await ats.resolved('D')]).toEqual([survivor.id, survivor.id]);
  await ats.applies('D', { name: 'Amara N. Okonkwo', updatedAt: '2026-01-01T00:00:00Z' });
  expect(await ats.candidate('D')).toMatchObject({ id: survivor.id, first_name: 'Amara N.' });
});

long('takes the first of two merges that go in a circle, and loses nothing', async () => {
  const ats = await connected();
  for (const id of ['A', 'B']) await ats.applies(id);
  const interview = await ats.interviewed('B');
  await ats.merges('A', 'B');
  await ats.merges('B', 'A');
  const survivor = await ats.candidate('B');
  expect([await ats.ownerOf(interview), await ats.resolved('A')]).toEqual([survivor.id, survivor.id]);
});

long('follows merges of merges, and revives no survivor that is gone', async () => {
  const ats = await connected();
  for (const id of ['A', 'B', 'C']) await ats.applies(id);
  const interview = await ats.interviewed('A');
  await ats.merges('B', 'C');
  await ats.merges('A', 'B');
  const { id } = await ats.candidate('C');
  expect(await ats.ownerOf(interview)).toBe(id);
  expect(await ats.resolved('A')).toBe(id);
  await ats.applies('E');
  await ats.tell('candidateDelete', { candidate: { id: 'F' } });
  await ats.merges('E', 'F');
  expect([await ats.candidate('E'), await ats.candidate('F')]).toEqual([undefined, undefined]);
});

long('erases the events of a person who was never taken, and nothing of an opening with the same id', async () => {
  const ats = await connected();
  await ats.applies('same', { status: 'Archived' });
  const job = { id: 'same', title: 'Engineer', status: 'Open', updatedAt: '2026-03-01T21:06:38.093Z' };
  await ats.tell('jobUpdate', { job: { ...job, confidential: false, employmentType: 'FullTime' } });
  await ats.tell('candidateDelete', { candidate: { id: 'same' } });
  const { rows } = await service.db.query<{ name: string; kept: boolean }>(
    `select name, body is not null as kept from ats_events where tenant_id = $1 order by id`,
    [ats.tenantId],
  );
  expect(rows).toEqual([
    { name: 'applicationSubmit', kept: false },
    { name: 'jobUpdate', kept: true },
    { name: 'candidateDelete', kept: false },
  ]);
});
