// `npm run docs:reference`: writes docs/reference from the code. It runs in a clone, from dist.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'reflect-metadata';
import { referencePages } from './pages.js';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
const variables = ['environment.ts', 'allow-environment.ts', 'ats-environment.ts'].map((name) =>
  readFileSync(path.join(root, 'src/base/config', name), 'utf8'),
);
const pages = referencePages(variables.join('\n'));
for (const [name, text] of Object.entries(pages)) writeFileSync(path.join(folder, name), text);
