import { memoryOf } from '../../support/processes.mjs';
import { userBody } from '../bodies.mjs';
import { ROUNDS, scaled } from '../contenders.mjs';

/** A first sync as an IdP does it: look for the user, then create it. Then the peak memory of the service. */
export async function firstSync(contenders, report, service, settled) {
  const users = scaled(Math.round(12_000 / ROUNDS));
  const requests = (who, round) => (i) => {
    const tag = `sync${round}${who}`;
    const n = i >> 1;
    return i % 2 === 0
      ? { method: 'GET', path: `/Users?filter=userName%20eq%20%22${tag}-${n}@example.com%22` }
      : { method: 'POST', path: '/Users', body: userBody(tag, n) };
  };
  await contenders.race(`first sync of ${users} users (look-up and create)`, 0.45, users * 2, requests, { settled });
  report.atMost('peak memory after it, MiB', memoryOf(service.pid).peak, 250, 0);
}
