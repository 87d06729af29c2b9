import { mock } from 'node:test';
import { Clock } from '../../src/base/clock.js';
import { startApp, type TestApp } from '../support/app.js';
import { long } from '../support/rounds.js';

interface Description {
  paths: Record<string, Record<string, { security?: unknown[] }>>;
}

/** Open addresses that the description of the API does not have. */
const PAGES = ['/', '/favicon.svg', '/docs', '/docs/start', '/docs/api', '/nowhere'];
/** Open addresses that are asked all the time, and have no allowance. */
const FREQUENT = /^\/(?:healthz|readyz|metrics|api\/webhooks\/|api\/auth\/sessions?\b)/;

let service: TestApp;
let description: Description;
beforeAll(async () => {
  service = await startApp({ RATE_LIMIT: '100' });
  description = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as Description;
  // Nothing is refilled.
  const clock = service.app.nest.get(Clock);
  const now = clock.monotonic();
  mock.method(clock, 'monotonic', () => now);
});
afterAll(async () => {
  mock.restoreAll();
  await service.close();
});

const statusOf = async (method: string, path: string): Promise<number> => {
  const answer = await fetch(service.url + path, { method, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.status;
};

async function useUp(path: string): Promise<void> {
  for (;;) {
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf('HEAD', path)));
    if (statuses.includes(429)) return;
  }
}

long('refuses a network that has used up its allowance at every open address, and at no other', async () => {
  const open = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.security?.length === 0)
      .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
  );
  expect(open.length).toBeGreaterThan(20);
  const walked = [...open, ...PAGES.map((path) => ['GET', path] as const)].filter(([, path]) => !FREQUENT.test(path));
  await useUp('/favicon.svg');
  await useUp('/docs/openapi.json');
  const answers: [string, string, number][] = [];
  for (const [method, path] of walked) answers.push([method, path, await statusOf(method, path)]);
  expect(answers.filter(([, , status]) => status !== 429)).toEqual([]);

  for (const path of ['/healthz', '/readyz']) expect([path, await statusOf('GET', path)]).toEqual([path, 200]);
  expect(await statusOf('GET', '/api/v1/users')).toBe(401);
  const withKey = await fetch(`${service.url}/api/v1/users`, {
    headers: { authorization: `Bearer ${service.tenant.apiKey}` },
  });
  expect(withKey.status).toBe(200);
});
