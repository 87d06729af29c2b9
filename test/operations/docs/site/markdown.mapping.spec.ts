import {
  pageAddressOf,
  anchorOf,
  pictureOf,
  renderPage,
} from '../../../../src/operations/docs/site/markdown.mapping.js';

it.each([
  ['README.md', '/docs'],
  ['connect/README.md', '/docs/connect'],
  ['connect/okta.md', '/docs/connect/okta'],
])('shows %s at %s', (file, address) => expect(pageAddressOf(file)).toBe(address));

it.each([
  ['What goes wrong', 'what-goes-wrong'],
  ['How to add …', 'how-to-add-'],
  ['email_taken', 'email_taken'],
  ['The head of a day (UTC)', 'the-head-of-a-day-utc'],
])('makes the anchor of "%s" as GitHub does', (heading, anchor) => expect(anchorOf(heading)).toBe(anchor));

const htmlOf = (markdown: string, file = 'connect/okta.md') => renderPage(markdown, file).html;

it.each([
  ['a page beside it', '[x](entra.md)', '<a href="/docs/connect/entra">x</a>'],
  ['a page elsewhere, with an anchor', '[x](../run/keys.md#a-lost-key)', '<a href="/docs/run/keys#a-lost-key">x</a>'],
  ['the page of a folder', '[x](README.md)', '<a href="/docs/connect">x</a>'],
  ['an anchor of its own', '[x](#steps)', '<a href="#steps">x</a>'],
  ['a served page', '[x](/docs/api)', '<a href="/docs/api">x</a>'],
  ['another site', '[x](https://example.com/)', '<a href="https://example.com/">x</a>'],
])('leads to %s', (_, markdown, html) => expect(htmlOf(markdown)).toContain(html));

it('shows only the words of a link to a file that is not served', () => {
  expect(htmlOf('see [the log](../../CHANGELOG.md)')).toBe('<p>see the log</p>\n');
});

it('takes the title from the first heading, and gives each heading its anchor', () => {
  const page = renderPage('# One & `two`\n\n## A "b"\n', 'a.md');
  expect(page.title).toBe('One & `two`');
  expect(page.html).toContain('<h1 id="one--two">One &amp; <code>two</code></h1>');
  expect(page.html).toContain('<h2 id="a-b">');
});

it('lets a wide table scroll apart from the page', () => {
  expect(htmlOf('| a | b |\n| --- | --- |\n| `1` | 2 |\n')).toBe(
    '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>1</code></td><td>2</td></tr></tbody></table></div>\n',
  );
});

it('shows a diagram as a picture when it has one, and as text when it has none', () => {
  const markdown = '```mermaid\nflowchart LR\n  a --> b\n```\n';
  const picture = pictureOf('flowchart LR\n  a --> b');
  expect(picture).toMatch(/^[0-9a-f]{16}\.svg$/);
  const { html } = renderPage(markdown, 'a.md', new Set([picture]));
  expect(html).toContain(`<img src="/docs/diagrams/${picture}" alt=`);
  expect(html).toMatch(/<details><summary>.*<\/summary>\n<pre tabindex="0"><code>flowchart LR/);
  expect(renderPage(markdown, 'a.md', new Set(['other.svg'])).html).toMatch(/^<pre/);
});
