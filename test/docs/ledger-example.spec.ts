import { spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canonicalJson } from '../../src/base/crypto/chain.js';
import { hashOf, seal, EMPTY_HEAD, type SealedEntry } from '../../src/seats/ledger/chain.rules.js';
import { blocksOf } from './documents.js';

const PAGE = 'docs/seats/ledger.md';
const [exported = '', heads = ''] = blocksOf(PAGE, 'json');
const [script = ''] = blocksOf(PAGE, 'js');
const lines = exported.trim().split('\n').map((line) => JSON.parse(line) as SealedEntry); // prettier-ignore

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-ledger-'));
  writeFileSync(path.join(folder, 'verify.mjs'), script);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the script of the page. */
function verify(exportText: string, headsText: string): { status: number | null; out: string } {
  writeFileSync(path.join(folder, 'export.ndjson'), exportText);
  writeFileSync(path.join(folder, 'heads.json'), headsText);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['verify.mjs', 'export.ndjson', 'heads.json'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return { status, out: `${stdout}${stderr}`.trim() };
}

it('the example has the hashes that the service computes', () => {
  expect(lines.map((line) => hashOf(line))).toEqual(lines.map(({ hash }) => hash));
  const entries = lines.map(({ sequence: _s, count_after: _c, effective_at: _e, previous_hash: _p, hash: _h, ...entry }) => entry); // prettier-ignore
  expect(seal(EMPTY_HEAD, entries)).toEqual(lines);
});

it('the text of the page has the canonical form and the hashes of the example', () => {
  const { previous_hash: _, hash: __, ...members } = lines[0]!;
  const texts = blocksOf(PAGE, 'text').map((text) => text.trim());
  expect(texts).toContain(canonicalJson(members));
  for (const { hash } of lines) expect(texts).toContain(hash);
});

it('the script accepts the example', () => {
  expect(verify(exported, heads)).toEqual({
    status: 0,
    out: `ok: 2 lines, 0 seats held, head ${lines[1]!.hash}`,
  });
});

it.each<[string, (text: string) => string, (text: string) => string, RegExp]>([
  ['a changed line', (t) => t.replace('CC-7', 'CC-8'), (t) => t, /line 1 was changed/],
  ['a missing line', (t) => `${t.trim().split('\n')[1]!}\n`, (t) => t, /line 1 is missing/],
  ['a cut tail', (t) => `${t.split('\n')[0]!}\n`, (t) => t, /line 2 differs, or is missing/],
  ['a changed head', (t) => t, (t) => t.replace('ten_01k7', 'ten_01k8'), /the signature is not valid/],
  ['a head by another key', (t) => t, withOtherKey, /the signature is not valid/],
])('the script finds %s', (_, changeExport, changeHeads, expected) => {
  const found = verify(changeExport(exported), changeHeads(heads));
  expect(found.status).toBe(1);
  expect(found.out).toMatch(expected);
});

function withOtherKey(text: string): string {
  const list = JSON.parse(text) as { data: { signed: string; signature: string }[] };
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  for (const head of list.data) head.signature = sign(null, Buffer.from(head.signed), key).toString('base64');
  return JSON.stringify(list);
}
