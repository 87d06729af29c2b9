import { Harness, until } from '../../../forwarding/harness.js';

const USERS = 1_200;
/** A batch that is being written, the outcomes behind it, the lanes that were claimed before, and the calls that are out. */
const MOST = 128 + 256 + 256 + 16;

let h: Harness;
beforeAll(async () => {
  h = await Harness.start();
});
afterAll(() => h.stop());

it('sends a bounded number of calls while the database takes no outcomes, and the rest afterwards', async () => {
  const t = await h.tenant('late');
  for (let n = 0; n < USERS; n++) await h.change(t, `usr_${n}`, 'active');
  const refused = new Promise<void>((resolve) => {
    h.logger.error = (message) => {
      if (message === 'delivery.settle_failed') resolve();
    };
  });
  await h.database.owner.transaction(null, async (tx) => {
    // Lanes can be claimed, and no attempt can be recorded: a statement waits three times for three seconds.
    await tx.query('lock table attempts in share mode');
    h.worker({ leaseMarginMs: 60_000 });
    await refused;
    const sent = (await h.calls(t)).length;
    expect(sent).toBeGreaterThan(256);
    expect(sent).toBeLessThanOrEqual(MOST);
  });
  await until(async () => {
    const { rows } = await h.db.query<{ waiting: boolean }>(
      'select exists (select 1 from lanes where tenant_id = $1 and first_pending is not null) as waiting',
      [t],
    );
    return !rows[0]!.waiting;
  }, 60_000);
  const calls = await h.calls(t);
  expect(new Set(calls.filter((call) => call['applied']).map((call) => call['external_id'])).size).toBe(USERS);
});
