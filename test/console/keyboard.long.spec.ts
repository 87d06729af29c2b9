import type { Browser } from 'playwright-core';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { consoleLink } from '../support/console.js';
import { entered, watched } from '../support/console-pages.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { Keyboard } from '../support/keyboard.js';
import { madeGroup, madeUser, scim, user } from '../support/scim.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let browser: Browser;
beforeAll(async () => {
  service = await startApp();
}, patience(60_000));
afterAll(() => service.close());

/** Makes users, and lets all of them leave: the guard holds all but two. */
async function houseWithDepartures(people: number): Promise<House> {
  const percent = Math.floor(200 / people) || 1;
  const house = await newHouse(service, {
    guard: { percent, people: 1_000, at_least: 2, within_minutes: 60, day_percent: 100 },
  });
  const ids: string[] = [];
  for (let n = 0; n < people; n++) ids.push(await madeUser(house.scim));
  for (const id of ids) await house.scim.delete(`/Users/${id}`);
  return house;
}

describeInBrowser('by keyboard alone', () => {
  beforeAll(async () => {
    browser = await launch();
  }, patience(60_000));
  afterAll(() => browser.close());

  it(
    'an admin gets from the first link to the first forwarded user',
    async () => {
      const sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
      await sandbox.start();
      const house = await newHouse(service);
      await house.api.put('/platform', { base_url: sandbox.url, api_key: `key-${house.tenantId}` });
      const context = await browser.newContext();
      const { page, complaints } = await watched(context, service);
      const keyboard = new Keyboard(page);
      await page.goto(`${service.url}/console${new URL(await consoleLink(service, 'admin', house.tenantId)).hash}`);
      await keyboard.press('Open the console');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await keyboard.press('Directories');
      await page.getByRole('heading', { level: 1, name: 'Directories' }).waitFor();
      await keyboard.press('Create a directory');
      await page.keyboard.type('Entra ID');
      await keyboard.keys('Enter');
      await page.getByText('Its first token is shown this once').waitFor();
      const [token] = (await page.getByRole('dialog').locator('code').allTextContents()) as [string];
      await keyboard.press('Close');
      const { body } = await scim(service.url, token).post('/Users', user('first@x.example', { displayName: 'First' }));
      expect(body.id).toEqual(expect.any(String));
      await keyboard.press('Overview');
      await page.getByText('A change was confirmed by the platform').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'A change was confirmed by the platform' })
        .filter({ hasText: 'done' })
        .waitFor({ timeout: patience(30_000) });
      await keyboard.search('first@');
      await page.getByText('PATCH').or(page.getByText('delivered')).first().waitFor();
      expect(complaints).toEqual([]);
      await context.close();
      await sandbox.stop();
    },
    patience(120_000),
  );

  it(
    'an admin finds a user and reads why the user has no access',
    async () => {
      const house = await newHouse(service, { default_role: null });
      await madeUser(house.scim, user('anna@x.example', { name: { givenName: 'Anna', familyName: 'Nowak' } }));
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      const keyboard = new Keyboard(page);
      await keyboard.search('anna');
      await page.getByRole('heading', { level: 1, name: 'Anna Nowak' }).waitFor();
      await page.getByRole('region', { name: 'Why' }).getByText('no role').first().waitFor();
      await page.getByText('POST 201 created').waitFor();
      await keyboard.press(/POST 201 created/);
      await page.locator('details[open]').getByText('request_id').first().waitFor();
      await context.close();
    },
    patience(60_000),
  );

  it(
    'an admin releases 214 held users by their number',
    async () => {
      const house = await houseWithDepartures(216);
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      const keyboard = new Keyboard(page);
      await keyboard.press('Held');
      await page.getByRole('heading', { level: 1, name: 'Held' }).waitFor();
      await keyboard.type('Reason', 'guard');
      await page.waitForURL(/reason=guard/);
      await page.getByRole('heading', { level: 1 }).focus();
      await keyboard.press('Release all of this filter');
      await page.getByText('214 users').waitFor();
      await keyboard.keys('2', '1', '4', 'Enter');
      await eventually(
        () => house.api.get('/status'),
        ({ body }) => body.guard.held === 0,
      );
      expect((await house.api.get(`/users?directory=${house.directoryId}&status=active`)).body.data).toEqual([]);
      await context.close();
    },
    patience(180_000),
  );

  it(
    'an admin saves a rule by its plan',
    async () => {
      const house = await newHouse(service, { default_role: null });
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) ids.push(await madeUser(house.scim));
      await madeGroup(house.scim, ids, { displayName: 'Recruiters' });
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      const keyboard = new Keyboard(page);
      await keyboard.press('Directories');
      await page.getByRole('link', { name: 'Directory', exact: true }).waitFor();
      await keyboard.press('Directory');
      await page.getByRole('link', { name: 'Roles' }).waitFor();
      await keyboard.press('Roles');
      await page.getByText('There is no rule.').waitFor();
      await keyboard.type('Role', 'Obs');
      await keyboard.press('Add a rule');
      await keyboard.to('Show what changes');
      await keyboard.keys('Enter');
      await page.getByText('This changes 3 users:').waitFor();
      await keyboard.press('Save the rules');
      await page.getByRole('cell', { name: 'Observer' }).first().waitFor({ state: 'detached' });
      await eventually(
        () => house.api.get('/users?role=Observer&status=active'),
        ({ body }) => body.data.length === 3,
      );
      await context.close();
    },
    patience(90_000),
  );

  it(
    'an admin undoes what the guard let go, once the number was typed',
    async () => {
      const house = await houseWithDepartures(10);
      const { page, context } = await entered(browser, service, { tenantId: house.tenantId });
      const keyboard = new Keyboard(page);
      await page.goto(`${service.url}/console/directories/${house.directoryId}/guard`);
      await page.getByText('It holds 8 users.').waitFor();
      await keyboard.press('Undo those who left');
      await page.getByText('This brings back 2 users').waitFor();
      await keyboard.keys('2', 'Enter');
      await page.getByText('No user has left within 24 hours.').waitFor({ timeout: patience(30_000) });
      const { body } = await house.api.get(`/users?directory=${house.directoryId}&status=active`);
      expect(body.data).toHaveLength(10);
      await context.close();
    },
    patience(90_000),
  );
});

