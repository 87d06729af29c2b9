import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { entered } from '../support/console-pages.js';
import { newHouse } from '../support/house.js';
import { madeUser, user } from '../support/scim.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let browser: Browser;

describeInBrowser('the page of an object that was deleted meanwhile', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'shows of a user when and by which directory it was deleted',
    async () => {
      const house = await newHouse(service, { name: 'Okta' });
      const id = await madeUser(house.scim, user('anna@x.example', { name: { givenName: 'Anna', familyName: 'N' } }));
      const { page, complaints, context } = await entered(browser, service, { tenantId: house.tenantId });
      await page.goto(`${service.url}/console/users/${id}`);
      await page.getByRole('heading', { level: 1, name: 'Anna N' }).waitFor();
      await house.scim.delete(`/Users/${id}`);
      await page.getByText('This user was deleted').waitFor({ timeout: patience(30_000) });
      await page.getByText('by the directory Okta.').waitFor();
      await page.goto(`${service.url}/console/users/usr_01k0000000abcdefghjkmnpqrs`);
      await page.getByRole('alert').or(page.getByText('There is no user')).first().waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
    patience(90_000),
  );

  it(
    'shows of a directory when and by which key it was deleted',
    async () => {
      const house = await newHouse(service);
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      await page.goto(`${service.url}/console/directories/${house.directoryId}`);
      await page.getByRole('link', { name: 'Guard' }).waitFor();
      expect((await house.api.delete(`/directories/${house.directoryId}?force=true`)).status).toBeLessThan(300);
      await page.getByText('This directory was deleted').waitFor({ timeout: patience(30_000) });
      await page.getByText('by the key').waitFor();
      await context.close();
    },
    patience(90_000),
  );
});
