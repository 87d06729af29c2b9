import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FAVICON_LINK, escapeHtml, type Html } from '../../../base/http/html.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { LOOPBACK_FORMS } from '../../../base/http/server.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';

export interface TenantFace {
  name: string;
  /** An https or mailto address. */
  helpUrl: string | null;
}

/** Reads the names and help links of tenants, for pages. */
@Injectable()
export class TenantFaces {
  constructor(private readonly tenants: TenantStore) {}

  async of(tenantId: string | null | undefined): Promise<TenantFace | null> {
    if (tenantId === null || tenantId === undefined) return null;
    // A page without the name is better than an error.
    const tenant = await this.tenants.get(tenantId).catch(() => null);
    return tenant === null ? null : { name: tenant.name, helpUrl: tenant.helpUrl };
  }
}

const STYLE = `
:root{color-scheme:light dark;--ink:#14213d;--soft:#4a5670;--line:#cfd6e4;--paper:#fff;--ground:#f2f5fa;--accent:#1c4fd8;--on:#fff;--warn:#8a3b00}
@media (prefers-color-scheme:dark){:root{--ink:#eef2fb;--soft:#b3bdd2;--line:#3b4660;--paper:#182036;--ground:#0e1424;--accent:#8fb0ff;--on:#0b1330;--warn:#ffc38f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{width:100%;max-width:28rem;background:var(--paper);border:1px solid var(--line);border-radius:.9rem;padding:2rem 1.9rem 1.6rem}
.wide{max-width:46rem}
.mark{margin:0 0 1.4rem;font-size:.85rem;font-weight:600;letter-spacing:.02em;color:var(--soft)}
h1{margin:0 0 .6rem;font-size:1.45rem;line-height:1.25}
h2{margin:1.4rem 0 .4rem;font-size:1.05rem}
p{margin:.5rem 0;overflow-wrap:anywhere}
.note{color:var(--soft);font-size:.92rem}
a.help{color:var(--accent)}
.alert{color:var(--warn);font-weight:600}
label{display:block;margin:1.1rem 0 .35rem;font-weight:600}
input,select{width:100%;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.5rem;padding:.65rem .75rem}
button,.button{display:inline-block;width:100%;margin-top:.9rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;border:1px solid var(--accent);border-radius:.5rem;padding:.65rem 1rem;background:var(--accent);color:var(--on)}
.second{background:transparent;color:var(--accent)}
.choices{list-style:none;margin:1rem 0 0;padding:0;border-top:1px solid var(--line)}
.choices li{border-bottom:1px solid var(--line)}
.choice{margin:0;padding:.75rem .2rem;border:0;border-radius:0;background:transparent;color:var(--accent);text-align:left;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.verdict{border-left:.35rem solid var(--accent);padding:.6rem .9rem;background:var(--ground)}
.bad{border-color:var(--warn)}
.small{width:auto;margin:0;padding:.3rem .8rem}
.sessions{list-style:none;margin:.6rem 0 0;padding:0;border-top:1px solid var(--line)}
.sessions li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.6rem 0;border-bottom:1px solid var(--line)}
.sessions p{margin:.1rem 0 0}
form{margin:0}
footer{margin-top:1.6rem;padding-top:.9rem;border-top:1px solid var(--line);font-size:.85rem;color:var(--soft)}
code{font:0.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:600;width:38%}
`;
const SUBMIT = `document.forms[0].submit()`;
// Moves the secret from the fragment into the form, and out of the address bar.
const TAKE_FRAGMENT =
  `const secret=location.hash.slice(1);` +
  `if(secret){const field=document.forms[0].elements.code;field.value=secret;field.parentElement.hidden=true;` +
  `history.replaceState(null,'',location.pathname)}`;
const SCRIPTS = { submit: SUBMIT, fragment: TAKE_FRAGMENT };

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const STYLE_SOURCE = sourceOf(STYLE);

/** A page: its contents and its permissions. */
export interface HtmlPage {
  title: string;
  body: Html;
  status?: number;
  wide?: boolean;
  /** `submit` sends the form at once; `fragment` puts the fragment of the address into the field `code`. */
  script?: keyof typeof SCRIPTS;
  /** Has a form for this service: older browsers then need permission to send the origin. */
  tellsUs?: boolean;
}

/** Sends a page that loads nothing but the favicon, and runs no script but its own: names from an IdP cannot do anything. */
export function sendPage(res: BridgeResponse, page: HtmlPage, face: TenantFace | null = null): void {
  const text = pageText(page, face);
  res.setHeader(
    'Content-Security-Policy',
    [
      `default-src 'none'`,
      `style-src ${STYLE_SOURCE}`,
      `img-src 'self'`,
      ...(page.script === undefined ? [] : [`script-src ${sourceOf(SCRIPTS[page.script])}`]),
      // Browsers check the redirect after a form against this list.
      `form-action 'self' https:${mayTellLoopback(res) ? ' http://localhost:* http://127.0.0.1:*' : ''}`,
      `base-uri 'none'`,
      `frame-ancestors 'none'`,
    ].join('; '),
  );
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('X-Frame-Options', 'DENY');
  if (page.tellsUs) res.setHeader('Referrer-Policy', 'same-origin');
  res.writeHead(page.status ?? 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

/**
 * Sends the empty page that an IdP loads in a frame. Any page may frame it: an IdP can itself be in a frame, and a page without
 * controls cannot be misused.
 */
export function sendFramedPage(res: BridgeResponse): void {
  const text = '<!doctype html>\n<html lang="en"><title>talent-bridge</title></html>\n';
  res.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  );
  res.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

/** Whether forms may lead to http on this machine, for IdPs of a development installation. */
function mayTellLoopback(res: BridgeResponse): boolean {
  return res.app.get(LOOPBACK_FORMS) === true;
}

// The text between the style and script tags must be exactly the text with the hash of the policy.
function pageText(page: HtmlPage, face: TenantFace | null): string {
  const title = escapeHtml(page.title);
  const name = escapeHtml(face?.name ?? 'talent-bridge');
  const help =
    face === null || face.helpUrl === null
      ? ''
      : `\n<p class="note"><a class="help" href="${escapeHtml(face.helpUrl)}">Help with signing in to ${name}</a></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – talent-bridge</title>
${FAVICON_LINK}
<style>${STYLE}</style>
</head>
<body>
<main${page.wide ? ' class="wide"' : ''}>
<p class="mark">${name}</p>
<h1>${title}</h1>
${page.body.text}${help}
</main>
${page.script === undefined ? '' : `<script>${SCRIPTS[page.script]}</script>`}
</body>
</html>
`;
}
