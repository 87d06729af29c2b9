import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { entered } from '../support/console-pages.js';
import { fullHouse, pagesOf } from '../support/console-states.js';
import type { House } from '../support/house.js';
import { madeUser, user } from '../support/scim.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let browser: Browser;
let house: House;
let pages: string[];

describeInBrowser('the pages of the console', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
    const full = await fullHouse(service);
    house = full.house;
    pages = pagesOf(house, full.userId);
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it('show what an IdP wrote as text', async () => {
    const { page, complaints, context } = await entered(browser, service, { tenantId: house.tenantId });
    await page.goto(`${service.url}/console/users`);
    await page.getByText('onerror').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('show no act to an auditor', async () => {
    const { page, context } = await entered(browser, service, { role: 'auditor', tenantId: house.tenantId });
    for (const path of pages) {
      await page.goto(`${service.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const acts = page.getByRole('button', {
        name: /release|discard|delete|end|unbind|revoke|token|save|set |go live|create a|cancel/i,
      });
      // A request of the log is opened by a button with its method.
      const texts = (await acts.allTextContents()).filter((words) => !words.includes('/scim/'));
      expect([path, texts]).toEqual([path, []]);
      expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []]);
    }
    await context.close();
  });

  it(
    'keep their heading and say what to do when the service is slow or does not answer',
    async () => {
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      const lists = /\/api\/v1\/(users|held|tasks|seats\/events)\?/;
      for (const path of ['/console/users', '/console/held', '/console/tasks', '/console/seats/ledger']) {
        // An answer that is on its way: the page stands, and says that it is loading.
        let release = (): void => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        await page.route(lists, async (route) => held.then(() => route.abort()));
        await page.goto(`${service.url}${path}`);
        await page.getByText('Loading').first().waitFor({ state: 'attached' });
        release();
        // No answer at all: in words, with a way to try again.
        await page.getByRole('alert').first().waitFor();
        expect(await page.getByRole('alert').first().textContent()).toContain('The service did not answer');
        await page.unroute(lists);
        await page.getByRole('button', { name: 'Try again' }).first().click();
        await page.getByRole('alert').first().waitFor({ state: 'detached' });
      }
      await context.close();
    },
    patience(60_000),
  );

  it(
    'keep what was typed when the session ends',
    async () => {
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      await page.goto(`${service.url}/console/directories/${house.directoryId}/settings`);
      await page.getByLabel('Name').fill('A name that was typed');
      await service.db.query(`update console_sessions set revoked_at = now() where tenant_id = $1`, [house.tenantId]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Your session has ended').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('A name that was typed');
      await context.close();
    },
    patience(60_000),
  );

  it(
    'show users who come while the page is open, each with an explanation',
    async () => {
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      await page.goto(`${service.url}/console/users?q=comes`);
      await page.getByText('No user matches').waitFor();
      await madeUser(house.scim, user('comes-later@x.example', { name: { givenName: 'Comes', familyName: 'Later' } }));
      await page.getByRole('link', { name: 'Comes Later' }).click({ timeout: patience(30_000) });
      await page.getByText('no role applies').first().waitFor();
      await page.getByText('POST 201 created').waitFor();
      await context.close();
    },
    patience(90_000),
  );
});
