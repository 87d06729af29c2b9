import { sharedApp, type TestApp } from '../support/app.js';
import { commandLine } from '../support/cli.js';
import { ConsoleBrowser } from '../support/console.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it('makes a link that opens the console, and lists who administers', async () => {
  const run = commandLine(service, service.tenant.apiKey);
  const made = await run('console', 'link', '--reason', 'a test', '--json');
  expect(made).toMatchObject({ code: 0, json: { role: 'admin', tenant_id: service.tenant.tenantId } });
  expect((await new ConsoleBrowser(service).open((made.json as { url: string }).url)).status).toBe(201);
  const operator = await run('console', 'link', '--role', 'operator', '--reason', 'a test', '--json');
  expect(operator.json).toMatchObject({ role: 'operator', tenant_id: null });
  expect((await run('console', 'link')).err).toContain('--reason is required');
  expect((await run('member', 'list', '--json')).json).toEqual([]);
});
