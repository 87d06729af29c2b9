import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { entered } from '../support/console-pages.js';
import { faultsOf, HOSTILE, LOOKS } from '../support/console-states.js';
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

  it(
    'shows background work, what fails first, with its cause and the next turn',
    async () => {
      const house = await newHouse(service);
      await house.api.patch('/tenant', { name: 'Brown' });
      await service.db.query(
        `insert into work_entries (tenant_id, kind, id, free_at, failures, reason)
         values ($1, 'ats_poll', 'ats_1', now() + interval '5 minutes', 4, $2)`,
        [house.tenantId, HOSTILE],
      );
      const { page, complaints, context } = await entered(browser, service, { role: 'operator' });
      const work = page.getByRole('region', { name: 'Background work' });
      const [head, first] = [work.getByRole('row').nth(1).getByRole('rowheader'), work.getByRole('row').nth(1)];
      await work.getByText('1 piece of work fails.').waitFor();
      expect(await head.textContent()).toBe('ats_poll ats_1');
      expect(await first.getByRole('cell').allTextContents()).toEqual([
        'Brown',
        'failing, resting',
        '4',
        HOSTILE,
        expect.stringMatching(/in \d min/),
      ]);
      // Work of the installation with an interval is there too.
      await work.getByText('the installation').first().waitFor();
      for (const look of LOOKS) {
        await page.emulateMedia({ colorScheme: look.colorScheme });
        await page.setViewportSize({ width: look.width, height: 900 });
        expect([look, await faultsOf(page, look)]).toEqual([look, []]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
    patience(60_000),
  );
});
