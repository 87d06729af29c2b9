import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { until } from '../../support/ats.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

const PROCESS = path.join(import.meta.dirname, 'killed.mjs');
const ALL = ['alone a', 'calls c', 'local l', 'sweep '];
let database: TestDatabase;
const children: ChildProcess[] = [];
beforeAll(async () => {
  database = await testDatabase();
  await database.owner.execute(
    `create table pieces (tenant_id text collate "C", kind text, id text collate "C", since timestamptz default now());
     create table marks (process text, kind text, id text, at timestamptz default clock_timestamp());
     insert into pieces (tenant_id, kind, id) values ('ten_1', 'local', 'l'), ('ten_2', 'alone', 'a'), ('ten_3', 'calls', 'c');
     grant all on pieces, marks to talent_bridge_service`,
  );
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database.close();
});

const start = (name: string, ending: 'never' | 'soon'): ChildProcess => {
  const child = spawn(process.execPath, [PROCESS, database.url, name, ending], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.push(child);
  return child;
};
const marksOf = async (name: string): Promise<string[]> =>
  (
    await database.owner.execute<{ mark: string }>(
      `select kind || ' ' || id as mark from marks where process = $1 order by 1`,
      [name],
    )
  ).rows.map(({ mark }) => mark);

it('continues the work of a killed process within twenty seconds, each piece once, and not while that process lives', async () => {
  const first = start('first', 'never');
  await until(async () => (await marksOf('first')).length === ALL.length, 30_000);
  start('second', 'soon');
  // Longer than a lease: the heartbeat of the first process renews it.
  await new Promise((resolve) => setTimeout(resolve, 18_000));
  expect(await marksOf('second')).toEqual([]);
  expect(await marksOf('first')).toEqual(ALL);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const began = performance.now();
  await until(async () => (await marksOf('second')).length === ALL.length, 20_000);
  expect(performance.now() - began).toBeLessThan(20_000);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await marksOf('second')).toEqual(ALL);
}, 120_000);
