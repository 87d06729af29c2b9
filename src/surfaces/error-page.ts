import { STATUS_CODES } from 'node:http';
import { escapeHtml } from '../base/http/html.js';
import { API_STATUS } from './problem.js';
import type { Refusal } from './refusal.types.js';

/** The page that a person sees: what happened, and the number to ask with. */
export function errorPage(refusal: Refusal, requestId: string): { status: number; body: string } {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  const title = escapeHtml(STATUS_CODES[status] ?? 'Error');
  const fields = (refusal.extras.errors ?? []).map(
    ({ field, message }) => `<p><code>${escapeHtml(field)}</code> ${escapeHtml(message)}.</p>\n`,
  );
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title></head>
<body><main><h1>${title}</h1><p>${escapeHtml(refusal.detail)}</p>
${fields.join('')}<p>Request <code>${escapeHtml(requestId)}</code></p></main></body></html>
`;
  return { status, body };
}
