import { html, type Html } from '../../../base/http/html.js';
import type { HtmlPage } from './layout.js';

export interface PageLink {
  label: string;
  href: string;
}

export interface Handover {
  action: string;
  fields: Readonly<Record<string, string>>;
}

export function emailPage(ask: {
  action: string;
  email: string;
  fields: Readonly<Record<string, string>>;
  problem: string | null;
}): HtmlPage {
  return {
    title: 'Sign in',
    status: ask.problem === null ? 200 : 404,
    tellsUs: true,
    body: html`<p>Use your work e-mail. You sign in at your own company, and no password is asked for here.</p>
      <form method="post" action="${ask.action}">
        <label for="email">Work e-mail</label>
        <input
          id="email"
          name="email"
          type="email"
          required
          autofocus
          autocomplete="username"
          spellcheck="false"
          maxlength="320"
          value="${ask.email}"
          ${ask.problem === null ? null : html`aria-describedby="problem" aria-invalid="true"`}
        />
        ${ask.problem === null ? null : html`<p class="alert" role="alert" id="problem">${ask.problem}</p>`}
        ${hidden(ask.fields)}
        <button type="submit">Continue</button>
      </form>`,
  };
}

export function choicePage(ask: {
  action: string;
  fields: Readonly<Record<string, string>>;
  connections: readonly { label: string; value: string }[];
}): HtmlPage {
  return {
    title: 'Choose your sign-in',
    tellsUs: true,
    body: html`<p>Your company has several. If you do not know which is yours, ask your IT team.</p>
      <form method="post" action="${ask.action}">
        ${hidden(ask.fields)}
        <ul class="choices" aria-label="Sign-ins">
          ${ask.connections.map(
            ({ label, value }) =>
              html`<li><button class="choice" name="connection" value="${value}">${label}</button></li>`,
          )}
        </ul>
      </form>`,
  };
}

/** The form of SAML by HTTP-POST. It sends itself where scripts run. */
export function handoverPage({ action, fields }: Handover): HtmlPage {
  return {
    title: 'Continue to your company’s sign-in',
    script: 'submit',
    body: html`<p>If nothing happens within a moment, press the button.</p>
      <form method="post" action="${action}">
        ${hidden(fields)}
        <button type="submit">Continue</button>
      </form>`,
  };
}

interface RefusalText {
  title: string;
  said: string;
  account: string | null;
  supportId: string;
  ways: readonly PageLink[];
  leave: Handover | null;
  status: number;
}

export function refusalPage(text: RefusalText): HtmlPage {
  return {
    title: text.title,
    status: text.status,
    body: html`<p role="alert">${text.said}</p>
      ${
        text.account === null
          ? null
          : html`<p>Your company’s sign-in named this account: <strong>${text.account}</strong></p>`
      }
      ${text.ways.map((way, i) => (i === 0 ? button(way) : secondButton(way)))}
      ${
        text.leave === null
          ? null
          : html`<form method="post" action="${text.leave.action}">
              ${hidden(text.leave.fields)}
              <button class="second" type="submit">Sign out at your company</button>
            </form>`
      }
      <footer>If this continues, send your IT team this support id: <code>${text.supportId}</code></footer>`,
  };
}

export function signedOutPage(login: string): HtmlPage {
  return {
    title: 'You are signed out',
    body: html`<p>Your session here has ended. On a shared computer, close the browser as well.</p>
      ${button({ label: 'Sign in again', href: login })}`,
  };
}

/** The page of an operator's sign-in link. Only its button signs in; a script fills and hides the field. */
export function ownerSignInPage(action: string): HtmlPage {
  return {
    title: 'Sign in with a link',
    script: 'fragment',
    tellsUs: true,
    body: html`<p>The operator of this service made you a sign-in link. It works once, within ten minutes.</p>
      <form method="post" action="${action}">
        <div>
          <label for="code">Your sign-in link</label>
          <input id="code" name="code" type="text" required autocomplete="off" spellcheck="false" maxlength="2048" />
        </div>
        <button type="submit">Sign in</button>
      </form>
      <p class="note">If you did not ask for a link, close this page. You are not signed in yet.</p>`,
  };
}

/** The page of a test sign-in. Only its button begins the test. */
export function testLinkPage(connection: string, action: string): HtmlPage {
  return {
    title: 'Test the sign-in',
    tellsUs: true,
    body: html`<p>
        This tests the connection <strong>${connection}</strong>. You sign in at your company. Afterwards you see what
        came from there. The test changes no user and begins no session.
      </p>
      <form method="post" action="${action}">
        <button type="submit">Start the test</button>
      </form>
      <p class="note">The button works once.</p>`,
  };
}

export interface TestResult {
  connection: string;
  claims: readonly (readonly [name: string, value: string])[];
  fields: readonly (readonly [name: string, value: string])[];
  outcome: string;
  next: string;
  accepted: boolean;
}

export function testPage(result: TestResult): HtmlPage {
  return {
    title: result.accepted ? 'The test sign-in works' : 'The test sign-in is refused',
    wide: true,
    body: html`<p class="verdict ${result.accepted ? 'good' : 'bad'}" role="status">
        <strong>${result.accepted ? '✓ Works.' : '✗ Refused.'}</strong> ${result.outcome}
      </p>
      <p><strong>Next step:</strong> ${result.next}</p>
      <p class="note">
        Connection <strong>${result.connection}</strong>. Nothing was changed, and no session has begun. This page can
        be loaded again for ten minutes; the sign-in log keeps the outcome.
      </p>
      ${table('What is used of it', result.fields)} ${table('What the IdP sent', result.claims)}`,
  };
}

function table(caption: string, rows: readonly (readonly [string, string])[]): Html | null {
  if (rows.length === 0) return null;
  return html`<h2>${caption}</h2>
    <table>
      <tbody>
        ${rows.map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${value}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function hidden(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}

const button = (way: PageLink): Html => html`<a class="button" href="${way.href}">${way.label}</a>`;
const secondButton = (way: PageLink): Html => html`<a class="button second" href="${way.href}">${way.label}</a>`;
