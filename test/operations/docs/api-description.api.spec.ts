import { sharedApp, type TestApp } from '../../support/app.js';
import { send } from '../../support/http.js';
import { declaredRoutes } from '../../support/routes.js';
import { newHouse } from '../../support/house.js';

interface Described {
  openapi: string;
  info: { license?: { name: string; url?: string; identifier?: string } };
  servers: { url: string }[];
  paths: Record<string, Record<string, { security?: object[] }>>;
}

let service: TestApp;
let description: Described;
beforeAll(async () => {
  service = await sharedApp();
  description = (await send('GET', `${service.url}/docs/openapi.json`, null)).body as Described;
});
afterAll(() => service.close());

/** Every reference below a value. */
function references(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === '$ref' && typeof one === 'string' ? [one] : references(one),
  );
}

it('each reference leads to a part of the description', () => {
  const resolve = (ref: string) =>
    ref.slice(2).split('/').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], description); // prettier-ignore
  const all = [...new Set(references(description))];
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((ref) => !ref.startsWith('#/') || resolve(ref) === undefined)).toEqual([]);
});

it('each operation names its credential, and an open operation has an empty list', () => {
  const demands = new Map(
    declaredRoutes(service.app.nest).map(({ method, paths, demand }) => [
      `${method} ${paths[0]!.replace(/:(\w+)/g, '{$1}')}`,
      demand,
    ]),
  );
  const wrong = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method, { security }]) => {
        const demand = demands.get(`${method.toUpperCase()} ${path}`);
        return security === undefined || (demand !== undefined && security.length === 0);
      })
      .map(([method]) => `${method} ${path}`),
  );
  expect(wrong).toEqual([]);
});

it('has a licence, and the address of the installation as its server', () => {
  expect(description.info.license).toMatchObject({ name: 'MIT', url: expect.stringMatching(/^https:/) });
  expect(description.servers.map(({ url }) => url)).toEqual([service.app.config.apiBaseUrl]);
});

it('`by-external-id` is never an id, also before words that are parts of other addresses', async () => {
  const house = await newHouse(service);
  const body = { first_name: 'Ada', last_name: 'King' };
  for (const word of ['history', 'explain', 'sessions', 'identities']) {
    const made = await house.api.put(`/users/by-external-id/${word}`, { ...body, email: `${word}@example.com` });
    expect([made.status, made.body.external_id, made.body.id]).toEqual([201, word, expect.stringMatching(/^usr_/)]);
    expect((await house.api.get(`/users/by-external-id/${word}`)).status).toBeGreaterThanOrEqual(404);
  }
});
