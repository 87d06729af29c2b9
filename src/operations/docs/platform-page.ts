import { platformApi } from './platform-api.js';

// The page for who builds a hiring platform: what it has to answer, and what each answer does.

interface Row {
  answer: string;
  meaning: string;
}

const ANSWERS: readonly Row[] = [
  { answer: '2xx with JSON, or without a body', meaning: 'Delivered.' },
  {
    answer: '408, 425, 429, 5xx, a time-out, a broken or refused connection; HTML or other text with any status',
    meaning:
      'The platform is unavailable. The call is repeated with the same key and the same bytes. Changes of all users wait, one ' +
      'call at a time probes the platform at growing intervals of at most 60 seconds, and Retry-After is honoured up to an hour.',
  },
  {
    answer: 'eight 5xx or time-outs for one user while calls for other users succeed',
    meaning: 'The change of that user parks. An admin retries or dismisses it.',
  },
  { answer: '401, 403', meaning: 'Forwarding pauses until the key or the address changes.' },
  { answer: '3xx', meaning: 'Forwarding pauses: redirects are not followed.' },
  { answer: '404, 410', meaning: 'The user is looked up. Only a look-up with found: false is believed.' },
  { answer: '409', meaning: 'The user in the way is looked up. It is adopted, or the change waits or parks.' },
  { answer: 'any other 4xx', meaning: 'The change of that user parks, with the first 1 KiB of your words.' },
  {
    answer: 'five users in a row refused alike, with no success between',
    meaning: 'Forwarding pauses: it looks misconfigured.',
  },
];

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;border-bottom:1px solid #8886;padding:.4rem .6rem .4rem 0}
pre{overflow-x:auto;padding:.6rem;border:1px solid #8886}code{font-size:.95em}`;

/** Renders the page `/docs/platform`. */
export function platformPage(): string {
  const calls = Object.entries(platformApi().paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { summary } = operation as { summary: string };
      return `<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${summary}.</td></tr>`;
    }),
  );
  const answers = ANSWERS.map(({ answer, meaning }) => `<tr><td>${answer}</td><td>${meaning}</td></tr>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The platform’s side – talent-bridge</title>
<style>${STYLE}</style></head>
<body><main><h1>The platform’s side</h1>
<p>For who builds the hiring platform. talent-bridge calls a users API of the platform. The same in machine form:
<a href="/docs/platform.json">platform.json</a> (OpenAPI 3.1).</p>
<h2>Calls</h2>
<table><tbody>${calls.join('\n')}</tbody></table>
<p>The paths of users and look-up are settings of the connection. Each customer has a key of its own
(<code>Authorization: Bearer …</code>), and the key decides whose users are meant.</p>
<pre>POST /v1/users
Authorization: Bearer …
Content-Type: application/json
Idempotency-Key: …
traceparent: 00-…

{"email":"ann@example.com","first_name":"Ann","last_name":"Other","role":"User","external_id":"00u1ab2cd3ef4GH5ij6"}</pre>
<h2>What each answer does</h2>
<table><thead><tr><th>answer</th><th>what it does</th></tr></thead><tbody>${answers.join('\n')}</tbody></table>
<h2>Idempotency-Key</h2>
<p>Each write has a key. A call whose outcome is unknown is repeated with the same key and the same bytes, before anything newer is
sent for that user. Answer a known key with the first answer, and do nothing a second time.</p>
<p>There is no upper bound after which a key cannot come again: a repetition waits as long as the platform is unavailable, and as
long as forwarding is paused. Keep keys for at least seven days. After that a repetition is still safe where a second create is 409
(the account is then looked up and adopted), an update carries the whole user, and a second deletion is 404.</p>
<h2>Order</h2>
<p>Calls for one user come one at a time, in order. Calls for different users come at once, up to the concurrency of the connection
(16 unless set), and have no order. Waiting changes of a user are one call. Leavers go first.</p>
<h2>Look-ups</h2>
<p><code>GET /v1/resolve?type=user&amp;external_id=</code> answers 200 with <code>{"found":true,"id":…,"type":"user"}</code> or
<code>{"found":false,"id":null,"type":"user"}</code>. <code>GET /v1/users?email=</code> answers a list, inactive users included. A user
who is found by <code>external_id</code> is adopted. A user who is found by e-mail is adopted only where it has no other
<code>external_id</code> and is no leaver’s.</p>
<h2>The list for imports</h2>
<p><code>GET /v1/users?limit=100&amp;cursor=</code> answers <code>{"data":[…],"next_cursor":…}</code>; <code>next_cursor</code> is null on the
last page. A page has at most 4 MiB. The list is read twice: active users first, then the others. A missing <code>status</code> counts
as active.</p>
<h2>Try it</h2>
<p><code>npx talent-bridge platform test --write</code> plays these calls with a throw-away user
(<code>talent-bridge-test-…@example.invalid</code>), deletes that user, and says of each answer what it needs.</p>
</main></body></html>
`;
}
