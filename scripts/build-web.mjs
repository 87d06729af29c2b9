// Makes the console of `web`: hashed files, each beside its compressed forms, and the document that loads them.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');
const OUT = path.join(ROOT, 'web/dist/console');

/** Makes `web/dist/console`. Returns what the bundler knows of the files, by their names. */
export async function buildWeb() {
  await rm(OUT, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { console: 'web/console/main.tsx' },
    outdir: 'web/dist/console',
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    target: ['chrome126', 'firefox128', 'safari18'],
    define: { 'process.env.NODE_ENV': '"production"' },
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const outputs = Object.fromEntries(
    Object.entries(metafile.outputs).map(([file, output]) => [path.basename(file), output]),
  );
  await writeFile(
    path.join(OUT, 'index.html'),
    documentOf(await readFile(path.join(ROOT, 'web/console/index.html'), 'utf8'), outputs),
  );
  await Promise.all(['index.html', ...Object.keys(outputs)].map(compress));
  return outputs;
}

/** Puts the addresses of the first files into the document: the program, its styles, and the parts that it imports. */
function documentOf(html, outputs) {
  const [main, { cssBundle, imports }] = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint === 'web/console/main.tsx',
  );
  const first = imports.filter(({ kind }) => kind === 'import-statement').map((part) => path.basename(part.path));
  const at = (file) => `/console/assets/${path.basename(file)}`;
  return html.replace(
    '<!--files-->',
    [
      `<link rel="stylesheet" href="${at(cssBundle)}" />`,
      ...first.map((file) => `<link rel="modulepreload" href="${at(file)}" />`),
      `<script type="module" src="${at(main)}"></script>`,
    ].join('\n    '),
  );
}

async function compress(name) {
  const file = path.join(OUT, name);
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

if (process.argv[1] === import.meta.filename) await buildWeb();
