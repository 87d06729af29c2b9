// `npm run bench:ablate`: what each fast path brings now, with the others in place. The service and the service without one
// path take turns on each row; the figure is the part of its rate that the row loses. `npm run bench:ablate -- marks` measures
// the paths whose names contain the word.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './contenders.mjs';
import { median } from './load.mjs';
import { PATHS } from './ablate/paths.mjs';
import { ROWS } from './ablate/rows.mjs';
import { buildWithout, startSide } from './ablate/side.mjs';

/** The first rounds are those in which V8 compiles the service. */
const WARM = 2;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SOURCE = path.resolve(import.meta.dirname, '../../src');

const word = process.argv[2]?.toLowerCase() ?? '';
const chosen = PATHS.filter(({ name }) => name.toLowerCase().includes(word));
if (chosen.length === 0) {
  console.error(`No fast path has "${word}" in its name. The names are:\n${PATHS.map(({ name }) => name).join('\n')}`);
  process.exit(2);
}

const linesOf = (file) => readFileSync(path.join(SOURCE, file), 'utf8').split('\n').length - 1;

console.log('| fast path | lines | row | a second with | without | loses |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const fastPath of chosen) {
  const { entry, remove } = await buildWithout(fastPath);
  const sides = [await startSide(), await startSide(entry)];
  const lines = fastPath.files.reduce((sum, file) => sum + linesOf(file), 0);
  for (const row of fastPath.rows) {
    const rates = [[], []];
    for (let round = 0; round < WARM + ROUNDS; round++) {
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const rate = await ROWS[row](sides[at], round, scaled);
        if (round >= WARM) rates[at].push(rate);
        await sides[at].settled(sleep);
      }
    }
    // Two neighbouring turns share the state of the machine, so that their ratio is steadier than either rate.
    const ratio = median(rates[1].map((rate, i) => rate / rates[0][i]));
    const [with_, without] = rates.map((all) => Math.round(median(all)));
    console.log(
      `| ${fastPath.name} | ${lines} | ${row} | ${with_} | ${without} | ${Math.round((1 - ratio) * 100)} % |`,
    );
  }
  for (const side of sides) await side.stop();
  remove();
}
process.exit(0);
