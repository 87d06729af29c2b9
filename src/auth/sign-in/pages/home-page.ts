import { html, type Html } from '../../../base/http/html.js';
import type { HtmlPage } from './layout.js';

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[^]*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Names a device for its user, by the `User-Agent` of the browser, which may be any text. */
export function deviceOf(userAgent: string | null): string {
  const found = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test((userAgent ?? '').slice(0, 500)))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

interface ShownSession {
  id: string;
  userAgent: string | null;
  ip: string | null;
  connection: string | null;
  createdAt: Date;
  seenAt: Date;
  current: boolean;
}

export interface Home {
  name: string;
  email: string | null;
  tenant: string;
  logout: string;
  until: Date;
  end: string;
  sessions: readonly ShownSession[];
}

export function homePage(home: Home): HtmlPage {
  return {
    title: `Signed in to ${home.tenant}`,
    tellsUs: true,
    body: html`<p>You are <strong>${home.name}</strong>${home.email === null ? null : html` (${home.email})`}.</p>
      <p class="note">Without use, this session ends at ${time(home.until)}.</p>
      <form method="post" action="${home.logout}">
        <button type="submit">Sign out</button>
      </form>
      <h2>Your sessions</h2>
      <p class="note">If you do not know one of them, end it and tell your IT team.</p>
      <ul class="sessions" aria-label="Your sessions">
        ${home.sessions.map((one) => row(one, home.end))}
      </ul>`,
  };
}

function row(one: ShownSession, end: string): Html {
  const device = deviceOf(one.userAgent);
  const from = [one.connection, one.ip].filter((part) => part !== null).join(', ');
  return html`<li>
    <div>
      <strong>${device}</strong>${one.current ? ' (this session)' : ''}
      <p class="note">
        ${from === '' ? null : html`${from}. `}Signed in ${time(one.createdAt)}, last used ${time(one.seenAt)}.
      </p>
    </div>
    ${
      one.current
        ? null
        : html`<form method="post" action="${end}">
            <input type="hidden" name="session_id" value="${one.id}" />
            <button class="second small" type="submit" aria-label="End the session: ${device}">End</button>
          </form>`
    }
  </li>`;
}

function time(at: Date): Html {
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
