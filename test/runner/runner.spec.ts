import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONFIG = {
  rootDir: ROOT,
  runner: '<rootDir>/test/runner/runner.mjs',
  roots: ['<rootDir>/test/runner/samples'],
  testRegex: '\\.sample\\.ts$',
  testTimeout: 60_000,
};

interface Told {
  success: boolean;
  testResults: { name: string; status: string; assertionResults: { title: string; status: string }[] }[];
}

/** Runs the samples by jest in one worker. */
function told(...args: string[]): Told {
  const jest = [path.join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(CONFIG), '--json', '-i'];
  const { stdout } = spawnSync(process.execPath, [...jest, ...args], { encoding: 'utf8' });
  return JSON.parse(stdout) as Told;
}

/** The pattern of a sample. jest looks for it in the whole path, to which the folder of the project belongs. */
const patternOf = (name: string): string => `/samples/${name}\\.sample`;

describe('the runner of the tests', () => {
  const all = told();
  const statusOf = (file: string) => all.testResults.find(({ name }) => name.endsWith(`/${file}.sample.ts`))?.status;
  const tests = all.testResults.flatMap(({ assertionResults }) => assertionResults);

  it('reports each test that fails, and no other', () => {
    expect(all.success).toBe(false);
    expect(tests.filter(({ status }) => status === 'passed').map(({ title }) => title)).toHaveLength(6);
    for (const { title, status } of tests) {
      const wanted = title.startsWith('fine') ? 'passed' : title === 'skipped' ? 'pending' : 'failed';
      expect([title, status]).toEqual([title, wanted]);
    }
    expect(tests.filter(({ status }) => status === 'failed')).toHaveLength(8);
  });

  it.each(['failing', 'after-all', 'rejection', 'exit', 'no-module'])('reports the file %s as failed', (file) => {
    expect(statusOf(file)).toBe('failed');
  });

  it.each(['one', 'other'])('gives the file %s the variables of the process', (file) => {
    expect(statusOf(file)).toBe('passed');
  });

  it('continues in a new process after a file that left much memory in use', () => {
    const { success, testResults } = told('--workerIdleMemoryLimit=1MB', patternOf('one'), patternOf('other'));
    expect([success, testResults.length]).toEqual([true, 2]);
  });

  it('runs only the tests of a name', () => {
    const { success, testResults } = told('-t', 'fine: the next one', patternOf('failing'));
    expect(success).toBe(true);
    expect(testResults[0]!.assertionResults.filter(({ status }) => status === 'passed')).toHaveLength(1);
  });
});
