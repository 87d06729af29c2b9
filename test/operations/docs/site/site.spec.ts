import { readSite } from '../../../../src/operations/docs/site/site.js';

const site = readSite({ service: 'https://bridge.example', sandbox: 'http://localhost:4001' });
const htmlOf = (address: string): string => site.pages.get(address)!.html;

it('has commands and links with the addresses of the installation', () => {
  const html = htmlOf('/docs/start/try-it');
  expect(html).toContain('curl -s https://bridge.example/scim/v2/Users');
  expect(html).toContain('http://localhost:4001/faults');
  expect(html).not.toMatch(/localhost:300\d/);
});

it('keeps the default of a setting that has no path', () => {
  expect(htmlOf('/docs/start/sign-in')).toContain('<code>http://localhost:3000</code> unless set');
});

it('has sections for the search with hyphens, and without marks and addresses of links', () => {
  const { text } = site.sections.find(({ address }) => address === '/docs/sign-in/accounts#which-user-signs-in')!;
  expect(text).not.toMatch(/\]\(|`|\| /);
  expect(site.sections.some((section) => section.text.includes('--allow-idp-initiated on'))).toBe(true);
});

it('renders a page when it is asked for, once', () => {
  const page = site.pages.get('/docs/connect/okta')!;
  expect(Object.getOwnPropertyDescriptor(page, 'html')).toHaveProperty('get', expect.any(Function));
  expect(page.html).toBe(page.html);
});
