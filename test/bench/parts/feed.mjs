import { Pool } from 'undici';
import { median } from '../load.mjs';
import { scaled } from '../contenders.mjs';

const PAGE = 1_000;
/** Contract of the feed: events a second that one consumer reads. */
const LEAST = 20_000;

/** Reads the feed from its begin to its end, as one consumer does. */
async function readAll(pool, key) {
  let after = '';
  let events = 0;
  const pages = [];
  for (;;) {
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/api/v1/events?after=${after}&limit=${PAGE}`,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text.slice(0, 300)}`);
    pages.push(performance.now() - began);
    const { data, next_after: next } = JSON.parse(text);
    events += data.length;
    if (data.length < PAGE) return { events, pages };
    after = next;
  }
}

/** The feed of events over HTTP: candidates of 700 bytes, with an event about a user between two of them. */
export async function feed(report, { db, origin, newTenant }) {
  const tenant = await newTenant('feed');
  const count = scaled(100_000);
  await db.query(
    `insert into events (tenant_id, event, record, data)
     select $1, 'candidate.updated', 'cand_' || n, ('{"id":"cand_' || n || '","email":"a@example.com","pad":"' ||
       repeat('x', 600) || '","sequence":1}')::json from generate_series(1, $2::int) n`,
    [tenant.tenant, count],
  );
  await db.query(
    `insert into changes (tenant_id, user_id, kind, forwarded, changed, person, status, source, received_at)
     select $1, 'usr_' || n, 'updated', false, '{last_name}', '{"email":"a@example.com","first_name":"A","last_name":"B",
       "role":"User","external_id":"x"}', 'active', '{}', now() from generate_series(1, $2::int) n`,
    [tenant.tenant, count / 2],
  );
  const pool = new Pool(origin, { connections: 1, pipelining: 1 });
  const rates = [];
  const pages = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    const read = await readAll(pool, tenant.apiKey);
    rates.push(read.events / ((performance.now() - began) / 1000));
    pages.push(...read.pages);
  }
  await pool.close();
  const rate = median(rates);
  report.add(
    'feed of events, over HTTP by one consumer',
    `${Math.round(rate)}/s`,
    `≥ ${LEAST}`,
    rate >= LEAST,
    `a page of ${PAGE} in ${median(pages).toFixed(1)} ms`,
  );
}
