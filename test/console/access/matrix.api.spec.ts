import { READ_SCOPES } from '../../../src/tenancy/tenants/scopes.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { consoleByLink, consoleBySignIn, consoleUser, type ConsoleBrowser } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { send, type Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { declaredRoutes, filled, type DeclaredRoute } from '../../support/routes.js';
import { fresh, madeUser, user } from '../../support/scim.js';

/** Operations that are writes by their method and change nothing: an auditor has them too. */
const READING_POSTS = ['AuditController.verify', 'RulesPlanController.show', 'SeatChainController.verify'];

let service: TestApp;
let house: House;
let routes: DeclaredRoute[];
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  routes = declaredRoutes(service.app.nest).filter(({ demand }) => demand !== undefined);
});
afterAll(() => service.close());

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;
const UNKNOWN_TENANT = 'ten_01k0000000abcdefghjkmnpqrs';
const pathOf = ({ paths }: DeclaredRoute): string =>
  filled(paths[0]!, (name) => (name === 'tenant_id' ? UNKNOWN_TENANT : 'x')).replace('/api/v1', '');
const bodyOf = ({ method }: DeclaredRoute) => (/^P/.test(method) ? {} : undefined);
const by =
  (browser: ConsoleBrowser): Ask =>
  (method, path, body) =>
    browser.ask(method, path, body);

/** What the guard decides: `open`, or the code of the refusal. */
async function gateOf(route: DeclaredRoute, ask: Ask): Promise<string> {
  const { status, body } = await ask(route.method, pathOf(route), bodyOf(route));
  return status === 401 || status === 403 ? (body.code as string) : 'open';
}

function isRead({ demand }: DeclaredRoute): boolean {
  return typeof demand !== 'string' && demand!.some((together) => together.every((scope) => READ_SCOPES.has(scope)));
}

/** The gates of a caller, by what a route demands. */
interface Gates {
  operator: string;
  /** Of the operator’s routes that a session never has. */
  token: string;
  none: string;
  scopes: (route: DeclaredRoute) => string;
}

/** The gate of each route for a caller, by what the route demands. */
function expectedGate(route: DeclaredRoute, caller: Gates): string {
  const { demand } = route;
  if (demand === 'any-caller') return 'open';
  if (demand === 'operator')
    return TOKEN_ALONE.has(route.name) && caller.operator === 'open' ? caller.token : caller.operator;
  return demand === 'any-key' ? caller.none : caller.scopes(route);
}

const ADMIN: Gates = { operator: 'operator_only', token: 'operator_only', none: 'open', scopes: () => 'open' };
const AUDITOR: Gates = { ...ADMIN, scopes: (route: DeclaredRoute) => (isRead(route) ? 'open' : 'missing_scope') };
const OPERATOR: Gates = {
  operator: 'open',
  token: 'operator_token_needed',
  none: 'no_tenant_entered',
  scopes: () => 'no_tenant_entered',
};
// While a tenant is entered, each of these writes is refused for that: 409.
const ENTERED: Gates = { ...AUDITOR, operator: 'open', token: 'open' };
/** The operator’s routes that need the token: a session could make itself the owner of a tenant by them. */
const TOKEN_ALONE: ReadonlySet<string> = new Set(['TrustedDomainsController.trust', 'TrustedDomainsController.remove']);

async function compare(caller: Gates, ask: Ask): Promise<void> {
  expect(routes.length).toBeGreaterThan(150);
  for (const route of routes) {
    expect([route.name, await gateOf(route, ask)]).toEqual([route.name, expectedGate(route, caller)]);
  }
}

long('opens to an API key with the scope admin what it opens to the session of an administrator', async () => {
  const { apiKey } = await newHouse(service);
  await compare(ADMIN, (method, path, body) => send(method, `${service.url}/api/v1${path}`, apiKey, body));
  const other = await newHouse(service);
  await compare(ADMIN, by(await consoleBySignIn(service, other, await consoleUser(other, 'admin'))));
});

long('opens each read to an auditor, and no write', async () => {
  await compare(AUDITOR, by(await consoleBySignIn(service, house, await consoleUser(house, 'auditor'))));
  const writes = routes.filter((route) => route.method !== 'GET' && isRead(route)).map(({ name }) => name);
  expect(writes.sort()).toEqual(READING_POSTS);
});

long('opens the installation alone to the operator, and the reads of a tenant once it is entered', async () => {
  const browser = await consoleByLink(service, 'operator');
  await compare(OPERATOR, by(browser));
  const entered = await consoleByLink(service, 'operator');
  const answer = await entered.ask('POST', `/tenants/${house.tenantId}/enter`, { reason: 'a test' });
  expect(answer.status).toBe(200);
  await compare(ENTERED, by(entered));
});

long('opens nothing without a credential', async () => {
  for (const route of routes) {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const answer = await send(route.method, `${service.url}/api/v1${pathOf(route)}`, null, bodyOf(route), headers);
    expect([route.name, answer.body.code]).toEqual([route.name, 'credential_missing']);
  }
});

long('answers for the records of another tenant as for none', async () => {
  const userId = await madeUser(house.scim, user(`${fresh()}@example.com`));
  const other = await consoleByLink(service, 'admin', (await newHouse(service)).tenantId);
  const ids: Record<string, string> = { directory_id: house.directoryId, user_id: userId, id: userId };
  const named = routes.filter(({ demand, paths: [path = ''] }) => typeof demand !== 'string' && /\/(directories|users|held)\/:/.test(path) && !path.includes('external')); // prettier-ignore
  expect(named.length).toBeGreaterThan(20);
  for (const route of named) {
    const bodies: Record<string, object> = {
      'DirectoriesController.replaceRules': { rules: [] },
      'RulesPlanController.show': { rules: [] },
      'ClientsController.create': { kind: 'secret' },
    };
    const path = filled(route.paths[0]!, (name) => ids[name] ?? 'x').replace('/api/v1', '');
    const answer = await other.ask(route.method, path, bodies[route.name] ?? bodyOf(route));
    expect([route.name, answer.status]).toEqual([route.name, 404]);
  }
  expect((await other.ask('GET', '/users')).body.data).toEqual([]);
});

long('refuses each marked act of a session after ten minutes, and no read', async () => {
  const browser = await consoleByLink(service, 'admin', house.tenantId);
  await service.db.query(
    `update console_sessions set authenticated_at = now() - interval '601 seconds' where tenant_id = $1`,
    [house.tenantId],
  );
  const refused: string[] = [];
  for (const route of routes.filter(({ demand }) => demand !== 'operator')) {
    const gate = await gateOf(route, by(browser));
    expect([route.name, gate]).toEqual([route.name, expect.stringMatching(/^(open|sign_in_again)$/)]);
    if (gate === 'sign_in_again') refused.push(route.name);
    else expect([route.name, route.method]).not.toEqual([route.name, 'DELETE']);
    if (route.method === 'GET') expect([route.name, gate]).toEqual([route.name, 'open']);
  }
  expect(refused).toEqual(expect.arrayContaining(['ApiKeysController.create', 'RolesController.remove']));
  expect(refused.length).toBeGreaterThan(35);
});
