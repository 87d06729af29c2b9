import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../../../src/base/database/embedded/embedded-postgres.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { describeInBrowser, launch } from '../../../support/browser.js';
import { client, eventually } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const CLIENT = { id: 'lev_client', secret: 'lev-client-secret' };

// The service is `localhost`, Lever is `127.0.0.1`: two sites, as in the world.
describeInBrowser('Lever in a browser', () => {
  let service: TestApp;
  let lever: LeverSimulator;
  let browser: Browser;
  let base: string;
  let house: House;

  beforeAll(async () => {
    const port = String(await freePort());
    base = `http://localhost:${port}`;
    const startUrl = `${base}/api/integrations/lever/start`;
    const redirects = [`${base}/api/integrations/lever/callback`];
    lever = await startLever({ rateFactor: 100, startUrl, client: { ...CLIENT, redirects } });
    service = await startApp({
      PORT: port,
      BASE_URL: base,
      ATS_OAUTH_CLIENTS: `lever:${CLIENT.id}:${CLIENT.secret}`,
      ATS_SIMULATORS: `lever=${lever.origin}`,
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
    await lever.close();
  });
  beforeEach(async () => {
    house = await newHouse(service);
    const owner = await madeUser(house.scim, user(`${fresh()}@e.com`));
    await house.api.patch('/tenant', { owner_user_id: owner });
  });

  /** A browser in which the owner of the tenant is signed in. */
  async function signedIn(): Promise<Page> {
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const { body } = await operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`);
    const page = await (await newContext()).newPage();
    await page.goto((body.url as string).replace(/^https?:\/\/[^/]+/, base));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${base}/`);
    return page;
  }

  const newContext = (): Promise<BrowserContext> => browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const connections = async () =>
    (await house.api.get('/ats-connections')).body.data as { state: string; webhook: { made: string[] } }[];

  async function isAccessible(page: Page): Promise<void> {
    await page.evaluate(AXE);
    const violations = await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`);
    expect(violations).toEqual([]);
  }

  async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  }

  test('connects from the settings of Lever to the first sync without a typed key', async () => {
    const page = await signedIn();
    await page.goto(`${lever.origin}/settings`);
    await picture(page, 'lever-settings');
    await page.getByRole('link', { name: /connect/i }).click();
    await page.getByRole('heading', { name: 'Connect Lever' }).waitFor();
    await isAccessible(page);
    await picture(page, 'connect-lever');
    await page.getByRole('button', { name: 'Continue to Lever' }).click();
    await picture(page, 'lever-approve');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Lever is connected' }).waitFor();
    await isAccessible(page);
    await picture(page, 'lever-connected');
    expect(page.url()).toContain(`${base}/api/integrations/lever/callback`);
    const made = await eventually(connections, ([one]) => (one?.webhook.made.length ?? 0) > 4);
    expect(made).toMatchObject([{ state: 'ok' }]);
    await page.reload();
    await page.getByText('used already').waitFor();
    await isAccessible(page);
    await picture(page, 'lever-used');
  });

  test('leads back after a denial, with a button to begin again', async () => {
    const page = await signedIn();
    await page.goto(`${base}/api/integrations/lever/start`);
    await page.getByRole('button', { name: 'Continue to Lever' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('was not approved there').waitFor();
    await page.getByRole('link', { name: 'Begin again' }).click();
    await page.getByRole('heading', { name: 'Connect Lever' }).waitFor();
    expect(await connections()).toEqual([]);
  });

  test('names the tenant of a connect link, and has its secret in no address once the page is open', async () => {
    const { body } = await house.api.post('/ats-connect-links', { provider: 'lever' });
    const page = await (await newContext()).newPage();
    await page.goto(body.url as string);
    expect(page.url()).not.toContain('#');
    await isAccessible(page);
    await picture(page, 'connect-link');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Continue to Lever').waitFor();
    await isAccessible(page);
    await picture(page, 'connect-link-tenant');
    await page.getByRole('button', { name: 'Continue to Lever' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Lever is connected' }).waitFor();
    expect(await connections()).toHaveLength(1);
  });
});
