import { BODY_EXAMPLES } from '../../../src/operations/docs/body-examples.js';
import { PARAMETER_TEXTS } from '../../../src/operations/docs/operation-words.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { Description } from '../../support/description.js';
import { send } from '../../support/http.js';

interface Media {
  schema?: { $ref?: string };
  example?: unknown;
}
interface Shown {
  tags?: string[];
  parameters?: { name: string; in: string; description?: string }[];
  requestBody?: { content: Record<string, Media> };
}

let app: TestApp;
let api: Description;
let tags: { name: string; description: string }[];
let operations: { address: string; shown: Shown }[];
beforeAll(async () => {
  app = await sharedApp();
  api = await Description.of(app.url);
  const { body } = await send('GET', `${app.url}/docs/openapi.json`, null);
  tags = body.tags;
  operations = Object.entries(body.paths as Record<string, Record<string, Shown>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, shown]) => ({ address: `${method.toUpperCase()} ${path}`, shown })),
  );
});
afterAll(() => app.close());

it('every parameter has a description', () => {
  const missing = operations.flatMap(({ address, shown }) =>
    (shown.parameters ?? []).filter((one) => !one.description?.trim()).map((one) => `${address} ${one.in} ${one.name}`),
  );
  expect(missing).toEqual([]);
});

it('every body has an example that the description accepts', () => {
  const problems = operations.flatMap(({ address, shown }) =>
    Object.entries(shown.requestBody?.content ?? {}).flatMap(([type, { example }]) => {
      if (example === undefined) return [`${address} ${type}: no example`];
      const [method = '', path = ''] = address.split(' ');
      const operation = api.operations.find((one) => one.method === method && one.path === path)!;
      return api.bodyProblems(operation, type, example).map((problem) => `${address} ${type}: ${problem}`);
    }),
  );
  expect(problems).toEqual([]);
});

it('every operation is in one group, and every group has operations, a name for readers and a description', () => {
  const used = new Set(operations.flatMap(({ shown }) => shown.tags ?? []));
  expect(operations.filter(({ shown }) => shown.tags?.length !== 1).map(({ address }) => address)).toEqual([]);
  expect([...used].sort()).toEqual(tags.map(({ name }) => name).sort());
  for (const { name, description } of tags) {
    expect(name).toMatch(/^[A-Z][A-Za-z -]+$/);
    expect(description).toMatch(/\S+ \S+/);
  }
});

it('uses every text and every example', () => {
  const schemas = new Set<string>();
  const parameters = new Set<string>();
  for (const { address, shown } of operations) {
    schemas.add(address);
    for (const { schema } of Object.values(shown.requestBody?.content ?? {})) schemas.add(schema?.$ref?.split('/').at(-1) ?? ''); // prettier-ignore
    for (const one of shown.parameters ?? []) parameters.add(`${one.in} ${one.name}`).add(`${address} ${one.in} ${one.name}`); // prettier-ignore
  }
  expect(Object.keys(BODY_EXAMPLES).filter((name) => !schemas.has(name))).toEqual([]);
  expect(Object.keys(PARAMETER_TEXTS).filter((name) => !parameters.has(name))).toEqual([]);
});
