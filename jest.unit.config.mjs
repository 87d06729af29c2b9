import fs from 'node:fs';
import path from 'node:path';
import all from './jest.config.mjs';

// `npm run test:unit`: the pure specs alone, with no build, no database and no processes. The rule: a spec is pure if its
// name has no cost suffix, and neither it nor a file of test that it imports leads to one of these.
const COSTLY =
  /from '(?:typescript|selfsigned|fast-check|axe-core|node:(?:child_process|http|https|net|tls|dgram|worker_threads)|@nestjs\/testing|pg|playwright-core|samlp|oidc-provider)'|support\/(?:app|admin-app|database|processes|browser|house|http)\.m?js'|\bdist\//;
/** Pure specs that take long: they measure times, generate RSA keys, or load nearly all of the source. */
const SLOW = new Set([
  'test/linear-time.spec.ts',
  'test/orders.spec.ts',
  'test/saml/saml-flood.spec.ts',
  'test/oidc/client-keys.spec.ts',
  'test/docs/reference.spec.ts',
]);

const root = import.meta.dirname;
const known = new Map();

/** Returns whether a file of test, or one that it imports from test, needs more than the code under test. */
function isCostly(file) {
  if (known.has(file)) return known.get(file);
  known.set(file, false);
  const text = fs.readFileSync(file, 'utf8');
  const costly =
    COSTLY.test(text) ||
    [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)]
      .map(([, specifier]) => path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')))
      .some(
        (imported) => imported.startsWith(path.join(root, 'test')) && fs.existsSync(imported) && isCostly(imported),
      );
  known.set(file, costly);
  return costly;
}

const specs = fs
  .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
  .filter((file) => file.endsWith('.spec.ts') && !/\.(?:api|db)\.spec\.ts$/.test(file))
  .filter((file) => !SLOW.has(file) && !isCostly(path.join(root, file)));

const { globalSetup: _, globalTeardown: __, workerIdleMemoryLimit: ___, ...rest } = all;
export default { ...rest, testRegex: undefined, testMatch: specs.map((file) => `<rootDir>/${file}`) };
