import { startApp, type TestApp } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { endpointAt, Receiver } from '../../integrations/webhooks/channel/receiver.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await startApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const SECRETS = ['Ermintrude', 'ermintrude.x@private.example', 'her referrer', 'Lion Tamer'];

long('leaves no personal data in tables and events after a removal', async () => {
  const [first_name, email, referrer, job_title] = SECRETS;
  const body = candidate({ first_name, email, job_title, metadata: { referrer } });
  const { id, external_id } = (await house.api.post('/candidates', body)).body;
  await house.api.patch(`/candidates/${id}`, { last_name: 'Changed' });
  expect((await house.api.delete(`/candidates/${id}`)).status).toBe(204);
  const ids = [1, 2, 3].map((sequence) => JSON.stringify({ id, external_id, sequence }));
  expect(await eventsOf(service, house.tenantId, id)).toEqual([
    { event: 'candidate.created', data: ids[0] },
    { event: 'candidate.updated', data: ids[1] },
    { event: 'candidate.deleted', data: ids[2] },
  ]);
  const { rows: tables } = await service.db.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and $1::text is not null`,
    [house.tenantId],
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await service.db.execute(
      `select 1 from ${name} t where ${SECRETS.map((text) => `t::text ilike '%${text}%'`).join(' or ')} limit 1`,
    );
    if (rowCount !== 0) found.push(name);
  }
  expect(found).toEqual([]);
});

it('removes answers of receivers with and without order; the attempts stay', async () => {
  const at = await newHouse(service);
  const receiver = await new Receiver().start();
  // A receiver that shows what it was sent, as test receivers and workflow tools do.
  receiver.reply =
    ({ body }) =>
    (res) =>
      res.writeHead(200).end(body);
  try {
    await endpointAt(service, at.tenantId, { url: receiver.url });
    await endpointAt(service, at.tenantId, { url: receiver.url, ordered: true });
    const [gone, stays] = await Promise.all(['Ermintrude', 'Gerald'].map((first_name) => at.api.post('/candidates', candidate({ first_name })))); // prettier-ignore
    const answers = async (): Promise<(string | null)[]> => {
      const { rows } = await service.db.query<{ answer: string | null }>(
        `select answer from attempts where tenant_id = $1 and channel = 'webhook'`,
        [at.tenantId],
      );
      return rows.map(({ answer }) => answer);
    };
    const known = await eventually(answers, (all) => all.length === 4, 10_000);
    expect(known.filter((answer) => answer!.includes('Ermintrude'))).toHaveLength(2);
    expect((await at.api.delete(`/candidates/${gone!.body.id}`)).status).toBe(204);
    const left = await answers();
    expect(left.length).toBeGreaterThanOrEqual(4);
    expect(left.filter((answer) => answer?.includes('Ermintrude'))).toEqual([]);
    expect(left.filter((answer) => answer?.includes(stays!.body.id))).toHaveLength(2);
  } finally {
    await receiver.stop();
  }
});

it('leaves the events of other candidates unchanged', async () => {
  const [gone, stays] = await Promise.all([1, 2].map(() => house.api.post('/candidates', candidate())));
  const before = await eventsOf(service, house.tenantId, stays!.body.id);
  await house.api.delete(`/candidates/${gone!.body.id}`);
  expect(await eventsOf(service, house.tenantId, stays!.body.id)).toEqual(before);
});

long('leaves no data of the candidate when writes run beside the removal', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = (await house.api.post('/candidates', candidate({ first_name: 'Meets' }))).body;
    const writes = Array.from({ length: 6 }, (_, i) =>
      house.api.patch(`/candidates/${id}`, { first_name: `Meets${i}` }),
    );
    const [removed, ...others] = await Promise.all([house.api.delete(`/candidates/${id}`), ...writes]);
    expect(removed.status).toBe(204);
    expect(others.every(({ status }) => status === 200 || status === 404)).toBe(true);
    const events = await eventsOf(service, house.tenantId, id);
    expect(events.filter(({ data }) => data.includes('Meets'))).toEqual([]);
    expect(events.map(({ data }) => JSON.parse(data).sequence)).toEqual(events.map((_, i) => i + 1));
    expect(events.at(-1)!.event).toBe('candidate.deleted');
  }
});

it('frees the external_id for a new candidate', async () => {
  const body = candidate();
  const first = (await house.api.post('/candidates', body)).body;
  await house.api.delete(`/candidates/${first.id}`);
  const second = await house.api.post('/candidates', body);
  expect([second.status, second.body.id === first.id]).toEqual([201, false]);
});
