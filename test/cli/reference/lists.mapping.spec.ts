import { errorsPage, eventsPage, reasonsPage, scopesPage } from '../../../src/cli/reference/lists.mapping.js';

it('writes an event with its severity, the next step and an example', () => {
  const page = eventsPage({ 'a.b': { severity: 'info', runbook: 'Do it.', example: { n: 1 } } });
  expect(page).toContain('\n## a.b\n\nSeverity: `info`. Do it.\n\n```json\n{\n  "n": 1\n}\n```\n');
});

it('writes codes as headings, scopes and reasons as rows', () => {
  expect(errorsPage({ email_taken: 'Taken.' })).toContain('\n## email_taken\n\nTaken.\n');
  expect(scopesPage({ admin: 'All.' })).toContain('| `admin` | All. |');
  const said = () => ({ status: 403, title: 'No', said: 'Ask.', way: 'none' }) as const;
  expect(reasonsPage(['no_seat'], said)).toContain('| `no_seat` | 403 | **No.** Ask. |');
});
