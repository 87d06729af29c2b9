import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../src/base/database/embedded/embedded-postgres.js';
import { TinyBrowser } from '../../protocols/oidc/support/provider-process.js';
import { startApp, type TestApp } from '../../support/app.js';

import { client, type Client } from '../../support/http.js';

// `npm run demo:idp` beside a service that runs, as docs/start/sign-in.md leads through it.
let service: TestApp;
let base: string;
let folder: string;
let ports: string;
let api: Client;
let demo: ChildProcess;

beforeAll(async () => {
  const port = String(await freePort());
  base = `http://localhost:${port}`;
  service = await startApp({ PORT: port, BASE_URL: base });
  ports = `${await freePort()},${await freePort()}`;
  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-demo-'));
  const { tenantId, apiKey, scimToken } = service.tenant;
  const credentials = {
    tenant_id: tenantId,
    api_key: apiKey,
    scim_base_url: `${base}/scim/v2`,
    scim_token: scimToken,
    operator_token: service.operatorToken,
  };
  writeFileSync(path.join(folder, 'credentials.json'), JSON.stringify(credentials));
  api = client(`${base}/api/v1`, apiKey);
});
afterAll(async () => {
  await stop();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the demo, and returns what it prints. */
async function start(): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', BASE_URL: base, DATA_DIR: folder, DEMO_IDP_PORTS: ports };
  demo = spawn(process.execPath, ['scripts/demo-idp.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const said = new Promise<string>((resolve, reject) => {
    demo.stdout!.on('data', (data: Buffer) => {
      printed += data.toString();
      if (printed.includes('user show')) resolve(printed);
    });
    demo.once('exit', (code) => reject(new Error(`ended with ${String(code)}: ${printed}`)));
  });
  return said;
}

async function stop(): Promise<void> {
  if (demo === undefined || demo.exitCode !== null) return;
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}

/** Returns the hidden fields of a form. */
function fields(html: string): Record<string, string> {
  const plain = html.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
  const inputs = [...plain.matchAll(/<input[^>]*name="(\w+)"[^>]*value="([^"]*)"/g)];
  return Object.fromEntries(inputs.map(([, name, value]) => [name!, value!]));
}

/** Signs in by the form of the IdP; returns the page of the service. */
async function signIn(slug: string, user: string, browser = new TinyBrowser()): Promise<string> {
  const never = 'no address';
  const form = await browser.go(`${base}/api/auth/login?connection=${slug}`, never);
  if (slug === 'demo-oidc') {
    const action = /action="([^"]+login)"/.exec(form.html!)![1]!;
    return (await browser.submit(form, action, { user }, never)).html!;
  }
  const asked = new URLSearchParams({ ...fields(form.html!), user });
  const answered = await browser.go(`${new URL('/sso', form.url).href}?${asked.toString()}`, never);
  const action = /action="([^"]+)"/.exec(answered.html!)![1]!;
  return (await browser.submit(answered, action, fields(answered.html!), never)).html!;
}

it('makes two connections by which the users of the demo sign in, and makes no others at the next start', async () => {
  const printed = await start();
  expect(printed).toContain(`${base}/api/auth/login?connection=demo-oidc`);
  expect(printed).not.toContain(service.tenant.scimToken);
  for (const slug of ['demo-oidc', 'demo-saml']) expect(await signIn(slug, 'ada')).toContain('Signed in to Tenant');
  expect(await signIn('demo-oidc', 'eve')).toContain('There is no account for you yet');
  await stop();
  await start();
  expect(await signIn('demo-saml', 'ben')).toContain('Signed in to Tenant');
  expect((await api.get('/connections')).body.data).toHaveLength(2);
  expect((await api.get('/users')).body.data).toHaveLength(2);
}, 60_000);
