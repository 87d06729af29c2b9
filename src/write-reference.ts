// `npm run docs:reference`: writes docs/reference from the code. It runs in a clone, from dist.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'reflect-metadata';
import { referencePages } from './operations/docs/reference/pages.js';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
const pages = referencePages(readFileSync(path.join(root, 'src/base/config/environment.ts'), 'utf8'));
for (const [name, text] of Object.entries(pages)) writeFileSync(path.join(folder, name), text);
