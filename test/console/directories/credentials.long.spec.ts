import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { accessTokenOf, madeClient } from '../../support/clients.js';
import { entered } from '../../support/console-pages.js';
import { newHouse, type House } from '../../support/house.js';
import { Keyboard } from '../../support/keyboard.js';
import { scim } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

let service: TestApp;
let browser: Browser;

/** Opens a part of the page of a directory, and lets a test use it. */
async function at(
  house: House,
  part: string,
  use: (page: Page) => Promise<void>,
  role: 'admin' | 'auditor' = 'admin',
): Promise<void> {
  const { page, complaints, context } = await entered(browser, service, { role, tenantId: house.tenantId });
  await page.goto(`${service.url}/console/directories/${house.directoryId}/${part}`);
  await use(page);
  expect(complaints).toEqual([]);
  await context.close();
}

/** What the API answers about the clients of a directory. */
const clientsOf = async ({ api, directoryId }: House) =>
  (await api.get(`/directories/${directoryId}/clients`)).body.data;

describeInBrowser('the credentials of a directory', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'get a client by keyboard, whose secret is shown once and works',
    async () => {
      const house = await newHouse(service);
      await at(house, 'connect', async (page) => {
        const keyboard = new Keyboard(page);
        await keyboard.press('Create a client');
        await page.keyboard.type('Entra ID');
        await keyboard.keys('Enter');
        await page.getByText('The client is there.').waitFor();
        const [id, client_secret, token_url] = (await page.getByRole('dialog').locator('code').allTextContents()) as [
          string,
          string,
          string,
        ];
        expect(token_url).toMatch(/\/oauth\/token$/);
        const token = await accessTokenOf(service.url, { id, client_secret, token_url, secrets: [] });
        expect((await scim(service.url, token).get('/Users')).status).toBe(200);
        await keyboard.press('Close');
        await page
          .getByRole('row', { name: /Entra ID/ })
          .first()
          .waitFor();
        expect(await page.content()).not.toContain(client_secret);
      });
    },
    patience(60_000),
  );

  it(
    'of a federated client are refused by field, and what was typed stays',
    async () => {
      const house = await newHouse(service);
      await at(house, 'connect', async (page) => {
        await page.getByRole('button', { name: 'Create a client' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('Entra ID');
        await dialog.getByLabel('Kind').selectOption('federated');
        await dialog.getByLabel('Issuer').fill('no address');
        await dialog.getByLabel('Subject').fill('subject');
        await dialog.getByLabel('Audience').fill('api://a/.default');
        await dialog.getByLabel('Address of the public keys').fill('http://127.0.0.1/keys');
        await dialog.getByRole('button', { name: 'Create a client' }).click();
        await dialog.getByRole('alert').getByText('must be without /.default').waitFor();
        expect(await dialog.getByLabel('Audience').getAttribute('aria-invalid')).toBe('true');
        expect(await dialog.getByLabel('Audience').inputValue()).toBe('api://a/.default');
        expect(await dialog.getByLabel('Subject').getAttribute('aria-invalid')).toBe('false');
      });
      expect(await clientsOf(house)).toEqual([]);
    },
    patience(60_000),
  );

  it(
    'get a second secret, and lose the first one',
    async () => {
      const house = await newHouse(service);
      const client = await madeClient(house, { name: 'Entra ID' });
      await at(house, 'connect', async (page) => {
        await page.getByRole('button', { name: 'Add a secret' }).click();
        await page.getByText('it is not shown again').waitFor();
        await page.getByRole('button', { name: 'Delete the secret' }).nth(1).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the secret' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByText('ended').waitFor();
      });
      const [{ secrets }] = await clientsOf(house);
      expect(secrets.map(({ id, revoked_at }: { id: string; revoked_at: string | null }) => [id, revoked_at])).toEqual([
        [expect.any(String), null],
        [client.secrets[0]!.id, expect.any(String)],
      ]);
    },
    patience(60_000),
  );

  it(
    'that were used today end with a second word only',
    async () => {
      const house = await newHouse(service);
      const client = await madeClient(house, { name: 'Entra ID' });
      await scim(service.url, await accessTokenOf(service.url, client)).get('/Users');
      await at(house, 'connect', async (page) => {
        await page.getByRole('button', { name: /^Delete the client/ }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Delete the client' }).click();
        await dialog.getByRole('alert').getByText('It was last used').waitFor();
        expect((await clientsOf(house))[0].revoked_at).toBeNull();
        await dialog.getByRole('button', { name: 'End it nevertheless' }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByText('ended').first().waitFor();
      });
      expect((await clientsOf(house))[0].revoked_at).toEqual(expect.any(String));
    },
    patience(60_000),
  );

  it(
    'show an auditor their use, and no button',
    async () => {
      const house = await newHouse(service);
      await madeClient(house, { name: 'Entra ID' });
      await at(
        house,
        'connect',
        async (page) => {
          await page
            .getByRole('row', { name: /Entra ID/ })
            .first()
            .waitFor();
          const names = await page.getByRole('main').getByRole('button').allTextContents();
          expect(names.filter((name) => name !== 'Copy')).toEqual([]);
          expect(await page.getByRole('columnheader').allTextContents()).not.toContain('Actions');
        },
        'auditor',
      );
    },
    patience(60_000),
  );
});

describeInBrowser('the networks and attributes of a directory', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'say that a list shuts out the admin who saves it, and which line is no network',
    async () => {
      const house = await newHouse(service);
      await at(house, 'connect', async (page) => {
        const field = page.getByLabel('IP addresses and networks');
        const save = page.getByRole('button', { name: 'Save the networks' });
        await field.fill('203.0.113.0/24\nno network');
        await save.click();
        await page.getByRole('alert').getByText('allow_from[1]').waitFor();
        expect(await field.inputValue()).toBe('203.0.113.0/24\nno network');
        await field.fill('203.0.113.0/24\n2001:db8::/32');
        await save.click();
        await page.getByRole('alert').getByText('does not admit the address of this request').waitFor();
      });
      const { body } = await house.api.get(`/directories/${house.directoryId}`);
      expect(body.allow_from).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    },
    patience(60_000),
  );

  it(
    'keep both lists when two admins add different attributes, and show both sides of one',
    async () => {
      const house = await newHouse(service);
      const path = `/directories/${house.directoryId}`;
      const shift = { name: 'shift', type: 'string', multi_valued: false };
      await at(house, 'attributes', async (page) => {
        const name = page.getByLabel('Name');
        const [add, save] = [
          page.getByRole('button', { name: 'Add to the list' }),
          page.getByRole('button', { name: 'Save the list' }),
        ];
        await name.fill('badgeNumber');
        await page.getByLabel('Type').selectOption('integer');
        await add.click();
        expect((await house.api.patch(path, { custom_attributes: [shift] })).status).toBe(200);
        await save.click();
        await page.getByText('The list is saved.').waitFor();
        const declared = async () =>
          (await house.api.get(path)).body.custom_attributes.map((one: { name: string; description: string }) => [
            one.name,
            one.description,
          ]);
        expect(await declared()).toEqual([
          ['shift', ''],
          ['badgeNumber', ''],
        ]);
        await page.getByRole('button', { name: 'Remove: badgeNumber' }).click();
        await page.getByRole('button', { name: 'Remove: shift' }).click();
        await house.api.patch(path, { custom_attributes: [{ ...shift, description: 'Early or late' }] });
        await save.click();
        const row = page.getByRole('alert').getByRole('row', { name: /shift/ });
        await row.waitFor();
        expect(await row.getByRole('cell').allTextContents()).toEqual(['not declared', 'string, Early or late']);
        await page.getByRole('button', { name: 'Take the server’s' }).click();
        await page.getByRole('button', { name: 'Remove: shift' }).waitFor();
        expect(await declared()).toEqual([['shift', 'Early or late']]);
      });
    },
    patience(60_000),
  );
});
