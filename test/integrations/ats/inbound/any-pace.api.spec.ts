import { sharedApp, type TestApp } from '../../../support/app.js';
import fc from '../../../support/properties.js';
import { long, someOf } from '../../../support/rounds.js';
import { applicationOf, merged, toldGreenhouse, updated } from './support/told-greenhouse.js';

// The same deliveries come to the same end at each pace: one by one, or all at once.

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

type Delivery = [action: string, payload: object];
const AT = Date.now() - 3_600_000;
const at = (second: number): string => new Date(AT + second * 1_000).toISOString();

/** Plays deliveries to a tenant of its own. @returns what is there at the end, without ids */
async function end(
  deliveries: readonly Delivery[],
  pace: 'slow' | 'burst',
  people: readonly number[],
): Promise<object> {
  const ats = await toldGreenhouse(service);
  for (const [action, payload] of deliveries) {
    await ats.send(action, payload);
    if (pace === 'slow') await ats.settled();
  }
  await ats.settled();
  const rows = await ats.candidates();
  const names = new Map(rows.map((row) => [row['id'], row['external_id']]));
  const resolved: Record<string, unknown> = {};
  for (const person of people) {
    const id = await ats.resolve(`gh_${person}`);
    resolved[`gh_${person}`] = id === null ? null : names.get(id);
  }
  const shown = rows.map(({ external_id, email, stage, ats_status, metadata }) => ({
    external_id,
    email,
    stage,
    ats_status,
    metadata,
  }));
  shown.sort((a, b) => (String(a.external_id) < String(b.external_id) ? -1 : 1));
  return { shown, resolved };
}

const MERGES: [string, Delivery[], Record<string, unknown>][] = [
  [
    'a loser that was rejected and never taken',
    [
      ['new_candidate_application', applicationOf({ person: 1, application: 11, at: at(1) })],
      ['new_candidate_application', applicationOf({ person: 2, application: 12, status: 'rejected', at: at(2) })],
      ['merge_candidate', merged(2, 1)],
    ],
    { gh_1: 'gh_1', gh_2: 'gh_1' },
  ],
  [
    'a loser that was never seen',
    [
      ['new_candidate_application', applicationOf({ person: 1, application: 11, at: at(1) })],
      ['merge_candidate', merged(2, 1)],
    ],
    { gh_1: 'gh_1', gh_2: 'gh_1' },
  ],
  [
    'a loser whose survivor comes later',
    [
      ['merge_candidate', merged(2, 1)],
      ['merge_candidate', merged(3, 2)],
      ['new_candidate_application', applicationOf({ person: 1, application: 11, at: at(1) })],
    ],
    { gh_1: 'gh_1', gh_2: 'gh_1', gh_3: 'gh_1' },
  ],
  [
    'a survivor that was never taken',
    [
      ['new_candidate_application', applicationOf({ person: 2, application: 12, at: at(1) })],
      ['new_candidate_application', applicationOf({ person: 1, application: 11, status: 'rejected', at: at(2) })],
      ['merge_candidate', merged(2, 1)],
    ],
    { gh_1: 'gh_1', gh_2: 'gh_1' },
  ],
];

it.each(someOf(MERGES))('resolves %s, slowly and in a burst', async (_name, deliveries, resolved) => {
  const people = Object.keys(resolved).map((name) => Number(name.slice(3)));
  const slow = await end(deliveries, 'slow', people);
  expect(slow).toMatchObject({ resolved });
  expect(await end(deliveries, 'burst', people)).toEqual(slow);
});

const PERSON = fc.constantFrom(1, 2, 3, 4);
const STEP = fc.record({
  action: fc.constantFrom(
    'new_candidate_application',
    'new_candidate_application',
    'candidate_stage_change',
    'reject_candidate',
    'update_candidate',
    'merge_candidate',
  ),
  person: PERSON,
  other: PERSON,
  application: fc.constantFrom(0, 1),
  stage: fc.constantFrom('Review', 'Onsite', 'Offer'),
});

/** Makes the deliveries of steps, a second apart. */
function deliveriesOf(steps: readonly (typeof STEP extends fc.Arbitrary<infer T> ? T : never)[]): Delivery[] {
  return steps.map(({ action, person, other, application, stage }, n): Delivery => {
    if (action === 'merge_candidate') return [action, merged(person, other === person ? (person % 4) + 1 : other)];
    if (action === 'update_candidate') return [action, updated(person, `n${n}@example.com`)];
    const status = action === 'reject_candidate' ? 'rejected' : 'active';
    return [action, applicationOf({ person, application: person * 10 + application, stage, status, at: at(n) })];
  });
}

long('has the same result slowly and in a burst', async () => {
  const steps = fc.array(STEP, { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (some) => {
      const deliveries = deliveriesOf(some);
      const slow = await end(deliveries, 'slow', [1, 2, 3, 4]);
      expect(await end(deliveries, 'burst', [1, 2, 3, 4])).toEqual(slow);
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

long('has the same result when deliveries of one application change places, as each has its time', async () => {
  const told = { person: 1, application: 11 };
  const first: Delivery = ['new_candidate_application', applicationOf({ ...told, at: at(0) })];
  const others = [1, 2, 3, 4, 5].map((n): Delivery => {
    const status = n === 3 ? 'rejected' : 'active';
    const said = { ...told, stage: `Stage ${n}`, status, at: at(n), email: `s${n}@example.com` };
    return [status === 'rejected' ? 'reject_candidate' : 'candidate_stage_change', applicationOf(said)];
  });
  const ordered = await end([first, ...others], 'slow', [1]);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(others, { minLength: 5 }), async (shuffled) => {
      expect(await end([first, ...shuffled], 'slow', [1])).toEqual(ordered);
      expect(await end([first, ...shuffled], 'burst', [1])).toEqual(ordered);
    }),
    { numRuns: 4, endOnFailure: true },
  );
});