describeInBrowser('by keyboard alone, ten days later', () => {
  let past: TestApp;
  beforeAll(async () => {
    browser = await launch();
    // No background work seals the ledger before its lines are moved into the past.
    past = await startApp({ ROLE: 'api' });
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await past.close();
  });

  it(
    'an auditor finds the seats of a past day and their holders, and verifies the ledger',
    async () => {
      const tenant = await past.newTenant();
      const directory = scim(past.url, tenant.scimToken);
      const name = { givenName: 'Bert', familyName: 'Holder' };
      await madeUser(directory, user('bert@x.example', { name }));
      await past.db.execute('alter table seat_entries disable trigger user');
      await past.db.query(
        `update seat_entries set occurred_at = occurred_at - interval '10 days' where tenant_id = $1`,
        [tenant.tenantId],
      );
      await past.db.execute('alter table seat_entries enable trigger user');
      await madeUser(directory, user('later@x.example'));
      const { page, complaints, context } = await entered(browser, past, {
        role: 'auditor',
        tenantId: tenant.tenantId,
      });
      const keyboard = new Keyboard(page);
      const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
      await keyboard.press('Seats');
      await page.getByRole('heading', { level: 1, name: 'Seats' }).waitFor();
      await keyboard.press('Holders');
      await page.getByText('2 seats are used.').waitFor();
      const [year, month, date] = day.split('-') as [string, string, string];
      await keyboard.type('At the end of the day', `${month}${date}${year}`);
      await page.getByText(`1 seat was used at the end of ${day}.`).waitFor();
      await page.getByRole('link', { name: 'Bert Holder' }).waitFor();
      await page.getByRole('heading', { level: 1 }).focus();
      await keyboard.press('Ledger');
      await page.getByRole('button', { name: 'Verify the chain' }).waitFor();
      await keyboard.press('Verify the chain');
      await page.getByText('The chain is whole: 2 lines, 2 seats in use').waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
    patience(90_000),
  );
});
