import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { describeInBrowser, launch } from '../support/browser.js';
import { eventually } from '../support/http.js';
import { someOf } from '../support/rounds.js';

const WIDTHS = someOf([390, 1280]);
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describeInBrowser('the documentation in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let problems: string[];
  beforeAll(async () => {
    app = await startApp();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });
  beforeEach(() => {
    problems = [];
  });

  async function open(path: string, width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('request', (request) => new URL(request.url()).origin !== app.url && !request.url().startsWith('data:') && problems.push(request.url())); // prettier-ignore
    await page.goto(app.url + path, { waitUntil: 'networkidle' });
    return page;
  }
  const scrolls = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

  it.each(WIDTHS)('a page fits %i px, and a screen reader can read it', async (width) => {
    for (const path of someOf(['/docs/connect/entra', '/docs', '/docs/reference/cli', '/docs/search?q=seat'])) {
      const page = await open(path, width);
      expect([path, await scrolls(page)]).toEqual([path, false]);
      // By the debugger: the policy of the page lets no script in.
      await page.evaluate(readFileSync(AXE, 'utf8'));
      const found = await page.evaluate<string[]>(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      );
      expect([path, found]).toEqual([path, []]);
      await page.close();
    }
    expect(problems).toEqual([]);
  });

  it.each(WIDTHS)('no code block is cut at %i px', async (width) => {
    for (const path of someOf([
      '/docs/start/try-it',
      '/docs/reference/cli',
      '/docs/why/delivery',
      '/docs/integrate/api',
    ])) {
      const page = await open(path, width);
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.innerText)`,
      );
      expect([path, cut, await scrolls(page)]).toEqual([path, [], false]);
      await page.close();
    }
    expect(problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('shows a diagram as a picture in the %s theme', async (colorScheme) => {
    const page = await open('/docs/why/delivery', 390, colorScheme);
    const picture = page.locator('.picture img').first();
    await picture.scrollIntoViewIfNeeded();
    expect(await picture.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBeGreaterThan(300);
    await page.close();
    expect(problems).toEqual([]);
  });

  it.each(WIDTHS)('the API reference fits %i px, and finds operations by words', async (width) => {
    const page = await open('/docs/api', width);
    // Groups are made when they come into view.
    const search = page.getByLabel('Search the operations');
    await search.waitFor();
    expect(await scrolls(page)).toBe(false);
    await search.fill('idempotency /held/ DISCARD');
    // The page forbids to evaluate texts, which is how the browser would wait for a condition.
    await eventually(
      () => page.locator('.opblock').count(),
      (count) => count === 2,
    );
    const paths = await page.locator('.opblock-summary-path').allInnerTexts();
    expect(paths.map((text) => text.replaceAll('\u200b', ''))).toEqual([
      '/api/v1/held/discard',
      '/api/v1/held/{user_id}/discard',
    ]);
    await page.locator('.opblock-summary-control').first().click();
    await page.getByText('"no_seat"').first().waitFor();
    expect(await scrolls(page)).toBe(false);
    await search.fill('');
    await search.scrollIntoViewIfNeeded();
    await page.getByText('Checks the connection and the credential').waitFor();
    await page.close();
    expect(problems).toEqual([]);
  });
});
