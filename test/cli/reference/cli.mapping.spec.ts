import { cliPage } from '../../../src/cli/reference/cli.mapping.js';

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
