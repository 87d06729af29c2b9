import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// A database that has run a migration never runs it again: what is added to it later is missing there for good. So a
// migration that has been on a main branch stays as it was, and what comes later has one of its own. (Blanks and line
// breaks do not count.)
const LANDED: Record<string, string> = {
  '1767225600000-create-tenants': 'ba179c98570591ee',
  '1767225660000-create-directories': 'ce8a6af72d256327',
  '1767225720000-create-users': 'da989c430f711f3d',
  '1767225780000-create-groups': '05216515c97c26a8',
  '1767225840000-create-seats': '065d2d0e65eb1a20',
  '1767225900000-create-delivery': 'b079c39289c248dc',
  '1767225960000-create-sign-in': 'f27864fffffa0304',
};
const FOLDER = path.resolve(import.meta.dirname, '../../../src/base/database/migrations');

function fingerprint(name: string): string {
  const text = readFileSync(path.join(FOLDER, `${name}.ts`), 'utf8').replace(/\s+/g, ' ');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

it('migrations that databases have run stay as they were', () => {
  expect(Object.fromEntries(Object.keys(LANDED).map((name) => [name, fingerprint(name)]))).toEqual(LANDED);
});

it('what is new comes after what is there', () => {
  const names = readdirSync(FOLDER)
    .map((file) => path.basename(file, '.ts'))
    .sort();
  expect(names.slice(0, Object.keys(LANDED).length)).toEqual(Object.keys(LANDED).sort());
});
