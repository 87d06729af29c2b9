import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { entered } from '../../support/console-pages.js';
import { newHouse, show, type House } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { madeGroup, madeUser, mail, user } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

let service: TestApp;
let browser: Browser;

/** Opens a page of the console, and lets a test use it. */
async function at(house: House, path: string, use: (page: Page) => Promise<void>): Promise<void> {
  const { page, complaints, context } = await entered(browser, service, { tenantId: house.tenantId });
  await page.goto(`${service.url}/console${path}`);
  await use(page);
  expect(complaints).toEqual([]);
  await context.close();
}

const named = (givenName: string, familyName: string) => ({ name: { givenName, familyName } });

describeInBrowser('plans and held users', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'show rules from now to then, and save what takes the console from an administrator after a yes of its own',
    async () => {
      const house = await newHouse(service);
      const id = await madeUser(house.scim, user(mail(), named('Ada', 'Admin')));
      const group = await madeGroup(house.scim, [id], { displayName: 'Leads' });
      await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role: 'Admin' }] });
      await eventually(
        () => show(house, id),
        ({ role }) => role === 'Admin',
      );
      await at(house, `/directories/${house.directoryId}/roles`, async (page) => {
        await page.getByRole('button', { name: 'Remove: Leads' }).click();
        await page.getByRole('button', { name: 'Show what changes' }).click();
        await page.getByRole('row', { name: /Admin → User.*administers → none/ }).waitFor();
        await page.getByText('1 administrator would lose the console').waitFor();
        const save = page.getByRole('button', { name: 'Save the rules' });
        expect(await save.isDisabled()).toBe(true);
        await page.getByLabel('This is meant').check();
        await save.click();
        await page.getByText('Saved. A task').waitFor();
      });
      await eventually(
        () => show(house, id),
        ({ role }) => role === 'User',
      );
    },
    patience(60_000),
  );

  it(
    'show a preview as a sentence, and go live with administrators after a yes of its own',
    async () => {
      const house = await newHouse(service, { state: 'preview', may_grant_console: true });
      const add = async (first_name: string, role: string) =>
        (await house.api.post('/users', { email: mail(), first_name, last_name: 'Other', role })).body;
      const [admin, plain] = [await add('Ada', 'Admin'), await add('Paul', 'User')];
      for (const { email } of [admin, plain]) await house.scim.post('/Users', user(email, { active: false }));
      await madeUser(house.scim, user(mail(), named('New', 'Comer')));
      await at(house, `/directories/${house.directoryId}/preview`, async (page) => {
        await page.getByText('Going live creates 1, links 2 whom no directory manages, deactivates 2').waitFor();
        await page.getByText('1 administrator would lose the console').waitFor();
        const live = page.getByRole('button', { name: 'Go live' });
        expect(await live.isDisabled()).toBe(true);
        await page.getByRole('link', { name: 'Show these administrators' }).click();
        await page.getByRole('row', { name: /active → inactive.*administers → none/ }).waitFor();
        await eventually(
          () => page.getByRole('row').count(),
          (rows) => rows === 2,
        );
        await page.getByLabel('This is meant').check();
        await live.click();
        await page.getByText('The directory is live').waitFor();
      });
    },
    patience(60_000),
  );

  it(
    'say of a held user why, what is next, and who is in the way by name',
    async () => {
      const house = await newHouse(service);
      const first = await madeUser(house.scim, user(mail(), named('Ann', 'First')));
      const { email } = await show(house, first);
      await madeUser(
        house.scim,
        user(mail(), { ...named('Bob', 'Second'), emails: [{ value: email, primary: true }] }),
      );
      await at(house, '/held', async (page) => {
        const row = page.getByRole('row', { name: /Bob Second/ });
        await row.getByText('Next step: Change the e-mail of one of the two users').waitFor();
        await row.getByRole('link', { name: 'Ann First' }).click();
        await page.getByRole('heading', { level: 1, name: 'Ann First' }).waitFor();
      });
    },
    patience(60_000),
  );

  it(
    'say the place of a user who waits for a seat, and the state of a user that the search finds',
    async () => {
      const house = await newHouse(service);
      await house.api.put('/seats/limit', { limit: 0 });
      await madeUser(house.scim, user(mail(), named('Ann', 'First')));
      const second = await madeUser(house.scim, user(mail(), named('Bob', 'Second')));
      await at(house, `/users/${second}`, async (page) => {
        await page.getByText('waits (2nd of 2 that wait)').waitFor();
        await page.getByText('held: no seat is free').waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search' }).fill('Bob');
        await page.getByRole('option', { name: /held Bob Second/ }).waitFor();
      });
    },
    patience(60_000),
  );
});
