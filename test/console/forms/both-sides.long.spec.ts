import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { entered } from '../../support/console-pages.js';
import { faultsOf, LOOKS } from '../../support/console-states.js';
import { newHouse, type House } from '../../support/house.js';
import { Keyboard } from '../../support/keyboard.js';
import { madeGroup, madeUser } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

let service: TestApp;
let browser: Browser;

/** Opens a page of a tenant as an admin, lets a test use it, and demands that the browser has nothing to complain of. */
async function at(house: House, path: string, use: (page: Page) => Promise<void>): Promise<void> {
  const { page, complaints, context } = await entered(browser, service, { tenantId: house.tenantId });
  await page.goto(`${service.url}/console${path}`);
  await use(page);
  expect(complaints).toEqual([]);
  await context.close();
}

/** Opens the form of the name of a directory, types one, and lets another admin be faster. */
function atClash(house: House, use: (page: Page) => Promise<void>): Promise<void> {
  return at(house, `/directories/${house.directoryId}/settings`, async (page) => {
    await page.getByLabel('Name').fill('Mine');
    await page.getByLabel('A user who is there already').selectOption('refuse');
    await house.api.patch(`/directories/${house.directoryId}`, { name: 'Theirs', may_grant_console: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('changed on the server while you typed').waitFor();
    await use(page);
  });
}

/** The directory of a tenant, as the API shows it. */
const directoryOf = async ({ api, directoryId }: House): Promise<Record<string, unknown>> =>
  (await api.get(`/directories/${directoryId}`)).body;

describeInBrowser('a form whose object was changed on the server meanwhile', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'shows both sides in each look, and writes nothing',
    async () => {
      const house = await newHouse(service, { name: 'Okta' });
      await atClash(house, async (page) => {
        const row = page.getByRole('alert').getByRole('row', { name: /Name/ });
        await row.waitFor();
        expect(await row.getByRole('cell').allTextContents()).toEqual(['Mine', 'Theirs']);
        for (const look of LOOKS) {
          await page.emulateMedia({ colorScheme: look.colorScheme });
          await page.setViewportSize({ width: look.width, height: 900 });
          expect([look, await faultsOf(page, look)]).toEqual([look, []]);
        }
        expect(await page.getByLabel('Name').inputValue()).toBe('Mine');
        expect(await directoryOf(house)).toMatchObject({ name: 'Theirs', on_match: 'link' });
      });
    },
    patience(90_000),
  );

  it(
    'saves its own side by keyboard, without the loss of other changes',
    async () => {
      const house = await newHouse(service, { name: 'Okta' });
      await atClash(house, async (page) => {
        await new Keyboard(page).press('Keep mine and save');
        await page.getByText('Saved.').waitFor();
        expect(await directoryOf(house)).toMatchObject({ name: 'Mine', on_match: 'refuse', may_grant_console: true });
        expect(await page.getByRole('alert').count()).toBe(0);
      });
    },
    patience(60_000),
  );

  it(
    'takes the other side, and keeps what was typed in other fields',
    async () => {
      const house = await newHouse(service, { name: 'Okta' });
      await atClash(house, async (page) => {
        await page.getByRole('button', { name: 'Take the server’s' }).click();
        expect(await page.getByLabel('Name').inputValue()).toBe('Theirs');
        expect(await page.getByLabel('A user who is there already').inputValue()).toBe('refuse');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        expect(await directoryOf(house)).toMatchObject({ name: 'Theirs', on_match: 'refuse' });
      });
    },
    patience(60_000),
  );

  it(
    'keeps a typed limit of seats when the page reads another one',
    async () => {
      const house = await newHouse(service);
      await house.api.put('/seats/limit', { limit: 5 });
      await at(house, '/seats/limit', async (page) => {
        await page.getByLabel('Limit', { exact: true }).fill('7');
        await house.api.put('/seats/limit', { limit: 6 });
        await page.getByRole('button', { name: 'Set the limit' }).click();
        const row = page.getByRole('alert').getByRole('row', { name: /Limit/ });
        await row.waitFor();
        expect(await row.getByRole('cell').allTextContents()).toEqual(['7', '6']);
        await page.getByRole('button', { name: 'Keep mine and save' }).click();
        await page.getByText('The limit is set.').waitFor();
        expect((await house.api.get('/seats')).body.limit).toBe(7);
      });
    },
    patience(60_000),
  );

  it(
    'asks for another plan when rules were kept that others have changed',
    async () => {
      const house = await newHouse(service);
      const groups = [
        await madeGroup(house.scim, [], { displayName: 'Sales' }),
        await madeGroup(house.scim, [], { displayName: 'Legal' }),
      ];
      await at(house, `/directories/${house.directoryId}/roles`, async (page) => {
        await page.getByLabel('Group').selectOption('Sales');
        await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('User');
        await page.getByRole('button', { name: 'Add a rule' }).click();
        await page.getByRole('button', { name: 'Show what changes' }).click();
        const save = page.getByRole('button', { name: 'Save the rules' });
        await page.getByText('No role and no seat changes').waitFor();
        const rules = [{ group_id: groups[1], role: 'User' }];
        expect((await house.api.put(`/directories/${house.directoryId}/rules`, { rules })).status).toBe(200);
        await save.click();
        const both = page.getByRole('alert').getByRole('row', { name: /Rules/ });
        await both.waitFor();
        expect((await both.getByRole('cell').allTextContents()).map((words) => words.split(' → ')[0])).toEqual([
          'Sales',
          'Legal',
        ]);
        await page.getByRole('button', { name: 'Keep mine', exact: true }).click();
        expect(await save.isDisabled()).toBe(true);
        await page.getByRole('button', { name: 'Show what changes' }).click();
        await page.getByText('No role and no seat changes').waitFor();
        await save.click();
        await page.getByText('Saved. A task works').waitFor();
        const { body } = await house.api.get(`/directories/${house.directoryId}/rules`);
        expect(body.rules.map(({ group }: { group: string }) => group)).toEqual(['Sales']);
      });
    },
    patience(60_000),
  );

  it(
    'shows the confirmed number beside the number of now',
    async () => {
      const guard = { percent: 1, people: 1_000, at_least: 1, within_minutes: 60, day_percent: 100 };
      const house = await newHouse(service, { guard });
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push(await madeUser(house.scim));
      for (const id of ids.slice(0, 3)) await house.scim.delete(`/Users/${id}`);
      await at(house, `/directories/${house.directoryId}/guard`, async (page) => {
        await page.getByRole('button', { name: 'Release them' }).click();
        await page.getByLabel('Type 2 to confirm').fill('2');
        await house.scim.delete(`/Users/${ids[3]!}`);
        await page.getByRole('dialog').getByRole('button', { name: 'Release them' }).click();
        await page.getByText('You confirmed 2; on the server it is 3 now. Nothing was done.').waitFor();
        expect(await page.getByLabel('Type 3 to confirm').inputValue()).toBe('2');
      });
    },
    patience(60_000),
  );
});
