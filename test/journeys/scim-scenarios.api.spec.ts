import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Profile } from '../../src/protocols/scim/dialects/dialects.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { patience } from '../support/speed.js';

const RUNNER = path.resolve(import.meta.dirname, '../../scripts/run-scim.mjs');

/** Written for servers that are lenient: what a `strict` directory refuses in them, and why. */
const NOT_FOR_STRICT: Record<string, string> = {
  'rfc-message-schemas': 'names no schema of the message, or another one',
  'rfc-patch-add': 'adds attributes without a path',
  'rfc-patch-enterprise-extension': 'adds the extension without a path',
  'rfc-patch-replace': 'replaces attributes without a path',
};

interface Scenario {
  name: string;
  ok?: boolean;
  skipped?: string;
  steps?: { index: number; note?: string; ok: boolean; skipped: boolean; errors: string[]; response?: string }[];
}

let service: TestApp;
let folder: string;
beforeAll(async () => {
  service = await sharedApp();
  folder = mkdtempSync(path.join(os.tmpdir(), 'scenarios-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the scenarios whose name has `only` in it against a new directory of the given profile. */
async function run(profile: Profile, only: string): Promise<Scenario[]> {
  const { scimToken } = await service.newTenant({ profile });
  const report = path.join(folder, `${profile}-${only}.json`);
  const args = [RUNNER, '--base', `${service.url}/scim/v2`, '--token', scimToken, '--json', report];
  // It ends with 1 where a step fails; the report says which.
  await promisify(execFile)(process.execPath, [...args, '--only', only], { env: { NODE_OPTIONS: '' } }).catch(
    (error: { code?: number }) => {
      if (error.code !== 1) throw error;
    },
  );
  return (JSON.parse(readFileSync(report, 'utf8')) as { results: Scenario[] }).results;
}

function failures(scenarios: Scenario[]): string[] {
  return scenarios.flatMap((each) =>
    each.skipped !== undefined
      ? [`${each.name}: left out, ${each.skipped}`]
      : each
          .steps!.filter((step) => !step.ok && !step.skipped)
          .map(
            (step) => `${each.name} ${step.index} ${step.note ?? ''}: ${step.errors.join('; ')} ${step.response ?? ''}`,
          ),
  );
}

describe('scenarios of IdPs, step by step', () => {
  it(
    'pass in a tolerant directory',
    async () => {
      const scenarios = await run('tolerant', '');
      expect(scenarios.length).toBeGreaterThan(70);
      expect(failures(scenarios)).toEqual([]);
    },
    patience(300_000),
  );

  it.each(['entra', 'okta'] as const)('pass in a directory with the profile %s', async (idp) => {
    const scenarios = await run(idp, `${idp}-`);
    expect(scenarios.length).toBeGreaterThan(6);
    expect(failures(scenarios)).toEqual([]);
  });

  it('pass in a strict directory when they follow the RFC', async () => {
    const scenarios = await run('strict', 'rfc');
    expect(scenarios.length).toBeGreaterThan(30);
    expect(failures(scenarios.filter(({ name }) => NOT_FOR_STRICT[name] === undefined))).toEqual([]);
    // A scenario that passes is on that list no more.
    const refused = scenarios.filter(({ name, ok }) => NOT_FOR_STRICT[name] !== undefined && !ok);
    expect(refused.map(({ name }) => name).sort()).toEqual(Object.keys(NOT_FOR_STRICT).sort());
  });
});
