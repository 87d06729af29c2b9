import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

// A person with a name that is nowhere else goes through every event of every vendor. After the deletion of the candidate no
// column of the database holds the name.

let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  service = await startApp();
});
afterAll(async () => {
  await service.close();
  await lever.close();
});

const GREENHOUSE =
  `new_candidate_application new_prospect_application candidate_stage_change application_updated prospect_application_updated
  hire_candidate unhire_candidate reject_candidate unreject_candidate update_candidate delete_application offer_created
  offer_approved offer_updated offer_deleted job_post_created job_interview_stage_deleted interview_scheduled interview_deleted
  scorecard_submitted scorecard_deleted department_deleted office_deleted custom_field_updated candidate_tag_added
  candidate_anonymized merge_candidate job_created job_updated ping`.split(/\s+/);
const ASHBY =
  `applicationSubmit applicationUpdate candidateStageChange candidateHire candidateMerge interviewScheduleCreate
  interviewScheduleUpdate interviewPlanTransition offerCreate offerUpdate offerDelete openingCreate jobPostingUpdate
  surveySubmit signatureRequestUpdate pushToHRISTriggered projectCandidateAdd tagAdded ping`.split(/\s+/);
const LEVER =
  `applicationCreated candidateHired candidateStageChange candidateArchiveChange interviewCreated interviewUpdated
  interviewDeleted contactCreated contactUpdated feedbackSubmitted`.split(/\s+/);

const NOW = '2026-03-01T10:00:00.000Z';
const UNSIGNED = { signing_secret: undefined, takes: { postings: 'all', candidates: 'all' } };

/** Returns the columns of the database in which a text is found. */
async function holding(text: string): Promise<string[]> {
  const { rows: columns } = await service.db.execute<{ place: string; sql: string }>(
    `select c.relname || '.' || a.attname as place,
       format(case when a.atttypid = 'bytea'::regtype then 'encode(%1$I, ''escape'')' else '%1$I::text' end, a.attname)
         || format(' from %I', c.relname) as sql
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and format_type(a.atttypid, null) in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'text[]')`,
  );
  const found: string[] = [];
  for (const { place, sql } of columns) {
    const { rows } = await service.db.execute<{ found: boolean }>(
      `select exists (select 1 from (select ${sql.replace(' from ', ' as shown from ')}) x where shown ilike '%${text}%') as found`,
    );
    if (rows[0]!.found) found.push(place);
  }
  return found;
}

async function deleted(ats: Connected): Promise<void> {
  await ats.settled();
  const all = await ats.candidates();
  expect(all.length).toBeGreaterThan(0);
  for (const { id } of all) expect((await ats.api.delete(`/candidates/${String(id)}`)).status).toBe(204);
}

long('greenhouse: every event, with the candidate at every place', async () => {
  const canary = 'Quetzalina';
  const ats = await connectLever(service, null, { provider: 'greenhouse', ...UNSIGNED });
  const candidate = {
    id: 57_001,
    first_name: canary,
    last_name: canary,
    email_addresses: [{ value: `${canary}@x.example`, type: 'personal' }],
  };
  const application = { id: 69_001, status: 'active', applied_at: NOW, last_activity_at: NOW, jobs: [], candidate };
  for (const action of [...GREENHOUSE, 'an_action_of_tomorrow']) {
    const payloads = [
      { application, candidate, person: { ...candidate, new_candidate_id: 57_002 } },
      { application_id: 69_001, candidate, salary: canary },
      { scorecard: { application, notes: canary }, email: `${canary}@x.example` },
    ];
    if (action === 'merge_candidate') payloads.shift();
    for (const payload of payloads) await ats.send(JSON.stringify({ action, payload }));
  }
  await ats.send(`not json, of ${canary}@X.example`);
  await ats.send(`form=of&mail=${encodeURIComponent(`${canary}@x.example`)}`);
  expect(await holding(canary)).toContain('ats_events.body');
  await deleted(ats);
  expect(await holding(canary)).toEqual([]);
});

long('ashby: every event, with the candidate at every place', async () => {
  const canary = 'Xochiquetzal';
  const ats = await connectLever(service, null, { provider: 'ashby', ...UNSIGNED });
  const candidate = { id: 'c-57', name: `${canary} ${canary}`, primaryEmailAddress: { value: `${canary}@x.example` } };
  const application = { id: 'a-69', status: 'Active', updatedAt: NOW, candidate, job: { id: 'j1', title: 'Cook' } };
  let sent = 0;
  for (const action of [...ASHBY, 'anActionOfTomorrow']) {
    for (const data of [{ application }, { candidate, note: canary }, { offer: { application, salary: canary } }]) {
      await ats.send(JSON.stringify({ action, data, webhookActionId: `w${++sent}` }));
    }
  }
  await deleted(ats);
  expect(await holding(canary)).toEqual([]);
});

long('lever: every event, with data that no signature covers', async () => {
  const canary = 'Tlazolteotl';
  const posting = lever.add.posting();
  const { id } = lever.add.opportunity({
    name: `${canary} ${canary}`,
    posting: posting.id,
    emails: [`${canary}@x.example`],
  });
  const ats = await connectLever(service, lever, UNSIGNED);
  for (const event of [...LEVER, 'anEventOfTomorrow']) {
    const data = { opportunityId: id, candidateId: id, name: canary, note: `${canary}@x.example` };
    await ats.send(JSON.stringify({ event, data, token: event, triggeredAt: 1 }));
  }
  await deleted(ats);
  expect(await holding(canary)).toEqual([]);
});
