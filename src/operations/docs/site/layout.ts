import { FAVICON_LINK, escapeHtml } from '../../../base/http/html.js';
import type { RenderedPage } from './markdown.mapping.js';

/** A group of pages in the navigation. */
export interface NavSection {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly address: string }[];
}

/**
 * A whole HTML document: header, page and navigation. It has no script. The navigation comes after the page, so that a
 * phone and a screen reader begin with the text; on a wide screen it stands at the left.
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
