import type { OpenAPIObject } from '@nestjs/swagger';
import { OPERATIONS } from '../../src/cli/api/operations.js';
import { madeCommands } from '../../src/cli/made/made-commands.js';
import { ELSEWHERE, COMMANDS } from '../../src/cli/program.js';
import { operationsFile, operationsOf } from '../../src/cli/reference/operations.mapping.js';
import { FACTS } from '../../src/cli/table/facts.js';
import { read } from '../docs/documents.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { long } from '../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

long('src/cli/api/operations.json is what the service says (else: npm run docs:reference)', async () => {
  const document = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as OpenAPIObject;
  expect(read('src/cli/api/operations.json')).toBe(operationsFile(operationsOf(document)));
  expect(OPERATIONS.length).toBeGreaterThan(200);
});

it('every operation has its command, or another one is named for it', () => {
  const calls = OPERATIONS.map(({ call }) => call);
  expect(Object.keys(ELSEWHERE).filter((call) => !calls.includes(call))).toEqual([]);
  const made = madeCommands(OPERATIONS, FACTS, ELSEWHERE).map(({ noun, verb }) => `${noun} ${verb}`.trim());
  const all = COMMANDS.map(({ noun, verb }) => `${noun} ${verb}`.trim());
  expect(calls.length - Object.keys(ELSEWHERE).length).toBeGreaterThan(150);
  expect(all).toEqual(expect.arrayContaining(made));
  // Two operations with one name need names in the table.
  expect(all.filter((name, place) => all.indexOf(name) !== place)).toEqual([]);
  for (const [call, words] of Object.entries(ELSEWHERE)) {
    const [noun = '', verb = ''] = words.split(/[ ,]/);
    const isNamed = COMMANDS.some((one) => one.noun === noun);
    if (isNamed)
      expect([call, all.some((name) => name === noun || name.startsWith(`${noun} ${verb}`))]).toEqual([call, true]);
  }
});

it('every row of the table belongs to a command, and names options of its noun', () => {
  const made = madeCommands(OPERATIONS, FACTS, ELSEWHERE);
  const names = made.map(({ noun, verb }) => `${noun} ${verb}`.trim());
  for (const [name, { options = {} }] of Object.entries(FACTS)) {
    expect(names).toContain(name);
    const ofNoun = made.filter(({ noun }) => noun === name.split(' ')[0]).flatMap((one) => one.options ?? []);
    const known = new Set(ofNoun.map((option) => option.name));
    expect([name, Object.keys(options).filter((option) => !known.has(option))]).toEqual([name, []]);
  }
});
