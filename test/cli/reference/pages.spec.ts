import { errorsPage, eventsPage, reasonsPage, scopesPage, cliPage } from '../../../src/cli/reference/pages.js';

describe('lists', () => {
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
});

describe('cli', () => {
  it('writes a heading for each command, with its argument and options', () => {
    const page = cliPage({
      commands: [
        {
          noun: 'user',
          verb: 'find',
          description: 'Finds users',
          argument: { name: 'text', required: true, description: 'a name' },
          options: [
            { name: 'state', description: 'which', choices: ['a', 'b'], required: true, conflicts: ['all_users'] },
            { name: 'all_users', description: 'all', flag: true },
          ],
          run: () => Promise.resolve(undefined),
        },
        { noun: 'status', verb: '', description: 'Is it up', run: () => Promise.resolve(undefined) },
      ],
      nouns: { user: 'users' },
      after: 'AFTER',
    });
    for (const part of [
      '## user\n\nusers.\n',
      '### user find\n\n`npx talent-bridge user find <text>`: Finds users.\n',
      '| `<text>` | a name |',
      '| `--state <state>` | which; one of `a`, `b`; required; not with `--all-users` |',
      '| `--all-users` | all |',
      '## status\n\n`npx talent-bridge status`: Is it up.\n',
      '```text\nAFTER\n```',
    ]) {
      expect(page).toContain(part);
    }
  });
});
