import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createPublicKey } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../../src/base/database/embedded/embedded-postgres.js';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { client, eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, patch, user } from '../../support/scim.js';
import { startProvider, type RunningProvider } from '../../protocols/oidc/support/provider-process.js';
import { trustDomain } from '../../support/sign-in/connections.js';
import { startSamlIdp, type RunningSamlIdp } from '../../support/sign-in/idp-processes.js';

// A real browser between this service and real IdPs, each a process of its own. The service is `localhost`, the IdPs
// are `127.0.0.1`: two sites, as in the world.
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describeInBrowser('in a browser', () => {
  let service: TestApp;
  let house: House;
  let browser: Browser;
  let base: string;
  let op: RunningProvider;
  let idp: RunningSamlIdp;
  let oidc: { id: string; slug: string };
  let saml: { id: string; slug: string };
  const domain = `${fresh('d')}.example.com`;
  const ada = `ada@${domain}`;
  const people = new Map<string, string>();

  beforeAll(async () => {
    const port = String(await freePort());
    base = `http://localhost:${port}`;
    service = await startApp({ PORT: port, BASE_URL: base });
    house = await newHouse(service);
    await trustDomain(service, house.tenantId, domain);
    const slugs = { oidc: fresh('op-'), saml: fresh('idp-') };
    op = await startProvider({
      clients: [
        {
          client_id: 'bridge',
          client_secret: 'secret-of-the-bridge-alone',
          redirect_uris: [`${base}/api/auth/callback/${slugs.oidc}`],
          post_logout_redirect_uris: [`${base}/api/auth/signed-out`],
          backchannel_logout_uri: `${base}/api/auth/backchannel-logout/${slugs.oidc}`,
          backchannel_logout_session_required: true,
        },
      ],
      accounts: {
        ada: { sub: 'ada-sub', email: ada, email_verified: true, preferred_username: ada, given_name: 'Ada' },
        eve: { sub: 'eve-sub', email: `eve@${domain}`, preferred_username: `<b>eve</b>@${domain}` },
      },
    });
    oidc = (
      await house.api.post('/connections', {
        type: 'oidc',
        name: 'Company OP',
        slug: slugs.oidc,
        issuer: op.issuer,
        client_id: 'bridge',
        client_secret: 'secret-of-the-bridge-alone',
        directory_id: house.directoryId,
      })
    ).body;
    // Known to each other as admins do it: our metadata there, its certificate here.
    saml = (
      await house.api.post('/connections', {
        type: 'saml',
        name: 'Company SAML',
        slug: slugs.saml,
        idp_entity_id: 'https://placeholder.example',
        sso_url: 'https://placeholder.example/sso',
        certificates: [
          (await import('../../protocols/saml/support/keys.js').then(({ newKey }) => newKey('x'))).certificate,
        ],
        directory_id: house.directoryId,
      })
    ).body;
    const metadata = await (await fetch(`${base}/api/auth/metadata/${slugs.saml}`)).text();
    const certificate = `-----BEGIN CERTIFICATE-----\n${/X509Certificate>([^<]+)</.exec(metadata)![1]!.trim()}\n-----END CERTIFICATE-----\n`;
    idp = await startSamlIdp({
      acs: `${base}/api/auth/callback/${slugs.saml}`,
      sp: {
        entity_id: `${base}/api/auth/metadata/${slugs.saml}`,
        slo_url: `${base}/api/auth/slo/${slugs.saml}`,
        certificate,
      },
      encryptTo: certificate,
      encryptionKey: createPublicKey(certificate).export({ type: 'spki', format: 'pem' }),
      users: {
        ada: { nameId: 'ada-sub', nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', claims: {} },
        eve: { nameId: 'eve-sub', nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', claims: {} },
      },
    });
    const wired = await house.api.patch(`/connections/${saml.id}`, {
      idp_entity_id: idp.entity_id,
      sso_url: idp.sso_url,
      slo_url: idp.slo_url,
      certificates: [idp.certificate],
    });
    if (wired.status !== 200) throw new Error(wired.text);
    await trustDomain(service, house.tenantId, domain, { connection_id: oidc.id });
    people.set('ada', await madeUser(house.scim, user(ada, { externalId: 'ada-sub', name: { givenName: 'Ada' } })));
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([op?.stop(), idp?.stop()]);
    await service?.close();
  });

  async function withContext<T>(work: (page: Page, context: BrowserContext) => Promise<T>, options = {}): Promise<T> {
    const context = await browser.newContext(options);
    try {
      return await work(await context.newPage(), context);
    } finally {
      await context.close();
    }
  }
  const at = (page: Page, path: string) => page.waitForURL((url) => url.href.startsWith(base + path));
  const who = async (context: BrowserContext) => {
    const answer = await context.request.get(`${base}/api/auth/session`);
    return answer.status() === 200 ? ((await answer.json()).user.id as string) : null;
  };
  const signInAs = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel('User name').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();
  /** What a screen reader would stumble over. */
  const axe = async (page: Page): Promise<string[]> => {
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
      return (await axe.run()).violations.map(({ id }) => id);
    });
    return found;
  };

  const byEmail = async (page: Page): Promise<void> => {
    await page.goto(`${base}/`);
    await page.getByLabel('Work e-mail').fill(ada);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.href.startsWith(op.issuer));
  };

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? '' : ' without JavaScript';

    it(`signs a user in by e-mail and the company’s page, and out again, by OIDC${how}`, async () => {
      await withContext(
        async (page, context) => {
          await byEmail(page);
          await signInAs(page, 'ada');
          await at(page, '/');
          expect(await heading(page)).toBe('Signed in to Tenant');
          expect(await who(context)).toBe(people.get('ada'));
          const cookie = (await context.cookies(base)).find(({ name }) => name === '__Host-session')!;
          expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/', expires: -1 });
          await page.getByRole('button', { name: 'Sign out' }).click();
          await at(page, '/api/auth/signed-out');
          expect(await who(context)).toBeNull();
          // There, too: the next sign-in is asked for the user name again.
          await page.getByRole('link', { name: 'Sign in again' }).click();
          await page.getByLabel('Work e-mail').fill(ada);
          await page.keyboard.press('Enter');
          await page.getByLabel('User name').waitFor();
        },
        { javaScriptEnabled },
      );
    });

    it(`signs a user in and out by SAML, whose answer is a form of another site${how}`, async () => {
      await withContext(
        async (page, context) => {
          const send = async () => {
            if (!javaScriptEnabled) await page.getByRole('button', { name: 'Submit' }).click();
          };
          await page.goto(`${base}/api/auth/login?connection=${saml.slug}&return_to=/api/auth/session`);
          await signInAs(page, 'ada');
          await send();
          await at(page, '/api/auth/session');
          expect(await page.content()).toContain(people.get('ada'));
          expect(await who(context)).toBe(people.get('ada'));
          await page.goto(`${base}/`);
          await page.getByRole('button', { name: 'Sign out' }).click();
          await at(page, '/api/auth/signed-out');
          expect(await who(context)).toBeNull();
          await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
          await page.getByLabel('User name').waitFor();
        },
        { javaScriptEnabled },
      );
    });
  }

  it('a sign-out at the SAML IdP signs the user out here', async () => {
    await withContext(async (page, context) => {
      await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
      await signInAs(page, 'ada');
      await at(page, '/');
      expect(await who(context)).toBe(people.get('ada'));
      await page.goto(idp.slo_url);
      expect(await who(context)).toBeNull();
    });
  });

  it('by SAML a second sign-in ends the first session, and a repeated answer leads on to the page after it', async () => {
    await withContext(async (page, context) => {
      let answer = '';
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('/callback/')) answer = request.postData() ?? '';
      });
      await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
      await signInAs(page, 'ada');
      await at(page, '/');
      const cookie = async () => (await context.cookies(base)).find(({ name }) => name === '__Host-session')!.value;
      const first = await cookie();
      await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
      await page.waitForURL(`${base}/`);
      expect(await cookie()).not.toBe(first);
      const old = await fetch(`${base}/api/auth/session`, { headers: { cookie: `__Host-session=${first}` } });
      expect(old.status).toBe(401);
      // The same form once more, from the IdP's site, with which the session's cookie does not come.
      await page.goto(`${op.issuer}/nothing`);
      await page.setContent(
        `<form method="post" action="${base}/api/auth/callback/${saml.slug}">${[...new URLSearchParams(answer)]
          .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
          .join('')}<button>Again</button></form>`,
      );
      await page.getByRole('button', { name: 'Again' }).click();
      await page.waitForURL(`${base}/`);
      expect(await who(context)).toBe(people.get('ada'));
      await context.clearCookies({ name: '__Host-session' });
      await page.goBack();
      await page.setContent(`<img src="${base}/api/auth/login?connection=${oidc.slug}">`);
      await page.waitForLoadState('networkidle');
      expect((await context.cookies(base)).filter(({ name }) => name.startsWith('__Host-signin-'))).toEqual([]);
    });
  });

  it('a sign-out at the OpenID provider signs the user out here (back-channel)', async () => {
    await withContext(async (page, context) => {
      await byEmail(page);
      await signInAs(page, 'ada');
      await at(page, '/');
      expect(await who(context)).toBe(people.get('ada'));
      await page.goto(`${op.issuer}/session/end?client_id=bridge`);
      await eventually(
        () => who(context),
        (user) => user === null,
      );
    });
  });

  it('several tabs: each tab has its own sign-in, and all of them work', async () => {
    await withContext(async (page, context) => {
      const tabs = [page, await context.newPage(), await context.newPage()];
      for (const tab of tabs) await byEmail(tab);
      await signInAs(tabs[2]!, 'ada');
      await at(tabs[2]!, '/');
      for (const tab of [tabs[0]!, tabs[1]!]) {
        await signInAs(tab, 'ada');
        await at(tab, '/');
        expect(await heading(tab)).toBe('Signed in to Tenant');
      }
      expect(await who(context)).toBe(people.get('ada'));
    });
  });

  it('Back after success: a browser with a session is led on', async () => {
    await withContext(async (page, context) => {
      const answers: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/auth/callback/')) answers.push(request.url());
      });
      await byEmail(page);
      await signInAs(page, 'ada');
      await at(page, '/');
      await page.goto(answers[0]!);
      await at(page, '/');
      expect(await heading(page)).toBe('Signed in to Tenant');
      expect(await who(context)).toBe(people.get('ada'));
      await context.clearCookies({ name: '__Host-session' });
      await page.goto(answers[0]!);
      expect(await heading(page)).toBe('This sign-in has expired');
    });
  });

  it('an expired sign-in: one button begins again, with the same connection and target', async () => {
    await withContext(async (page, context) => {
      await page.goto(`${base}/api/auth/login?connection=${oidc.slug}&return_to=/api/auth/session`);
      await service.db.execute(`update sign_in_requests set expires_at = now() where used_at is null`);
      await signInAs(page, 'ada');
      await at(page, '/api/auth/callback/');
      expect(await heading(page)).toBe('This sign-in has expired');
      expect(await axe(page)).toEqual([]);
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await at(page, '/api/auth/session');
      expect(await who(context)).toBe(people.get('ada'));
    });
  });

  it('a wrong account: the page names it and offers another one, and never tries without a click', async () => {
    await withContext(async (page, context) => {
      await byEmail(page);
      await signInAs(page, 'eve');
      await at(page, '/api/auth/callback/');
      expect(await heading(page)).toBe('There is no account for you yet');
      // A value of the IdP is shown as text, also when it is markup.
      expect(await page.getByText(`eve@${domain}`).innerText()).toContain(`eve@${domain}`);
      expect(await page.locator('main b').count()).toBe(0);
      expect(await axe(page)).toEqual([]);
      expect(await who(context)).toBeNull();
      const id = /sin_[0-9a-z]+/.exec(await page.content())![0];
      const { body } = await house.api.get(`/sign-ins?support_id=${id}`);
      expect(body.data[0]).toMatchObject({ outcome: 'refused', reason: 'unknown_account', account: `eve@${domain}` });
      await page.getByRole('link', { name: 'Use another account' }).click();
      await signInAs(page, 'ada');
      await at(page, '/');
      expect(await who(context)).toBe(people.get('ada'));
    });
  });

  it('a wrong account by SAML: ForceAuthn asks again, and signing out at the company works', async () => {
    await withContext(async (page, context) => {
      await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
      await signInAs(page, 'eve');
      await at(page, '/api/auth/callback/');
      expect(await heading(page)).toBe('There is no account for you yet');
      await page.getByRole('link', { name: 'Use another account' }).click();
      await page.getByLabel('User name').waitFor();
      await signInAs(page, 'eve');
      await at(page, '/api/auth/callback/');
      await page.getByRole('link', { name: 'Sign out at your company' }).click();
      await at(page, '/api/auth/signed-out');
      await page.goto(`${base}/api/auth/login?connection=${saml.slug}`);
      await signInAs(page, 'ada');
      await at(page, '/');
      expect(await who(context)).toBe(people.get('ada'));
    });
  });

  it('a deactivated user reads so, and is signed out within the same second', async () => {
    await withContext(async (page, context) => {
      await byEmail(page);
      await signInAs(page, 'ada');
      await at(page, '/');
      const active = (value: boolean) =>
        house.scim.patch(`/Users/${people.get('ada')}`, patch({ op: 'replace', path: 'active', value }));
      await active(false);
      expect(await who(context)).toBeNull();
      await page.goto(`${base}/api/auth/login?connection=${oidc.slug}`);
      await at(page, '/api/auth/callback/');
      expect(await heading(page)).toBe('Your account is deactivated');
      await active(true);
    });
  });

  it('the front page shows the user’s sessions at phone width, and ends another one', async () => {
    await withContext(async (elsewhere, other) => {
      await byEmail(elsewhere);
      await signInAs(elsewhere, 'ada');
      await at(elsewhere, '/');
      await withContext(
        async (page, context) => {
          await byEmail(page);
          await signInAs(page, 'ada');
          await at(page, '/');
          expect(await axe(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
          // All of them, since other tests have left some.
          for (let left = await page.getByRole('button', { name: /^End/ }).count(); left > 0; left--) {
            await page.getByRole('button', { name: /^End/ }).first().click();
            await page.waitForFunction(
              `[...document.querySelectorAll('button')].filter((one) => one.textContent === 'End').length < ${left}`,
            );
          }
          expect(await who(other)).toBeNull();
          expect(await who(context)).toBe(people.get('ada'));
        },
        { viewport: { width: 360, height: 640 } },
      );
    });
  });

  it('a test sign-in shows the claims and begins no session', async () => {
    await withContext(async (page, context) => {
      const { body } = await house.api.post(`/connections/${oidc.id}/test-sign-in`);
      await page.goto(body.url);
      expect([await heading(page), await axe(page)]).toEqual(['Test the sign-in', []]);
      await page.getByRole('button', { name: 'Start the test' }).click();
      await signInAs(page, 'ada');
      await at(page, '/api/auth/callback/');
      expect(await heading(page)).toBe('The test sign-in works');
      expect(await page.locator('main').innerText()).toContain('ada-sub');
      expect(await axe(page)).toEqual([]);
      expect(await who(context)).toBeNull();
      await page.reload();
      expect(await heading(page)).toBe('The test sign-in works');
      await context.clearCookies();
      await page.goto(body.url);
      expect(await heading(page)).not.toBe('The test sign-in works');
    });
  });

  it('the owner signs in by a link: opened by scanners and previews, pressed once by the owner', async () => {
    const owner = await madeUser(house.scim, user(`owner@${domain}`));
    await house.api.patch('/tenant', { owner_user_id: owner });
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const link = async (): Promise<string> =>
      (await operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`)).body.url as string;
    const url = await link();
    await withContext((page) => page.goto(url));
    await withContext(async (page, context) => {
      const sent: string[] = [];
      page.on('request', (request) => sent.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
      await page.goto(url);
      expect([await heading(page), await axe(page)]).toEqual(['Sign in with a link', []]);
      expect([page.url().includes('#'), await page.getByLabel('Your sign-in link').isVisible()]).toEqual([
        false,
        false,
      ]);
      expect(await who(context)).toBeNull();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await at(page, '/');
      expect(await who(context)).toBe(owner);
      expect(sent.join().includes('tbl_')).toBe(false);
      await page.goto(url);
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.locator('main').innerText()).toContain('Ask the operator for a new link');
      expect(await axe(page)).toEqual([]);
    });
    // Without scripts, the link is pasted into the field.
    const second = await link();
    await withContext(
      async (page, context) => {
        await page.goto(second);
        await page.getByLabel('Your sign-in link').fill(second);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await at(page, '/');
        expect(await who(context)).toBe(owner);
      },
      { javaScriptEnabled: false, viewport: { width: 360, height: 640 } },
    );
  });

  it('the pages work by keyboard, screen reader and at phone width, and load nothing from elsewhere', async () => {
    await withContext(
      async (page) => {
        const loaded: string[] = [];
        const problems: string[] = [];
        page.on('request', (request) => loaded.push(new URL(request.url()).origin));
        page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
        for (const path of ['/', '/api/auth/signed-out', '/api/auth/login?email=unknown@nowhere.example']) {
          await page.goto(base + path);
          expect([path, await axe(page)]).toEqual([path, []]);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          expect(width).toBeLessThanOrEqual(360);
        }
        expect(await page.getByRole('alert').innerText()).toContain('no sign-in for this e-mail');
        expect(new Set(loaded)).toEqual(new Set([base]));
        expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
        // By the keyboard alone: the field has the focus, Enter sends it.
        await page.goto(`${base}/api/auth/login`);
        await page.keyboard.type(ada);
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.href.startsWith(op.issuer));
      },
      { viewport: { width: 360, height: 640 } },
    );
  });
});
