import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { hurry, leverHouse, person, PLAN, writesOf } from '../../../integrations/ats/publish/support/lever-house.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://bridge.example.com',
  APP_URL: 'https://app.example.com',
  ENCRYPTION_KEY: 'k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  RATE_LIMIT: '1000',
  ALLOW_UNSAFE: 'ENCRYPTION_KEY,ALLOW_PRIVATE_DESTINATIONS',
};

let lever: LeverSimulator;
beforeAll(async () => {
  lever = await startLever({ rateFactor: 100 });
});
afterAll(() => lever.close());

async function withService(env: Record<string, string>, work: (service: TestApp) => Promise<void>): Promise<void> {
  const service = await startApp(env);
  hurry(service);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

long('writes nothing to the ATS, with a reason, when production has neither an engine nor a link', () =>
  withService(PRODUCTION, async (service) => {
    const house = await leverHouse(service, lever);
    const { id, remoteId } = await person(service, house);
    const { status, body } = await house.api.post(`/candidates/${id}/interviews`, PLAN);
    expect([status, body.meeting_url, body.meeting_source, body.meeting_state]).toEqual([201, null, null, 'none']);
    expect(body.meeting_reason).toMatch(/no interview engine.*nothing is written to the ATS/);
    expect(await writesOf(house)).toEqual([]);
    const own = 'https://meet.example.com/later';
    await house.api.patch(`/interviews/${body.id}`, { meeting_url: own });
    await eventually(
      () => Promise.resolve(lever.linksOf(remoteId)),
      (links) => links.includes(own),
    );
    const taken = await house.api.patch(`/interviews/${body.id}`, { meeting_url: null });
    expect([taken.body.meeting_url, taken.body.meeting_state]).toEqual([null, 'none']);
    await eventually(
      () => Promise.resolve(lever.linksOf(remoteId)),
      (links) => links.length === 0,
    );
    expect((await fetch(`${service.url}/i/${house.tenantId}/${body.id}`)).status).toBe(404);
  }),
);

long('leads to a page that names the tenant when the sandbox gives the link', () =>
  withService({}, async (service) => {
    const house = await leverHouse(service, lever);
    const { id } = await person(service, house);
    const { body } = await house.api.post(`/candidates/${id}/interviews`, PLAN);
    const page = await fetch(`${service.url}${new URL(body.meeting_url as string).pathname}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain((await house.api.get('/tenant')).body.name);
    expect((await fetch(`${service.url}/i/${service.tenant.tenantId}/${body.id}`)).status).toBe(404);
  }),
);
