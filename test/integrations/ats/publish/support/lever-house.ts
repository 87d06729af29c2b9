import { AtsCallOptions } from '../../../../../src/integrations/ats/calls/connection-api.js';
import { DeliveryOptions } from '../../../../../src/engine/delivery/delivery.options.js';
import type { LeverSimulator } from '../../../../simulators/index.js';
import type { TestApp } from '../../../../support/app.js';
import { candidate } from '../../../../support/candidates.js';
import { newHouse, type House } from '../../../../support/house.js';
import type { Answer } from '../../../../support/http.js';

/** The user of the simulator who is there from the start. */
export const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';

export const PLAN = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };
export const CARD = { overall: 4, recommendation: 'advance', summary: 'Knows Kubernetes.' };

/** A tenant that is connected to a Lever. */
export interface LeverHouse extends House {
  connectionId: string;
  lever: LeverSimulator;
}

/** A candidate of the tenant, and its opportunity. */
export interface Person {
  id: string;
  remoteId: string;
  externalId: string;
}

/** Makes the pace of calls and deliveries that of a test. */
export function hurry({ app }: TestApp): void {
  Object.assign(app.nest.get(AtsCallOptions, { strict: false }), {
    paceFactor: 1_000,
    timeoutMs: 1_000,
    maxWaitMs: 500,
  });
  Object.assign(app.nest.get(DeliveryOptions, { strict: false }), {
    backoff: { firstMs: 20, maxMs: 100 },
    probe: { firstMs: 20, maxMs: 100, fewPeopleMs: 100 },
    pollMs: 20,
    quietPollMs: 50,
  });
}

/** Makes a tenant with a connection to Lever, which writes as Dana unless it is said otherwise. */
export async function leverHouse(service: TestApp, lever: LeverSimulator, more: object = {}): Promise<LeverHouse> {
  const house = await newHouse(service);
  const made = await house.api.post('/ats-connections', {
    provider: 'lever',
    base_url: lever.url,
    credential: { kind: 'api_key', key: lever.apiKey },
    writes: { as_user: DANA },
    ...more,
  });
  if (made.status !== 201) throw new Error(made.text);
  const connectionId = made.body.id as string;
  // What the polls would bring is not the matter here: candidates are made by hand, once the first pass is over.
  await until(async () => {
    const { rowCount } = await service.db.query(
      `update ats_syncs s set next_at = 'infinity'
       where s.tenant_id = $1 and not exists (
           select 1 from work_entries e where e.tenant_id = $1 and e.kind = 'ats.polls' and e.holder is not null)
         and exists (select 1 from ats_runs r where r.tenant_id = $1 and r.state <> 'running')`,
      [house.tenantId],
    );
    return rowCount === 1;
  });
  return { ...house, connectionId, lever };
}

/** Makes a candidate that came through the connection. */
export async function person(service: TestApp, { api, connectionId, tenantId, lever }: LeverHouse): Promise<Person> {
  const { id: remoteId } = lever.add.opportunity({ silent: true });
  const { body } = await api.post('/candidates', candidate({ external_id: `lv_${remoteId}` }));
  await service.db.query(
    `update candidates set ats_connection_id = $3, ats_keys = '{}' where tenant_id = $1 and id = $2`,
    [tenantId, body.id, connectionId],
  );
  return { id: body.id, remoteId, externalId: body.external_id };
}

export const interview = async ({ api }: House, id: string): Promise<Answer['body']> =>
  (await api.post(`/candidates/${id}/interviews`, PLAN)).body;

export const score = ({ api }: House, id: string, card: object = CARD): Promise<Answer> =>
  api.put(`/interviews/${id}/scorecard`, card);

/** The writes of the connection, oldest first. */
export async function writesOf({ api, connectionId }: LeverHouse, query = ''): Promise<Answer['body'][]> {
  const { body } = await api.get(`/ats-connections/${connectionId}/writes${query}`);
  return (body.data as Answer['body'][]).reverse();
}

/** Waits until nothing of the tenant waits. */
export async function settled({ db }: TestApp, { tenantId }: House, seconds = 20): Promise<void> {
  const until = Date.now() + seconds * 1_000;
  for (;;) {
    const { rows } = await db.query<{ waiting: number; lanes: number }>(
      `select (select count(*)::int from ats_writes where tenant_id = $1 and state = 'waiting') as waiting,
         (select count(*)::int from lanes where tenant_id = $1 and channel = 'ats') as lanes`,
      [tenantId],
    );
    if (rows[0]!.waiting === 0 && rows[0]!.lanes === 0) return;
    if (Date.now() > until) throw new Error(`still waiting: ${JSON.stringify(rows[0])}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until something is so. */
export async function until(check: () => Promise<boolean>, seconds = 10): Promise<void> {
  const end = Date.now() + seconds * 1_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
