import type { HtmlPage } from '../../auth/sign-in/pages/layout.js';
import { html } from '../../base/http/html.js';
import { API_STATUS } from './problem.js';
import type { Refusal } from './refusal.types.js';

const LOGIN = '/api/auth/login';

/** What a user reads, by status; other statuses get the words of 400. */
const WORDS: Readonly<Record<number, { title: string; said: string }>> = {
  400: {
    title: 'This link does not work',
    said: 'It is incomplete, or was changed on its way. Please start again from your application.',
  },
  401: { title: 'You are not signed in', said: 'Your session has ended, or there was none. Please sign in.' },
  403: { title: 'Please start here', said: 'This step was opened from another site. Please start your sign-in here.' },
  404: {
    title: 'There is no sign-in at this address',
    said: 'The address may be mistyped, or from before a change. Start with your work e-mail instead. If it happens again, tell your IT team.',
  },
  405: { title: 'This page cannot be opened like this', said: 'Please start your sign-in again.' },
  429: { title: 'Too many tries', said: 'Please wait a few minutes and try again.' },
  500: { title: 'Something went wrong on our side', said: 'Please try again in a moment.' },
  503: { title: 'Sign-in is not available just now', said: 'Please try again in a moment.' },
  507: {
    title: 'Your account cannot be created just now',
    said: 'The storage of your organisation is used up. Please tell your IT team.',
  },
};

/** A refusal below `/api/auth` that is no refused sign-in, as a page of the sign-in with a way on. */
export function signInErrorPage(refusal: Refusal, requestId: string): HtmlPage {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  const { title, said } = WORDS[status] ?? (status >= 500 ? WORDS[500]! : WORDS[400]!);
  const fields = (refusal.extras.errors ?? []).map(
    ({ field, message }) => html`<p class="note"><code>${field}</code> ${message}.</p>`,
  );
  return {
    title,
    status,
    body: html`<p role="alert">${said}</p>
      ${fields.length > 0 || status === 404 ? fields : html`<p class="note">${refusal.detail}</p>`}
      <a class="button" href="${LOGIN}">Sign in</a>
      <footer>If this continues, send your IT team this support id: <code>${requestId}</code></footer>`,
  };
}
