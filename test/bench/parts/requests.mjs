import { scaled } from '../contenders.mjs';
import { patchBody, userBody } from '../bodies.mjs';

/** Single requests on users. Answers the ids that each program gave. */
export async function requests(contenders, settled) {
  const ids = { lean: [], raw: [], ours: [] };
  const create = (who, round) => {
    const one = (i) => ({ method: 'POST', path: '/Users', body: userBody(`${who}${round}`, i) });
    one.seen = (i, text) => round === 0 && (ids[who][i] = JSON.parse(text).id);
    return one;
  };
  await contenders.race('create', 0.4, scaled(2000), create, { settled });
  const again = (who) => (i) => ({ method: 'POST', path: '/Users', body: userBody(`${who}0`, i % ids[who].length) });
  await contenders.race('create of a name that is taken (409)', 0.45, scaled(2000), again, { expected: [409] });
  const idOf = (who, i) => ids[who][i % ids[who].length];
  await contenders.race('read by id', 0.5, scaled(5000), (who) => (i) => ({
    method: 'GET',
    path: `/Users/${idOf(who, i)}`,
  }));
  await contenders.race('filter by userName', 0.5, scaled(5000), (who) => (i) => ({
    method: 'GET',
    path: `/Users?filter=userName%20eq%20%22${who}0-${i % ids[who].length}@example.com%22`,
  }));
  const patch = (who, round) => (i) => ({
    method: 'PATCH',
    path: `/Users/${idOf(who, i)}`,
    body: patchBody([{ op: 'replace', value: { active: round % 2 === 1 } }]),
  });
  await contenders.race('PATCH active', 0.4, scaled(2000), patch, { settled });
  const put = (who, round) => (i) => ({
    method: 'PUT',
    path: `/Users/${idOf(who, i)}`,
    body: userBody(`${who}0`, i % ids[who].length, `Put${round}`),
  });
  await contenders.race('PUT', 0.4, scaled(2000), put, { settled });
  return ids;
}
