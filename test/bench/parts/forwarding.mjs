import { ROUNDS } from '../contenders.mjs';
import { load, median } from '../load.mjs';

/**
 * Changes forwarded per second, beside a loop that posts the same bodies to the same sink at the same concurrency and
 * stores nothing. The changes are made while the destination is paused, so that only the sending is measured.
 */
export async function forwarding({ report, db, sink, tenant, apiKey, origin, count }) {
  const api = (method, path) =>
    fetch(`${origin}/api/v1${path}`, { method, headers: { authorization: `Bearer ${apiKey}` } }).then(
      async (response) => {
        if (!response.ok) throw new Error(await response.text());
      },
    );
  const { rows: bodies } = await db.query(
    `select target_body from lanes where tenant_id = $1 order by subject limit $2`,
    [tenant, count],
  );
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
  const post = (i) => ({
    method: 'POST',
    path: '/v1/users',
    headers: { ...headers, 'idempotency-key': `loop-${i}` },
    body: bodies[i % bodies.length].target_body,
  });
  const loop = [];
  const ours = [];
  for (let round = 0; round < ROUNDS; round++) {
    loop.push(await load(sink.url, 16, count, post));
    await api('POST', '/platform/pause');
    // Everybody is owed once more, as after `changes resend`.
    await db.query(
      `update lanes set state = 'due', first_pending = last_pending, pending_since = now(), confirmed_digest = null
       where tenant_id = $1 and subject in (select subject from lanes where tenant_id = $1 order by subject limit $2)`,
      [tenant, count],
    );
    const began = performance.now();
    await api('POST', '/platform/resume');
    for (;;) {
      const { rows } = await db.query(
        `select exists (select 1 from lanes where tenant_id = $1 and first_pending is not null and parked_reason is null) as busy`,
        [tenant],
      );
      if (!rows[0].busy) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    ours.push(count / ((performance.now() - began) / 1000));
  }
  report.ratio('changes forwarded, to a loop that only posts', median(ours), median(loop), 0.3);
}
