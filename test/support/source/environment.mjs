// The environment of a spec file: that of jest, and the source as one file that is compiled once for all files of a worker.
import { readFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { FOLDER, SHARED } from './bundle.mjs';

const FILE = path.join(FOLDER, 'source.cjs');
const load = createRequire(FILE);
let script;

/** The code is shared, and what it makes is not: each spec file evaluates the modules that it needs in a context of its own. */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    let modules;
    const { global } = this;
    const sandbox = this.context;
    global[Symbol.for('source of specs')] = (name) => {
      modules ??= evaluated(sandbox, global);
      return modules[name]();
    };
  }
}

function evaluated(context, { process }) {
  script ??= new vm.Script(readFileSync(FILE, 'utf8'), {
    filename: FILE,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  // Packages that load others by name get those of this context, so that classes and metadata are the same ones.
  const require = (name) => {
    if (/^(?:node:)?process$/.test(name)) return process;
    if (/^(?:node:)?module$/.test(name)) return { ...nodeModule, createRequire: loader };
    const shared = SHARED.find((one) => one === name || one === `${name}.js`);
    if (shared === undefined) return load(name);
    const found = module.exports[shared]();
    return found.default ?? found;
  };
  const loader = (from) => Object.assign((name) => require(name), { resolve: createRequire(from).resolve });
  script.runInContext(context)(loader(FILE), module, pathToFileURL(FILE).href);
  return module.exports;
}
