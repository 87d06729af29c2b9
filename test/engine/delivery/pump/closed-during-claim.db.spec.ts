import { Activity } from '../../../../src/base/activity.js';
import { WriteStatement } from '../../../../src/base/database/write-statement.js';
import { Channel, Channels } from '../../../../src/engine/delivery/channel.js';
import { DeliveryMetrics } from '../../../../src/engine/delivery/pump/delivery.metrics.js';
import { DeliveryOptions } from '../../../../src/engine/delivery/delivery.options.js';
import { DeliveryWorker } from '../../../../src/engine/delivery/pump/delivery.worker.js';
import { PumpParts } from '../../../../src/engine/delivery/pump/pump-parts.js';
import type { FailureRules } from '../../../../src/engine/delivery/retry.rules.js';
import type { LeasedLane, Policy } from '../../../../src/engine/delivery/lane-state.js';
import { enqueue } from '../../../../src/engine/delivery/lanes/enqueue.js';
import type { Sent } from '../../../../src/engine/delivery/outcome.js';
import { PACE, webhookRules } from '../../../../src/integrations/webhooks/endpoint.rules.js';
import { Harness, QUICK, until } from '../../../forwarding/harness.js';

const KEY = { tenantId: 'ten_held', channel: 'held', id: 'endpoint_1' };
const HELD: Sent = {
  outcome: { kind: 'unavailable', reason: 'status_429', ownFault: false, retryAfterMs: 60_000 },
  attempts: [],
};

/** A moment that a test ends. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** Answers with `Retry-After`. The first answer and the second preparation wait for the test. */
class HeldChannel extends Channel {
  readonly name = KEY.channel;
  readonly folds = false;
  readonly sent: string[] = [];
  readonly prepared: string[] = [];
  readonly answer = gate();
  readonly preparation = gate();

  override rulesOf(): FailureRules {
    return webhookRules({ ...PACE, pauses: [10, 10, 10] });
  }

  policyOf(): Policy {
    return { active: 'post', inactive: 'post', deleted: 'post' };
  }

  override async prepare(lanes: readonly LeasedLane[]): Promise<void> {
    this.prepared.push(...lanes.map(({ subject }) => subject));
    if (this.prepared.length > 1) await this.preparation.passed;
  }

  async send({ subject }: LeasedLane): Promise<Sent> {
    this.sent.push(subject);
    await this.answer.passed;
    return HELD;
  }
}

let h: Harness;
beforeAll(async () => {
  h = await Harness.start();
});
afterAll(() => h.stop());

async function post(subject: string): Promise<void> {
  const statement = new WriteStatement().subject((p) => `select ${p.add(subject, 'text')} as id`);
  const change = statement.add(
    () => `select id as subject, nextval('change_sequence') as sequence, clock_timestamp() as occurred_at from subject`,
  );
  enqueue(statement, KEY, { state: 'active', body: '{}', change });
  await statement.run(h.db);
}

it('hands back a lane when an answer with Retry-After arrives while the lane is claimed', async () => {
  const channel = new HeldChannel();
  await h.db.query(`insert into tenants (id, name) values ($1, 'Held')`, [KEY.tenantId]);
  const settings = { timeout_ms: 1_000 };
  await h.db.transaction(KEY.tenantId, (tx) =>
    h.destinations.save(tx, KEY, { baseUrl: 'http://127.0.0.1:9', key: 'none', settings }),
  );
  const channels = new Channels();
  channels.add(channel);
  const worker = new DeliveryWorker(
    channels,
    new PumpParts(
      h.db,
      h.destinations,
      h.states,
      new DeliveryOptions(QUICK),
      new DeliveryMetrics(h.db, h.states),
      h.told.events,
      h.logger,
      new Activity(),
    ),
  );
  worker.start();
  try {
    await post('msg_1');
    await until(() => channel.sent.length === 1);
    await post('msg_2');
    await until(() => channel.prepared.length === 2);
    channel.answer.open();
    await until(async () => (await h.destinations.read(KEY))?.state === 'open');
    channel.preparation.open();
    await until(async () => (await h.lane(KEY.tenantId, 'msg_2'))['lease_token'] === null);
    expect(channel.sent).toEqual(['msg_1']);
  } finally {
    await worker.stop();
  }
});
