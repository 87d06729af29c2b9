import { Pool } from 'undici';

/** Requests per second of `count` requests at the given concurrency; every answer is read and its status checked. */
export async function load(origin, concurrency, count, requestOf, expected = [200, 201, 204]) {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (;;) {
        const i = next++;
        if (i >= count) return;
        const { statusCode, body } = await pool.request(requestOf(i));
        const text = await body.text();
        if (!expected.includes(statusCode)) throw new Error(`${statusCode}: ${text.slice(0, 300)}`);
        requestOf.seen?.(i, text);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return count / seconds;
}

/** The same, as the list of milliseconds each request took. */
export async function latencies(origin, concurrency, count, requestOf) {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  let next = 0;
  const times = [];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (;;) {
        const i = next++;
        if (i >= count) return;
        const began = performance.now();
        const { statusCode, body } = await pool.request(requestOf(i));
        const text = await body.text();
        if (statusCode >= 400) throw new Error(`${statusCode}: ${text.slice(0, 300)}`);
        times.push(performance.now() - began);
      }
    }),
  );
  await pool.close();
  return times.sort((a, b) => a - b);
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
