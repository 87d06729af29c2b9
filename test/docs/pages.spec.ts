import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '../../src/cli/program.js';
import { optionsOf } from '../../src/cli/command/wait.js';
import { optionOf } from '../../src/cli/command/command.js';
import { EVENT_NAMES, EVENTS } from '../../src/engine/events/catalogue.js';
import { pictureOf } from '../../src/operations/docs/site/markdown.mapping.js';
import { anchorsOf, blocksOf, linksOf, PAGES, read, ROOT } from './documents.js';

const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** Addresses that only the running service has. */
const SERVED = ['/docs/api', '/docs/platform.json', '/docs/interview-engine.json'];

it('README.md has at most 8 KB', () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(8 * 1024);
});

it('docs/diagrams has a picture of each diagram, and no other (npm run docs:diagrams)', () => {
  const diagrams = PAGES.filter((page) => page.startsWith('docs/')).flatMap((page) => blocksOf(page, 'mermaid'));
  const pictures = diagrams.map((text) => pictureOf(text.replace(/\n$/, '')));
  expect(readdirSync(path.join(ROOT, 'docs/diagrams')).sort()).toEqual(pictures.sort());
  for (const picture of pictures) {
    const svg = read(`docs/diagrams/${picture}`);
    expect(svg).toMatch(/^<svg .*color-scheme:light dark/);
    expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org)|<script|@import/);
  }
});

it.each(PAGES)('%s links to files and headings that exist', (page) => {
  for (const link of linksOf(page)) {
    if (/^https?:/.test(link)) continue;
    if (link.startsWith('/')) {
      expect(SERVED).toContain(link);
      continue;
    }
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
    expect([page, link, existsSync(path.join(ROOT, target))]).toEqual([page, link, true]);
    if (anchor !== undefined) expect([page, link, anchorsOf(target).has(anchor)]).toEqual([page, link, true]);
  }
});

it('every page can be reached from docs/README.md', () => {
  const reached = new Set<string>();
  const visit = (page: string) => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const link of linksOf(page)) {
      const target = path.posix.join(path.posix.dirname(page), link.split('#')[0]!);
      if (PAGES.includes(target)) visit(target);
    }
  };
  visit('docs/README.md');
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

it.each(PAGES.filter((page) => page !== 'CHANGELOG.md'))('%s names scripts, files and tests that exist', (page) => {
  const text = read(page);
  const scripts = [...text.matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map(([, name]) => name!);
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  const files = [...text.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, name]) => name!);
  const tests = [...text.matchAll(/npm test -- ([\w/. -]+)/g)].flatMap(([, names]) => names!.trim().split(' '));
  for (const name of [...files, ...tests]) {
    const found = [name, `${name}.spec.ts`, `${name}.db.spec.ts`, `${name}.api.spec.ts`].some((one) =>
      existsSync(path.join(ROOT, one)),
    );
    expect([name, found]).toEqual([name, true]);
  }
});

