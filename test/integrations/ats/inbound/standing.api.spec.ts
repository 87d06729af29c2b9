import { sharedApp, type TestApp } from '../../../support/app.js';
import { long } from '../../../support/rounds.js';
import { applicationOf, toldGreenhouse, updated, type ToldGreenhouse } from './support/told-greenhouse.js';

let service: TestApp;
let ats: ToldGreenhouse;
beforeAll(async () => {
  service = await sharedApp();
  ats = await toldGreenhouse(service);
});
afterAll(() => service.close());

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
const one = async (person: number) => (await ats.candidates(`?external_id=gh_${person}`))[0]!;
async function tell(action: string, payload: object): Promise<void> {
  await ats.send(action, payload);
  await ats.settled();
}
const PLAN = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };

long('shows a rejection with one event, and ends it with unreject', async () => {
  const told = { person: 1, application: 11 };
  await tell('new_candidate_application', applicationOf({ ...told, at: ago(60) }));
  const { id } = await one(1);
  expect(await one(1)).toMatchObject({ stage: 'Review', ats_status: 'active' });
  await tell('reject_candidate', applicationOf({ ...told, status: 'rejected', at: ago(40) }));
  expect(await one(1)).toMatchObject({ ats_status: 'rejected' });
  expect((await ats.candidates('?ats_status=rejected')).map((row) => row['id'])).toEqual([id]);
  const events = async () =>
    ((await ats.api.get('/events?event=candidate.updated')).body.data as { data: Record<string, unknown> }[]).filter(
      ({ data }) => data['id'] === id,
    );
  expect((await events()).map(({ data }) => data['ats_status'])).toEqual(['rejected']);
  const refused = await ats.api.post(`/candidates/${id as string}/interviews`, PLAN);
  expect([refused.status, refused.body.code, refused.body.ats_status]).toEqual([
    409,
    'candidate_not_active',
    'rejected',
  ]);
  expect((await ats.api.post(`/candidates/${id as string}/interviews`, { ...PLAN, force: true })).status).toBe(201);
  await tell('unreject_candidate', applicationOf({ ...told, at: ago(20) }));
  expect(await one(1)).toMatchObject({ ats_status: 'active' });
  expect((await ats.api.post(`/candidates/${id as string}/interviews`, PLAN)).status).toBe(201);
});

it.each([
  ['hired', 'hire_candidate', 'hired'],
  ['converted', 'application_updated', 'archived'],
])('shows %s', async (status, action, shown) => {
  const told = { person: status.length + 10, application: status.length + 20 };
  await tell('new_candidate_application', applicationOf({ ...told, at: ago(60) }));
  await tell(action, applicationOf({ ...told, status, at: ago(30) }));
  expect(await one(told.person)).toMatchObject({ ats_status: shown });
});

long(
  'takes a stage change that is older than an event without a time, and keeps the e-mail of that event',
  async () => {
    const told = { person: 2, application: 21, email: 'old@example.com' };
    await tell('new_candidate_application', applicationOf({ ...told, stage: 'Application Review', at: ago(60) }));
    await tell('update_candidate', updated(2, 'new@example.com'));
    await tell('candidate_stage_change', applicationOf({ ...told, stage: 'Offer', at: ago(1) }));
    const shown = await one(2);
    expect(shown).toMatchObject({ email: 'new@example.com', stage: 'Offer', metadata: { ats_stage: 'Offer' } });
    await tell('candidate_stage_change', applicationOf({ ...told, stage: 'Screen', at: ago(30) }));
    expect(await one(2)).toMatchObject({ stage: 'Offer' });
  },
);

long('stays active when another application of the candidate ends', async () => {
  await tell('new_candidate_application', applicationOf({ person: 3, application: 31, at: ago(60) }));
  await tell(
    'reject_candidate',
    applicationOf({ person: 3, application: 32, status: 'rejected', stage: 'No', at: ago(5) }),
  );
  expect(await one(3)).toMatchObject({ ats_status: 'active', stage: 'Review' });
  await tell('reject_candidate', applicationOf({ person: 3, application: 31, status: 'rejected', at: ago(4) }));
  expect(await one(3)).toMatchObject({ ats_status: 'rejected' });
  await tell('candidate_stage_change', applicationOf({ person: 3, application: 33, stage: 'Onsite', at: ago(3) }));
  expect(await one(3)).toMatchObject({ ats_status: 'active', stage: 'Onsite' });
});
