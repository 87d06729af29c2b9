import { html } from '../../base/http/html.js';
import type { Page } from '../../sign-in/pages/layout.js';

/** A connection that may get the grant. */
export interface Choosable {
  id: string;
  name: string;
}

/** Makes the page on which a person begins: for which tenant, and which connection. */
export function startPage(ask: {
  title: string;
  tenant: string;
  person: string | null;
  action: string;
  code: string | null;
  connections: readonly Choosable[];
}): Page {
  const { title, tenant, person, action, code, connections } = ask;
  const again = connections.map(
    ({ id, name }) =>
      html`<li><button class="choice" name="connection" value="${id}">Connect “${name}” again</button></li>`,
  );
  return {
    title: `Connect ${title}`,
    tellsUs: true,
    body: html`<p>
        This connects <strong>${title}</strong> to <strong>${tenant}</strong>. Candidates, openings and scorecards then
        go between the two.
      </p>
      ${person === null ? null : html`<p class="note">You are signed in as ${person}.</p>`}
      <p>${title} asks you next to approve the access. An administrator of ${title} has to do it.</p>
      <form method="post" action="${action}">
        ${code === null ? null : html`<input type="hidden" name="code" value="${code}" />`}
        <input type="hidden" name="confirmed" value="yes" />
        <button type="submit" name="connection" value="">Continue to ${title}</button>
        ${
          connections.length === 0
            ? null
            : html`<ul class="choices" aria-label="Connections that are there">
                ${again}
              </ul>`
        }
      </form>`,
  };
}

/** Makes the page of a connect link. Its secret stands in the fragment; opening the page uses nothing up. */
export function connectLinkPage(title: string, action: string): Page {
  return {
    title: `Connect ${title}`,
    script: 'fragment',
    tellsUs: true,
    body: html`<p>You were sent a link to connect ${title}. It works once, within three days.</p>
      <form method="post" action="${action}">
        <div>
          <label for="code">Your connect link</label>
          <input id="code" name="code" type="text" required autocomplete="off" spellcheck="false" maxlength="2048" />
        </div>
        <button type="submit">Continue</button>
      </form>
      <p class="note">If you did not expect it, close this page. Nothing is connected yet.</p>`,
  };
}

/** Makes the page of a connection that is made. */
export function connectedPage(done: {
  title: string;
  tenant: string;
  marker: string;
  missing: readonly string[];
}): Page {
  const { title, tenant, marker, missing } = done;
  return {
    title: `${title} is connected`,
    body: html`<p class="verdict"><strong>${title}</strong> is connected to <strong>${tenant}</strong>.</p>
      <p>
        Webhooks are being made in ${title}, and the first sync has begun. Records get the ids of ${title} with
        <code>${marker}</code> before them.
      </p>
      ${
        missing.length === 0
          ? null
          : html`<p class="alert" role="alert">
              ${title} did not grant everything that was asked for. Missing: <code>${missing.join(', ')}</code>. What
              needs it does not work until ${title} is connected again with it.
            </p>`
      }
      <p class="note">You can close this page.</p>`,
  };
}

/** Makes the page of a connecting that does not go on. */
export function notConnectedPage(refusal: { title: string; said: string; again: string; status: number }): Page {
  const { title, said, again, status } = refusal;
  return {
    title: `${title} is not connected`,
    status,
    body: html`<p class="verdict bad" role="alert">${said}</p>
      <a class="button" href="${again}">Begin again</a>`,
  };
}
