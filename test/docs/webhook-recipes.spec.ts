import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// The recipes of the page run as they stand there, against the published vectors.
const page = readFileSync(path.join(import.meta.dirname, '../../docs/integrate/webhooks.md'), 'utf8');
const vectors = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../integrations/webhooks/cases/signatures.json'), 'utf8'),
) as Record<string, string>[];
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'webhook-recipes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const CASES = vectors.map((row) => ({
  secret: row['secret'],
  headers: {
    'webhook-id': row['webhook-id'],
    'webhook-timestamp': row['webhook-timestamp'],
    'webhook-signature': `v2,AAAA ${row['webhook-signature']}`,
  },
  body: row['body'],
  now: Number(row['webhook-timestamp']) + 300,
}));

it('verifies by hand in Node', async () => {
  const file = path.join(folder, 'verify.mjs');
  writeFileSync(
    file,
    `${blockOf('js')}
const cases = ${JSON.stringify(CASES)};
const good = cases.map(({ secret, headers, body, now }) => isGenuine(secret, headers, body, now));
const bad = cases.map(({ secret, headers, body, now }) => isGenuine(secret, headers, body + ' ', now));
const old = cases.map(({ secret, headers, body, now }) => isGenuine(secret, headers, body, now + 1));
const none = cases.map(({ secret, body, now }) => isGenuine(secret, { 'webhook-timestamp': String(now) }, body, now));
console.log(JSON.stringify([good, bad, old, none].map((all) => [...new Set(all)])));`,
  );
  expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim()).toBe('[[true],[false],[false],[false]]');
});

/** Without the program a recipe cannot run; `.ci/run` installs it and asks for all of them. */
const recipeIn = (program: string, ask: string): typeof it =>
  process.env['RECIPE_TESTS'] === 'required' || spawnSync(program, [ask]).status === 0 ? it : it.skip;

recipeIn('python3', '--version')('verifies by hand in Python', () => {
  const file = path.join(folder, 'verify.py');
  writeFileSync(path.join(folder, 'cases.json'), JSON.stringify(CASES));
  writeFileSync(
    file,
    `${blockOf('python')}
import json
cases = json.load(open(${JSON.stringify(path.join(folder, 'cases.json'))}))
run = lambda more, late: sorted({is_genuine(c["secret"], c["headers"], c["body"].encode() + more, c["now"] + late) for c in cases})
none = sorted({is_genuine(c["secret"], {"webhook-timestamp": str(c["now"])}, c["body"].encode(), c["now"]) for c in cases})
print(run(b"", 0), run(b" ", 0), run(b"", 1), none)`,
  );
  expect(execFileSync('python3', [file], { encoding: 'utf8' }).trim()).toBe('[True] [False] [False] [False]');
});

recipeIn('openssl', 'version')('signs by hand in a shell', () => {
  for (const row of vectors) {
    writeFileSync(path.join(folder, 'body'), row['body']!);
    const env = { SECRET: row['secret'], ID: row['webhook-id'], TIMESTAMP: row['webhook-timestamp'] };
    const out = execFileSync('bash', ['-c', blockOf('bash')], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    });
    expect([row['row'], out.trim()]).toEqual([row['row'], row['webhook-signature']]);
  }
});