it.each(PAGES.filter((page) => page !== 'CHANGELOG.md'))('%s names commands and options that exist', (page) => {
  const joined = read(page).replaceAll(/\\\n\s*/g, ' ');
  for (const [, words] of joined.matchAll(/npx talent-bridge ([^\n`|#]+)/g)) {
    if (words!.startsWith('--help') || words!.startsWith('<')) continue;
    const [noun = '', verb = '', below = ''] = words!.trim().split(/[\s;,:)]+/);
    const command =
      COMMANDS.find((one) => one.noun === noun && one.verb === `${verb} ${below}`) ??
      COMMANDS.find((one) => one.noun === noun && one.verb === verb) ??
      COMMANDS.find((one) => one.noun === noun && one.verb === '');
    expect([page, words, command !== undefined]).toEqual([page, words, true]);
    const known = ['--json', '--tenant', ...optionsOf(command!).map(({ name }) => optionOf(name))];
    const used = [...words!.matchAll(/\s(--[a-z-]+)/g)].map(([, option]) => option!);
    expect([page, words, used.filter((option) => !known.includes(option))]).toEqual([page, words, []]);
  }
  // Commands in the text, without the name of the program: of a known noun the verb has to exist.
  for (const [, noun, verb] of joined.matchAll(/`([a-z]+(?:-[a-z]+)*) ([a-z]+(?:-[a-z]+)*)(?: [^`\n]*)?`/g)) {
    const verbs = COMMANDS.filter((one) => one.noun === noun && one.verb !== '').map((one) => one.verb.split(' ')[0]);
    if (verbs.length > 0) expect([page, noun, verbs]).toEqual([page, noun, expect.arrayContaining([verb])]);
  }
});

it('docs/run/metrics.md has every metric, and no other', () => {
  const sources = [
    'src/operations/metrics.ts',
    'src/operations/metrics.ts',
    'src/engine/delivery/pump/delivery.metrics.ts',
    'src/engine/work/work.engine.ts',
    'src/auth/sign-in/log/sign-in-log.ts',
    'src/directory-sync/users/held/held.service.ts',
    'src/tenancy/tenants/storage/storage.service.ts',
    'src/overview/requests/request-rows.ts',
  ];
  const real = sources.flatMap((file) => [...read(file).matchAll(/'(bridge_\w+)'/g)].map(([, name]) => name!));
  const rows = read('docs/run/metrics.md').matchAll(/^\| `(bridge_\w+)` +\| (?:histogram|gauge|counter) /gm);
  expect([...rows].map(([, name]) => name).sort()).toEqual([...new Set(real)].sort());
  for (const page of PAGES) {
    const named = [...read(page).matchAll(/\b(bridge_[a-z_]+)/g)].map(([, name]) => name!);
    expect([page, named.filter((name) => !real.includes(name))]).toEqual([page, []]);
  }
});

it('every alarm has a page, and every page of the runbook has an alarm', () => {
  const pagesOf = (page: string) =>
    new Set(linksOf(page).flatMap((link) => /(?:^|runbook\/)([a-z-]+)\.md$/.exec(link)?.[1] ?? []));
  const runbook = PAGES.flatMap((page) => /^docs\/runbook\/([a-z-]+)\.md$/.exec(page)?.[1] ?? []);
  expect(pagesOf('docs/runbook/README.md')).toEqual(new Set(runbook));
  const alarmed = pagesOf('docs/run/metrics.md');
  // A full disk is a reason of /readyz; its page is linked from there.
  for (const page of pagesOf('docs/runbook/not-ready.md')) alarmed.add(page);
  expect(runbook.filter((page) => !alarmed.has(page))).toEqual([]);
  for (const page of runbook) {
    expect(read(`docs/runbook/${page}.md`)).toMatch(/\*\*Alarm\*\*: [\s\S]+\*\*Effect\*\*: /);
  }
});

it('every event that asks for an action is an alarm', () => {
  const text = read('docs/run/metrics.md');
  const urgent = EVENT_NAMES.filter((name) => EVENTS[name].severity !== 'info');
  expect(urgent.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('the pages of IdPs have the steps, the requests that arrive and the field to change', () => {
  for (const page of PAGES.filter((one) => /^docs\/connect\/[a-z]/.test(one))) {
    expect([page, read(page)]).toEqual([page, expect.stringMatching(/^## (What goes wrong)$/m)]);
    expect([page, /^\| *what you see +\| cause +\| change +\|$/m.test(read(page))]).toEqual([page, true]);
  }
});

it('docs describe how the service is run', async () => {
  const { NODE_FLAGS } = (await import(path.join(ROOT, 'scripts/node-flags.mjs'))) as { NODE_FLAGS: string[] };
  expect(read('docs/run/install.md')).toContain(`\`${['node', ...NODE_FLAGS, 'dist/main.js'].join(' ')}\``);
});
