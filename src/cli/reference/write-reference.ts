// `npm run docs:reference`: writes docs/reference and the operations of the command line from the code. It runs in a clone,
// from dist. With `--check` it writes nothing, and fails where a file is not what the code says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'reflect-metadata';
import { makeFolder } from '../../base/make-folder.js';
import { apiDescription } from '../../start/api-description.js';
import { operationsFile, operationsOf } from './operations.mapping.js';

const root = path.resolve(import.meta.dirname, '../../..');
const isCheck = process.argv.includes('--check');

/** Writes a file, or says that it is not what the code says. */
function put(place: string, text: string): void {
  const file = path.join(root, place);
  if (!isCheck) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.exitCode = 1;
    process.stderr.write(`${place} is not what the code says: npm run docs:reference\n`);
  }
}

const operations = operationsFile(operationsOf(await apiDescription()));
// The commands are made from the operations: both places have to be new before the pages are.
for (const place of ['src', 'dist']) put(`${place}/cli/api/operations.json`, operations);
const { referencePages } = await import('./pages.js');
makeFolder(path.join(root, 'docs/reference'));
const pages = referencePages(readFileSync(path.join(root, 'src/base/config/environment.ts'), 'utf8'));
for (const [name, text] of Object.entries(pages)) put(`docs/reference/${name}`, text);
