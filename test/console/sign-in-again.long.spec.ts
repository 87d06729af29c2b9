import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { consoleBySignIn, consoleUser } from '../support/console.js';
import { newHouse } from '../support/house.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let browser: Browser;

describeInBrowser('an act of the console that needs a recent sign-in', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'leads to a sign-in at which the IdP asks again, and keeps the page',
    async () => {
      const house = await newHouse(service);
      const { tab } = await consoleBySignIn(service, house, await consoleUser(house, 'admin'));
      const context = await browser.newContext();
      await context.addCookies(
        [...tab.jar].map(([name, value]) => ({ name, value, url: service.url.replace('http:', 'https:') })),
      );
      await service.db.query(
        `update console_sessions set authenticated_at = now() - interval '601 seconds' where tenant_id = $1`,
        [house.tenantId],
      );
      const page = await context.newPage();
      await page.goto(`${service.url}/console/directories/${house.directoryId}/connect`);
      await page.getByRole('button', { name: 'Make a token' }).click();
      await page.getByText('This needs a sign-in of the last ten minutes').first().waitFor();
      const href = await page.getByRole('link', { name: 'Sign in in a new tab' }).getAttribute('href');
      const { pathname, searchParams } = new URL(href!, service.url);
      expect([pathname, searchParams.get('prompt'), searchParams.get('return_to')]).toEqual([
        '/api/auth/login',
        'login',
        `/console/directories/${house.directoryId}/connect`,
      ]);
      await context.close();
    },
    patience(60_000),
  );
});
