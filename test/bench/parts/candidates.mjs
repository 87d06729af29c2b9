import { candidateBody } from '../bodies.mjs';
import { CONCURRENCY, scaled } from '../contenders.mjs';
import { load } from '../load.mjs';

/** Candidates over the API: one insert of the lean program against a candidate with its event. */
export async function candidates(contenders, { apiKey, origin }) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const absolute = (who, path) => (who === 'ours' ? `/api/v1${path}` : path);
  const opening = await fetch(`${origin}/api/v1/jobs/by-external-id/bench`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ title: 'Engineer' }),
  });
  if (!opening.ok) throw new Error(await opening.text());
  const ids = { lean: [], ours: [] };
  const create = (tag, more) => (who, round) => {
    if (who === 'raw') return null;
    const one = (i) => ({
      method: 'POST',
      headers,
      absolute: absolute(who, '/candidates'),
      body: candidateBody(`${tag}${who}${round}`, i, more),
    });
    one.seen = (i, text) => tag === 'c' && round === 0 && (ids[who][i] = JSON.parse(text).id);
    return one;
  };
  // The first three thousand requests of a road run code that V8 has not compiled yet, at half the rate.
  for (const who of ['lean', 'ours']) {
    const { origin: at } = contenders.programs[who];
    const one = create('warm', {})(who, 0);
    await load(at, CONCURRENCY, scaled(3000), (i) => ({ ...one(i), path: one(i).absolute }));
  }
  await contenders.race('create a candidate', 0.4, scaled(2000), create('c', {}));
  await contenders.race(
    'create a candidate of an opening',
    null,
    scaled(2000),
    create('o', { job_opening_id: 'bench' }),
  );
  const idOf = (who, i) => ids[who][i % ids[who].length];
  await contenders.race('read a candidate', null, scaled(5000), (who) =>
    who === 'raw' ? null : (i) => ({ method: 'GET', headers, absolute: absolute(who, `/candidates/${idOf(who, i)}`) }),
  );
}
