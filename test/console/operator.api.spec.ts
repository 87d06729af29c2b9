import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { entered } from '../support/console-pages.js';
import { newHouse } from '../support/house.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let browser: Browser;

describeInBrowser('the page of the operator', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'shows processes and schema, and enters and leaves a tenant',
    async () => {
      const house = await newHouse(service);
      await house.api.patch('/tenant', { name: 'Acme' });
      const { page, complaints, context } = await entered(browser, service, { role: 'operator' });
      await page.getByRole('region', { name: 'Processes' }).getByRole('row').nth(1).waitFor();
      await page.getByRole('row', { name: /Acme/ }).getByRole('button', { name: 'Enter' }).click();
      await page.getByLabel('Reason').fill('Ticket 4711');
      await page.getByRole('dialog').getByRole('button', { name: 'Enter' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.getByRole('status').getByText('You read this tenant as the operator').waitFor();
      await page.getByRole('button', { name: 'Leave this tenant' }).click();
      await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
      const { body } = await house.api.get('/audit');
      expect(body.data.map(({ action }: { action: string }) => action)).toEqual(
        expect.arrayContaining(['tenant.entered', 'tenant.left']),
      );
      expect(complaints).toEqual([]);
      await context.close();
    },
    patience(60_000),
  );
});
