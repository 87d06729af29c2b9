import { FAVICON } from '../base/http/html.js';
import { FAULT_MODES, type Faults, type JournalEntry, type SandboxUser } from './sandbox-journal.js';

const SHOWN_USERS = 200;

const STYLE = `
:root{color-scheme:light dark;--line:#8883;--dim:#888;--bad:#c33;--good:#283}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:24px}
h1{font-size:22px;margin:0}h2{font-size:16px;margin:28px 0 8px}
p{color:var(--dim);margin:4px 0 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th{text-align:left;font-weight:600;color:var(--dim);white-space:nowrap}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
code{font:12px ui-monospace,monospace}
.text{display:block;min-width:14em;overflow-wrap:anywhere}
form{display:flex;flex-wrap:wrap;gap:12px;align-items:end;border:1px solid var(--line);border-radius:8px;padding:12px}
label{display:grid;gap:4px;font-size:12px;color:var(--dim)}
input,select,button{font:inherit;padding:4px 8px}input{width:7em}
.bad{color:var(--bad)}.good{color:var(--good)}.dim{color:var(--dim)}`;

/** In the page: this program answers the calls of a platform, and nothing else. */
const ICON = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(FAVICON)}">`;

/** Returns the page of received requests: HTML without scripts, with escaped text. */
export function sandboxPage(
  users: readonly { space: string; user: SandboxUser }[],
  calls: readonly JournalEntry[],
  faults: Faults,
): string {
  const latest = [...users].sort((a, b) => (a.user.updated_at < b.user.updated_at ? 1 : -1)).slice(0, SHOWN_USERS);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3"><title>Sandbox platform</title>${ICON}<style>${STYLE}</style></head><body>
<h1>Sandbox platform</h1>
<p>A stand-in for the hiring platform. What talent-bridge forwards arrives here; this page reloads automatically.</p>
<h2>Faults</h2>${faultForm(faults)}
<h2>Users (${users.length})</h2>
${table(
  ['Name', 'E-mail', 'Role', 'External id', 'Status', 'Updated', 'Id'],
  latest.map(({ user }) => userRow(user)),
)}
<h2>Last calls</h2>
${table(['#', 'Time', 'Call', 'Status', 'What it did', 'Body', 'Idempotency-Key'], calls.map(callRow))}
</body></html>`;
}

function userRow(user: SandboxUser): string[] {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  return [
    escape(name),
    `<span class="text">${escape(user.email)}</span>`,
    escape(user.role),
    escape(user.external_id ?? ''),
    `<span class="${user.status === 'active' ? 'good' : 'dim'}">${user.status}</span>`,
    time(user.updated_at),
    `<code>${escape(user.id)}</code>`,
  ];
}

function callRow(call: JournalEntry): string[] {
  const did = call.fault ?? (call.replayed ? 'same answer again' : call.applied ? 'applied' : '');
  return [
    String(call.seq),
    time(call.at.toISOString()),
    `<code>${escape(`${call.method} ${call.path}`)}</code>`,
    `<span class="${(call.status ?? 500) < 300 ? 'good' : 'bad'}">${call.status ?? '–'}</span>`,
    `<span class="${call.fault ? 'bad' : ''}">${escape(did)}</span>`,
    `<code class="text">${escape(call.body.slice(0, 400))}</code>`,
    `<code class="dim">${escape(call.idempotency_key ?? '')}</code>`,
  ];
}

function faultForm(faults: Faults): string {
  const options = FAULT_MODES.map((mode) => `<option${mode === faults.mode ? ' selected' : ''}>${mode}</option>`);
  const field = (label: string, name: string, value: string): string =>
    `<label>${label}<input name="${name}" value="${escape(value)}"></label>`;
  return `<form method="post" action="/faults">
<label>What goes wrong<select name="mode">${options.join('')}</select></label>
${field('Share of requests (0–1)', 'rate', String(faults.rate))}
${field('Delay (ms)', 'delay_ms', String(faults.delay_ms))}
${field('Retry-After (s)', 'retry_after', faults.retry_after === null ? '' : String(faults.retry_after))}
<button>Set</button></form>`;
}

function table(heads: readonly string[], rows: readonly string[][]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body || '<tr><td class="dim">Nothing yet.</td></tr>'}</tbody></table></div>`;
}

function time(iso: string): string {
  return `<span title="${escape(iso)}">${escape(iso.slice(11, 19))}</span>`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
