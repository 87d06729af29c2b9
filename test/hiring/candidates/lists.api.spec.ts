import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const made = async (more: object): Promise<string> => (await house.api.post('/candidates', candidate(more))).body.id;
const found = async (query: string): Promise<string[]> =>
  (await house.api.get(`/candidates?${query}`)).body.data.map(({ id }: { id: string }) => id);

it('finds candidates by the beginning of a name, an e-mail or an external_id, without regard to case', async () => {
  const zoe = await made({ first_name: 'Zoë', last_name: 'Müller', email: 'zoe.m@example.com', external_id: 'qq_1' });
  await made({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', external_id: 'rr_1' });
  for (const q of ['zo', 'ZOË', 'mül', 'zoe.m@', 'qq_']) {
    expect([q, await found(`q=${encodeURIComponent(q)}`)]).toEqual([q, [zoe]]);
  }
  expect(await found('q=%25%25')).toEqual([]);
  expect((await house.api.get('/candidates?q=z')).body.errors[0].field).toBe('q');
});

it('finds candidates by each name of their opening', async () => {
  const { body: job } = await house.api.put('/jobs/by-external-id/480912000000987654', { title: 'Backend Engineer' });
  const body = JSON.stringify(candidate({ metadata: { job_opening_id: 0 } })).replace(
    '"job_opening_id":0',
    '"job_opening_id":480912000000987654',
  );
  const { body: one } = await house.api.post('/candidates', body);
  expect(one.job_title).toBe('Backend Engineer');
  const two = await made({ metadata: { job_opening_id: job.id } });
  for (const name of ['480912000000987654', job.id]) expect(await found(`job=${name}`)).toEqual([two, one.id]);
});

it('finds candidates by stage, state and connection', async () => {
  const id = await made({});
  await service.db.query(
    `update candidates set stage = 'Onsite', ats_status = 'hired', ats_connection_id = 'ats_x' where tenant_id = $1 and id = $2`,
    [house.tenantId, id],
  );
  for (const query of ['stage=Onsite', 'ats_status=hired', 'connection=ats_x', 'stage=Onsite&ats_status=hired']) {
    expect([query, await found(query)]).toEqual([query, [id]]);
  }
  expect(await found('stage=Onsite&ats_status=active')).toEqual([]);
  expect((await house.api.get('/candidates?ats_status=gone')).status).toBe(422);
});

it('exports all candidates of a filter as CSV', async () => {
  const other = await newHouse(service);
  for (let n = 0; n < 3; n++) await other.api.post('/candidates', candidate({ last_name: n === 0 ? '=1+1' : 'B' }));
  const { headers, text } = await other.api.get('/candidates?format=csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const lines = text.trim().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^id,external_id,first_name,last_name,email,/);
  expect(text).not.toMatch(/,=1\+1/);
});

it('shows the candidate with an external_id, and nothing of another tenant', async () => {
  const id = await made({ external_id: 'by/1 ü' });
  const at = `/candidates/by-external-id/${encodeURIComponent('by/1 ü')}`;
  expect((await house.api.get(at)).body.id).toBe(id);
  const other = await newHouse(service);
  expect((await other.api.get(at)).status).toBe(404);
});
