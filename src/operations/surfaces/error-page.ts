import { STATUS_CODES } from 'node:http';
import { FAVICON_LINK, escapeHtml } from '../../base/http/html.js';
import { API_STATUS } from './problem.js';
import type { Refusal } from './refusal.types.js';

/** The policy of the page: the style of the documentation and the favicon, and nothing else. */
export const ERROR_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page that a person sees: what happened, and the number to ask with. */
export function errorPage(refusal: Refusal, requestId: string): { status: number; body: string } {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  const title = escapeHtml(STATUS_CODES[status] ?? 'Error');
  const fields = (refusal.extras.errors ?? []).map(
    ({ field, message }) => `<p><code>${escapeHtml(field)}</code> ${escapeHtml(message)}.</p>\n`,
  );
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – talent-bridge</title>${FAVICON_LINK}<link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>${title}</h1><p>${escapeHtml(refusal.detail)}</p>
${fields.join('')}<p>Request <code>${escapeHtml(requestId)}</code></p></main></body></html>
`;
  return { status, body };
}
