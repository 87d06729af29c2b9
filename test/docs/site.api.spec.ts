import { pageAddressOf } from '../../src/operations/docs/site/markdown.mapping.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { send, type Answer } from '../support/http.js';
import { PAGES } from './documents.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const get = (path: string): Promise<Answer> =>
  send('GET', `${app.url}${path}`, null, undefined, { accept: 'text/html' });
const addresses = PAGES.flatMap((page) =>
  page.startsWith('docs/') ? [pageAddressOf(page.slice('docs/'.length))] : [],
);

it('serves every page of docs, with links that lead to an answer', async () => {
  const targets = new Set<string>();
  const anchors = new Map<string, Set<string>>();
  for (const address of addresses) {
    const { status, headers, text } = await get(address);
    expect([address, status, headers.get('content-type')]).toEqual([address, 200, 'text/html; charset=utf-8']);
    anchors.set(address, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)));
    for (const [, href] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) targets.add(href!.startsWith('#') ? address + href : href!); // prettier-ignore
    // Each page is in the navigation, which marks the present one.
    if (address !== '/docs') expect([address, text]).toEqual([address, expect.stringContaining(`<a href="${address}" aria-current="page">`)]); // prettier-ignore
  }
  for (const target of targets) {
    if (/^https?:/.test(target)) continue;
    const [address = '', anchor] = target.split('#');
    if (!anchors.has(address)) expect([target, (await get(address)).status]).toEqual([target, 200]);
    else if (anchor !== undefined) expect([target, anchors.get(address)!.has(anchor)]).toEqual([target, true]);
  }
});

it.each(['/docs', '/docs/connect/entra', '/docs/search?q=seat'])('%s runs no inline script and loads nothing from elsewhere', async (path) => {
  const { headers, text } = await get(path);
  const policy = headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toContain('unsafe');
  expect(text).not.toMatch(/<script|<style| style="|src=|<link[^>]*https?:/);
  expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
}); // prettier-ignore

it('has one style sheet, with colours for dark screens', async () => {
  const { status, headers, text } = await get('/docs/style.css');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect(text).toMatch(/color-scheme: light dark/);
  expect(text).not.toMatch(/url\(|@import/);
});

it('explains a problem where its type points to, and the contract at its short address', async () => {
  expect((await get('/docs/problems')).text).toContain('<h2 id="email_taken">');
  expect((await get('/docs/platform')).text).toContain('Idempotency-Key');
});

it('finds pages by words', async () => {
  expect((await get('/docs/search?q=NoTarget+entra')).text).toContain('<a href="/docs/connect/entra#');
  const signIn = (await get('/docs/search?q=cannot+sign+in')).text;
  expect(/<ul class="hits"><li><a href="([^"#]+)/.exec(signIn)![1]).toBe('/docs/sign-in/cannot-sign-in');
  expect((await get('/docs/search?q=just-in-time')).text).toMatch(/<p>[^<]*just-in-time/i);
  expect((await get('/docs/search?q=zzzz')).text).toContain('No page has all of these words.');
  expect((await get('/docs/search')).status).toBe(200);
  const { text } = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
  expect(text).not.toContain('<script>');
});

it.each(['/docs/nothing', '/docs/connect/nothing', '/docs/..%2fpackage.json', '/docs/connect/okta.md'])(
  '%s is not found',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

it.each([
  ['/docs', 200],
  ['/docs/api', 200],
  ['/docs/nowhere', 404],
  ['/nowhere', 404],
  ['/api/auth/login', 200],
  ['/api/auth/nowhere', 404],
])('the page %s has the favicon, and its policy lets it in', async (path, status) => {
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, expect.stringMatching(/^text\/html/)]);
  expect(answer.text).toMatch(/<link rel=['"]?icon['"]? [^>]*href=['"]\/favicon\.svg['"]/);
  expect(answer.headers.get('content-security-policy')).toMatch(/img-src [^;]*'self'/);
});

it.each(['/favicon.svg', '/favicon.ico'])('%s is a picture that browsers keep', async (path) => {
  const { status, headers, text } = await get(path);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\/svg\+xml/)]);
  expect([headers.get('cache-control'), text]).toEqual(['public, max-age=86400', expect.stringMatching(/^<svg /)]);
});

it('has a picture for the diagram of a page, and no other file of its folder', async () => {
  const [, address] = /<img src="([^"]+)"/.exec((await get('/docs/why/delivery')).text)!;
  const { status, headers, text } = await get(address!);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\/svg\+xml/)]);
  expect(text).toMatch(/^<svg /);
  for (const other of ['none.svg', '..%2FREADME.md']) expect((await get(`/docs/diagrams/${other}`)).status).toBe(404);
});
