import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { acceptsGzip } from './answer.js';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for the content and for quoted attributes of a page. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** A piece of a page whose content is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[];

/** Returns a piece of a page from a template. Escapes all values that are no pieces themselves. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0]!;
  parts.forEach((part, i) => {
    text += textOf(part) + strings[i + 1]!;
  });
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return part instanceof Html ? part.text : part.map(textOf).join('');
}

/** A page declares itself at its beginning. */
const BEGINNING = 1_024;

/** Whether a text that should be something else is an HTML page: a login page, an error page, or a page with a link. */
export function isHtmlPage(text: string): boolean {
  return /<!doctype\s+html|<html[\s>]/i.test(text.slice(0, BEGINNING));
}

/** The picture of a page in the tab of a browser: a bridge, legible at 16 pixels on light and dark tabs. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c4fd8"/><path d="M4 23h24M8 23v-5a8 8 0 0 1 16 0v5M16 10v13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

/** The element of a page that names the picture. The policy of the page needs `img-src 'self'`. */
export const FAVICON_LINK = '<link rel="icon" type="image/svg+xml" href="/favicon.svg">';

/** Caches may repeat the text for this long without asking; afterwards they ask with the entity tag. */
const MAX_AGE_SECONDS = 300;

/**
 * A text that is the same for every caller. Its bytes, their compressed form and the entity tag are made once, so that a
 * request of a stranger costs no more than a refusal.
 */
export class PublicText {
  private readonly plain: Buffer;
  private readonly compressed: Buffer;
  private readonly tag: string;

  constructor(
    text: string,
    private readonly contentType: string,
  ) {
    this.plain = Buffer.from(text);
    this.compressed = gzipSync(this.plain);
    // A weak tag: it is valid for both forms (RFC 9110 §8.8.1).
    this.tag = `W/"${hash('sha256', this.plain, 'base64url')}"`;
  }

  /** Answers a GET or HEAD: 200, compressed where the client accepts gzip, or 304 when the client has the text already. */
  send(req: Request, res: Response): void {
    res.setHeader('ETag', this.tag);
    res.setHeader('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    res.setHeader('Vary', 'Accept-Encoding');
    if (req.fresh) {
      res.writeHead(304).end();
      return;
    }
    const isCompressed = acceptsGzip(req.headers['accept-encoding']);
    const body = isCompressed ? this.compressed : this.plain;
    if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
    res.writeHead(200, { 'Content-Type': this.contentType, 'Content-Length': body.length }).end(body);
  }
}
