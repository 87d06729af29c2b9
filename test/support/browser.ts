import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of this machine, or null. `CHROMIUM` names one. */
function executable(): string | null {
  const named = process.env['CHROMIUM'];
  if (named) return named;
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const name of NAMES) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        continue; // not there
      }
    }
  }
  return null;
}

const found = executable();

/**
 * `describe` for tests in a real browser. Where there is none they are skipped, and it is said; with
 * `BROWSER_TESTS=required` (`.ci/run`) that is a failure.
 */
export const describeInBrowser =
  found !== null || process.env['BROWSER_TESTS'] === 'required' ? describe : describe.skip;

if (found === null && process.env['BROWSER_TESTS'] !== 'required') {
  process.stderr.write(
    'No Chromium on this machine: the browser tests are skipped. Install one, or name it in CHROMIUM.\n',
  );
}

export function launch(): Promise<Browser> {
  if (found === null) throw new Error('No Chromium was found; install it, or name it in CHROMIUM.');
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
