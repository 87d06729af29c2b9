import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run test:stock` alone runs this one. */
export const ELSEWHERE = 'test/base/database/plans.long.spec.ts';

/** All spec files, as paths from the root of the repository. */
export function specs() {
  return fs
    .readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
    .filter((file) => file.endsWith('.spec.ts'));
}

/**
 * What a spec, or a file of test that it imports, must not name to be pure: programs, servers, the database, a browser.
 */
const COSTLY =
  /from '(?:typescript|selfsigned|fast-check|axe-core|node:(?:child_process|http|https|net|tls|dgram|worker_threads)|@nestjs\/testing|pg|playwright-core|samlp|oidc-provider)'|support\/(?:app|admin-app|database|processes|browser|house|http)\.m?js'|\bdist\//;
/** Pure specs that take long: they measure times, generate RSA keys, or load nearly all of the source. */
const SLOW = new Set(['test/orders.spec.ts', 'test/protocols/oidc/client-keys.spec.ts', 'test/docs/reference.spec.ts']);

/** The specs that need no build, no database and no processes: their name has no suffix of cost, and they import no such thing. */
export function pureSpecs() {
  const known = new Map();
  const isCostly = (file) => {
    if (known.has(file)) return known.get(file);
    known.set(file, false);
    const text = fs.readFileSync(file, 'utf8');
    const costly =
      COSTLY.test(text) ||
      [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)]
        .map(([, specifier]) => path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')))
        .some(
          (imported) => imported.startsWith(path.join(ROOT, 'test')) && fs.existsSync(imported) && isCostly(imported),
        );
    known.set(file, costly);
    return costly;
  };
  return specs()
    .filter((file) => !/\.(?:api|db|long)\.spec\.ts$/.test(file))
    .filter((file) => !SLOW.has(file) && !isCostly(path.join(ROOT, file)));
}
