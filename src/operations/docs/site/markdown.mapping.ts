import { hash } from 'node:crypto';
import path from 'node:path/posix';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../../base/http/html.js';

/** A page of the documentation, ready for display. */
export interface RenderedPage {
  readonly title: string;
  readonly html: string;
}

/** Returns the anchor of a heading in GitHub's form. @param heading the text of the heading, without Markdown */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Returns the address at which the service shows a page.
 *
 * @param file the path below `docs`, such as `connect/okta.md`; `README.md` is the page of its folder
 */
export function pageAddressOf(file: string): string {
  return path.join('/docs', file.replace(/\.md$/, '').replace(/(^|\/)README$/, ''));
}

/**
 * Returns the file name of the picture of a Mermaid diagram. It has the digest of the diagram, so a picture of an
 * older diagram is never shown. `scripts/draw-diagrams.mjs` makes the files.
 *
 * @param diagram the text between the fences
 */
export function pictureOf(diagram: string): string {
  return `${hash('sha256', diagram).slice(0, 16)}.svg`;
}

/**
 * Renders Markdown as HTML. The text is our own, so HTML in it is not removed.
 *
 * @param markdown the text of the page
 * @param file its path below `docs`: links are relative to it
 * @param pictures the file names in `docs/diagrams`; a diagram without a picture is shown as text
 */
export function renderPage(markdown: string, file: string, pictures: ReadonlySet<string> = new Set()): RenderedPage {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        return `<h${depth} id="${anchorOf(decoded(words))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = targetOf(href, file);
        return target === null ? words : `<a href="${target}">${words}</a>`;
      },
      code({ text, lang }) {
        const block = `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
        const picture = lang === 'mermaid' ? pictureOf(text) : '';
        return pictures.has(picture) ? figureOf(picture, block) : block;
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((row) => cells(row, 'td')).join('\n');
        // Only wide tables scroll, also with the keyboard; the page does not.
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return { title: titleOf(markdown, file), html: marked.parse(markdown, { async: false }) };
}

export function titleOf(markdown: string, file: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? file;
}

/** A wide picture scrolls, also with the keyboard. Its source is the text for readers who do not see it. */
function figureOf(picture: string, source: string): string {
  const image = `<img src="/docs/diagrams/${picture}" alt="Diagram; its text is below">`;
  return (
    `<figure><div class="picture" tabindex="0">${image}</div>` +
    `<figcaption><details><summary>The diagram as text</summary>\n${source}</details></figcaption></figure>\n`
  );
}

/** Returns the target of a link in the served documentation; null for a file outside of it. */
function targetOf(href: string, file: string): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const joined = path.join(path.dirname(file), target);
  if (joined.startsWith('..') || !joined.endsWith('.md')) return null;
  return anchor === undefined ? pageAddressOf(joined) : `${pageAddressOf(joined)}#${anchor}`;
}

function decoded(html: string): string {
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
