import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FAVICON_LINK, escapeHtml } from '../../../base/http/html.js';
import { type RenderedPage, pageAddressOf, anchorOf, renderPage, titleOf } from './markdown.mapping.js';
import { indexed, type IndexedSection, type Section } from './search.rules.js';

interface NavSection {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly address: string }[];
}

/**
 * Returns a whole HTML document: header, page and navigation, without a script. The navigation comes after the page,
 * so that a phone and a screen reader begin with the text; a wide screen has it at the left.
 *
 * @param address that of the page, which is marked in the navigation
 */
export function layout(page: RenderedPage, nav: readonly NavSection[], address: string, asked = ''): string {
  const sections = nav.map(({ title, pages }) => {
    const items = pages.map((one) => {
      const current = one.address === address ? ' aria-current="page"' : '';
      return `<li><a href="${one.address}"${current}>${escapeHtml(one.title)}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} – talent-bridge</title>${FAVICON_LINK}<link rel="stylesheet" href="/docs/style.css"></head>
<body><a class="skip" href="#main">Skip to the text</a>
<header><a class="home" href="/docs">talent-bridge</a> <a class="menu" href="#nav">All pages</a> <a href="/docs/api">API reference</a>
<form action="/docs/search" role="search"><input name="q" type="search" value="${escapeHtml(asked)}" aria-label="Search the documentation" placeholder="Search"><button>Search</button></form></header>
<div class="body"><main id="main">
${page.html}</main>
<nav id="nav" aria-label="All pages">
${sections.join('\n')}
</nav></div></body></html>
`;
}

/** The folders of the documentation in the order of the navigation, and the pages that come first in each. */
const FOLDERS: readonly (readonly [folder: string, title: string, first: readonly string[]])[] = [
  ['start', 'Start', ['try-it', 'words', 'sandbox', 'status']],
  ['connect', 'Connect an IdP', ['README', 'okta', 'entra']],
  ['directory', 'Directory', ['directories', 'scim', 'matching', 'roles', 'held', 'preview', 'leavers']],
  [
    'sign-in',
    'Sign-in',
    ['cannot-sign-in', 'connections', 'domains', 'accounts', 'sessions', 'logout', 'refused', 'owner-links'],
  ],
  ['console', 'Console', ['roles', 'links']],
  ['seats', 'Seats', ['seats', 'ledger']],
  ['integrate', 'Integrate', ['api', 'platform']],
  ['ats', 'ATS', ['connect', 'sync', 'writes', 'connectors']],
  ['run', 'Run', ['install', 'forwarding', 'metrics', 'backup', 'keys', 'upgrade', 'limits']],
  ['runbook', 'Runbook', ['README']],
  ['reference', 'Reference', ['settings', 'cli', 'errors', 'scopes', 'events']],
  ['why', 'Why', ['architecture', 'decisions', 'security']],
  ['contribute', 'Contribute', ['how-to-add', 'tests', 'style', 'dependencies']],
];

export interface Site {
  readonly nav: readonly NavSection[];
  readonly pages: ReadonlyMap<string, RenderedPage>;
  readonly sections: readonly IndexedSection[];
  readonly pictures: ReadonlyMap<string, string>;
}

interface OwnAddresses {
  readonly service: string;
  readonly sandbox: string;
}

/** The folder `docs` of the installation, beside `dist` or `src`. */
const DOCS = path.resolve(import.meta.dirname, '../../../../docs');

/** Reads the documentation, with the addresses of this installation; empty without the folder. */
export function readSite(own: OwnAddresses, folder: string = DOCS): Site {
  const pages = new Map<string, RenderedPage>();
  const sections: IndexedSection[] = [];
  const pictures = picturesIn(path.join(folder, 'diagrams'));
  const names = new Set(pictures.keys());
  const add = (file: string) => {
    const markdown = withAddresses(readFileSync(path.join(folder, file), 'utf8'), own);
    const page = renderedWhenAsked(markdown, file, names);
    pages.set(pageAddressOf(file), page);
    sections.push(...sectionsOf(markdown, page.title, pageAddressOf(file)).map(indexed));
    return { title: page.title, address: pageAddressOf(file) };
  };
  if (!existsSync(path.join(folder, 'README.md'))) return { nav: [], pages, sections, pictures };
  add('README.md');
  const nav = FOLDERS.map(([name, title, first]) => ({
    title,
    pages: namesIn(path.join(folder, name), first).map((page) => add(`${name}/${page}.md`)),
  }));
  return { nav, pages, sections, pictures };
}

/** Rendering all pages at once would block the event loop for 700 ms. */
function renderedWhenAsked(markdown: string, file: string, pictures: ReadonlySet<string>): RenderedPage {
  let made: RenderedPage | undefined;
  return {
    title: titleOf(markdown, file),
    get html() {
      made ??= renderPage(markdown, file, pictures);
      return made.html;
    },
  };
}

/** Replaces the addresses of examples. A default without a path, such as that of `BASE_URL`, stays. */
function withAddresses(markdown: string, { service, sandbox }: OwnAddresses): string {
  return markdown.replaceAll('http://localhost:3000/', `${service}/`).replaceAll('http://localhost:3001', sandbox);
}

function picturesIn(folder: string): Map<string, string> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.svg')) : [];
  return new Map(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
}

function namesIn(folder: string, first: readonly string[]): string[] {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
  return [...first.filter((name) => names.includes(name)), ...names.filter((name) => !first.includes(name)).sort()];
}

function sectionsOf(markdown: string, page: string, address: string): Section[] {
  return markdown.split(/^(?=#{1,3} )/m).map((part) => {
    const heading = /^#+ (.+)/.exec(part)?.[1] ?? page;
    const text = plainText(part.replace(/^#+ .+/, ''));
    return { page, heading, address: `${address}#${anchorOf(heading)}`, text };
  });
}

/** Of a link the words stay, of a table the cells, and hyphens inside of words and options. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/\]\([^)\s]*\)/g, ' ')
    .replace(/^[ \t]*- /gm, ' ')
    .replace(/(?<![\w-])-{3,}(?![\w-])/g, ' ')
    .replace(/[`*|\\[\]#]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:)](?: |$))/g, '')
    .trim();
}
