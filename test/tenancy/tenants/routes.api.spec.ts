import { Get } from '@nestjs/common';
import { ApiController } from '../../../src/tenancy/tenants/api-key.guard.js';
import { SCOPES } from '../../../src/tenancy/tenants/scopes.js';
import { adminApp } from '../../support/admin-app.js';
import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { send as request, type Answer } from '../../support/http.js';
import { candidate } from '../../support/candidates.js';
import { declaredRoutes, filled, type DeclaredRoute } from '../../support/routes.js';

/** What a forgotten line looks like. */
@ApiController('forgotten')
class ForgottenController {
  @Get()
  get(): string {
    return 'open to everybody';
  }
}
// Addresses for everybody, each with its reason.
const OPEN = new Set([
  'OperationsController.healthz',
  'SandboxMeetingController.show',
  'OperationsController.readyz',
  'OperationsController.show',
  'OperationsController.console',
  'ProblemsController.page',
  // The documentation, which is the same for all.
  'SiteController.home',
  'SiteController.picture',
  // The files of the console, which are the same for all.
  'ConsoleFilesController.asset',
  'ConsoleFilesController.document',
  'OperationsController.favicon',
  'OperationsController.securityText',
  'SiteController.css',
  'SiteController.find',
  'SiteController.page',
  // What a hiring platform has to answer: the same for all tenants, and no secret.
  'PlatformDocsController.page',
  'PlatformDocsController.description',
  'PlatformDocsController.engine',
  // Browsers before there is a session, and IdPs, whose messages say by their signature who they are.
  'LoginController.login',
  'LoginController.initiated',
  'TestLinkController.page',
  'TestLinkController.begin',
  // A sign-in link is a credential itself.
  'OwnerSignInController.page',
  'OwnerSignInController.signIn',
  'LandingController.land',
  'CallbackController.oidc',
  'CallbackController.saml',
  'IdpLogoutController.byRedirect',
  'IdpLogoutController.byPost',
  'IdpLogoutController.backChannel',
  'RevocationController.revoke',
  'LogoutController.end',
  'LogoutController.endOne',
  'FrontChannelController.end',
  'LogoutController.signedOut',
  'LogoutController.home',
  // A person connects an ATS in a browser: protected by the session, a connect link or the state of its OAuth.
  'MarketplaceController.start',
  'MarketplaceController.begin',
  'MarketplaceController.connectLink',
  'MarketplaceController.byLink',
  'MarketplaceController.callback',
  'WriterController.choose',
  // An ATS says by the token of its webhook address who it is.
  'InboundController.receive',
  // What anybody may know of us.
  'PublishedController.metadata',
  'PublishedController.keys',
  'TokenController.issue',
  'TokenController.metadata',
  'TokensController.jwks',
  // The code, the refresh token and the token that is asked about are credentials themselves.
  'TokensController.issue',
  'TokensController.introspect',
  // The sign-in or the link in the request is the credential.
  'ConsoleSessionController.begin',
  'ConsoleSessionController.end',
  // Protected by the session's own guard.
  'SessionController.show',
  'SessionController.list',
  'SessionController.end',
]);

let edge: TestApp;
let routes: DeclaredRoute[];
let api: DeclaredRoute[];
beforeAll(async () => {
  edge = await sharedApp();
  routes = declaredRoutes(edge.app.nest);
  api = routes.filter(({ demand }) => demand !== undefined);
});
afterAll(() => edge.close());

const call = (method: string, path: string, token: string | null, body?: unknown): Promise<Answer> =>
  request(method, edge.url + path, token, body);
const send = (route: DeclaredRoute, path: string, token: string | null) =>
  call(route.method, filled(path, 'x'), token, /P(OS|U|ATC)/.test(route.method) ? {} : undefined);
const keyWith = async (...scopes: string[]): Promise<string> =>
  (await call('POST', '/api/v1/api-keys', edge.tenant.apiKey, { name: 'k', scopes })).body.api_key;

it('every route declares its callers', () => {
  expect(routes.length).toBeGreaterThan(30);
  expect(
    routes
      .filter(({ demand, name, paths }) => demand === undefined && !OPEN.has(name) && !paths[0]!.startsWith('/scim/v2'))
      .map(({ name }) => name),
  ).toEqual([]);
});

it('a route whose line was forgotten refuses all callers', async () => {
  const forgetful = await adminApp({}, [ForgottenController]);
  try {
    expect((await forgetful.call('GET', '/api/v1/forgotten')).status).toBe(500);
    expect(
      declaredRoutes(forgetful.app).find(({ name }) => name === 'ForgottenController.get')?.demand,
    ).toBeUndefined();
  } finally {
    await forgetful.close();
  }
});

it('every resource is at /api/v1 and /v1 alike', () => {
  for (const { paths } of api) {
    expect(paths.some((path) => path.startsWith('/api/v1/'))).toBe(true);
    expect(paths.some((path) => path.startsWith('/v1/'))).toBe(true);
  }
});

it('no credential: 401 with a challenge and no error code, on every address', async () => {
  for (const route of api) {
    for (const path of route.paths) {
      const answer = await send(route, path, null);
      expect([route.name, path, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        route.name, path, 401, 'Bearer realm="talent-bridge"',
      ]); // prettier-ignore
    }
  }
});

it('a wrong credential: 401 invalid_token, on every route', async () => {
  for (const route of api) {
    const answer = await send(route, route.paths[0]!, 'tbk_wrong');
    expect([route.name, answer.status]).toEqual([route.name, 401]);
    expect(answer.headers.get('www-authenticate')).toMatch('error="invalid_token"');
  }
});

it('every other scope: 403 naming the needed one, on every route', async () => {
  const keys = new Map<string, string>();
  for (const route of api) {
    if (typeof route.demand === 'string') continue;
    const wanted = route.demand!.flat();
    const demand = route.demand![0]!.join(' ');
    const name = wanted.join();
    if (!keys.has(name)) {
      keys.set(name, await keyWith(...SCOPES.filter((scope) => !wanted.includes(scope) && scope !== 'admin')));
    }
    const answer = await send(route, route.paths[0]!, keys.get(name)!);
    expect([route.name, answer.status, answer.body.code, answer.body.scope]).toEqual([
      route.name,
      403,
      'missing_scope',
      demand,
    ]);
    expect(answer.headers.get('www-authenticate')).toContain(`scope="${demand}"`);
  }
});

it('each allowed scope, and admin, opens every route', async () => {
  const keys = new Map<string, string>();
  for (const route of api) {
    if (typeof route.demand === 'string') continue;
    for (const scopes of [...route.demand!, ['admin']]) {
      const name = scopes.join();
      if (!keys.has(name)) keys.set(name, await keyWith(...scopes));
      const answer = await send(route, route.paths[0]!, keys.get(name)!);
      expect([route.name, answer.status === 401 || answer.status === 403]).toEqual([route.name, false]);
    }
  }
});

it('one of two needed scopes: 403 naming the other, on every such route', async () => {
  const together = api.flatMap((route) =>
    typeof route.demand === 'string'
      ? []
      : route.demand!.filter(({ length }) => length > 1).map((scopes) => ({ route, scopes })),
  );
  expect(together.length).toBeGreaterThan(4);
  for (const { route, scopes } of together) {
    for (const missing of scopes) {
      const key = await keyWith(...scopes.filter((scope) => scope !== missing));
      const answer = await send(route, route.paths[0]!, key);
      expect([route.name, answer.status, answer.body.code, answer.body.scope]).toEqual([
        route.name, 403, 'missing_scope', missing,
      ]); // prettier-ignore
    }
  }
});

it('every read-only address is open to a key without admin', () => {
  const closed = api.filter(
    ({ method, demand }) =>
      method === 'GET' && Array.isArray(demand) && demand.every((scopes) => scopes.includes('admin')),
  );
  expect(closed.map(({ name }) => name)).toEqual([]);
});

it('routes of the operator refuse all keys, and other routes the operator’s token', async () => {
  let wrong = 0;
  for (const route of api) {
    const path = route.paths[0]!;
    if (route.demand === 'operator') {
      const answer = await send(route, path, edge.tenant.apiKey);
      expect([route.name, answer.status, answer.body.code]).toEqual([route.name, 403, 'operator_only']);
    } else {
      const { status } = await send(route, path, edge.operatorToken);
      // After a hundred wrong credentials of one kind an address has to wait.
      expect([route.name, status]).toEqual([route.name, wrong++ < 100 ? 401 : status === 429 ? 429 : 401]);
    }
  }
});

describe('another tenant’s ids', () => {
  it('are 404 on every route, word for word as unknown ids', async () => {
    const other = await edge.newTenant();
    const theirs = await examples(other);
    const bodies: Record<string, object> = {
      'RolesController.change': { takes_seat: false },
      'DirectoriesController.replaceRules': { rules: [] },
      'RulesPlanController.show': { rules: [] },
      'ClientsController.create': { kind: 'secret' },
      'MessagesController.redeliver': { event_id: 'evt_0000000000000001' },
      'CandidateInterviewsController.schedule': { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T14:00:00Z' },
      'ScorecardsController.put': { overall: 3 },
      'AtsConnectionsController.sign': { secret: 'x' },
      'InboundEventsController.dismiss': { reason: 'x' },
      'AtsWritesController.dismiss': { reason: 'x' },
      'AtsWritesController.test': { candidate_id: 'x' },
    };
    const tried: string[] = [];
    for (const route of api) {
      const path = route.paths[0]!;
      // An external id is the caller's own word: it names, or makes, a record of the caller's tenant.
      if (route.demand === 'operator' || !path.includes(':') || path.includes(':external_id')) continue;
      const body = bodies[route.name] ?? (/P(OS|U|ATC)/.test(route.method) ? {} : undefined);
      const ask = async (id: (name: string) => string) => {
        const answer = await call(route.method, filled(path, id), edge.tenant.apiKey, body);
        return { status: answer.status, detail: answer.body?.detail as string };
      };
      const foreign = await ask((name) => theirs[`${path.split('/')[3]!} ${name}`] ?? `no example of ${name}`);
      const unknown = await ask((name) => (name === 'id' && path.includes('changes') ? 'chg_999999999' : 'x'));
      expect([route.name, foreign]).toEqual([route.name, { status: 404, detail: unknown.detail }]);
      tried.push(route.name);
    }
    expect(tried.length).toBeGreaterThan(15);
    for (const path of [`/directories/${theirs['directories directory_id']}`, `/users/${theirs['users id']}`]) {
      expect((await call('GET', `/api/v1${path}`, other.apiKey)).status).toBe(200);
    }
  });

  it('and never appear in another tenant’s lists', async () => {
    const theirs = await examples(edge.tenant);
    const { apiKey } = await edge.newTenant();
    for (const { paths } of api.filter(
      ({ method, paths, demand }) => method === 'GET' && !paths[0]!.includes(':') && demand !== 'operator',
    )) {
      const { text } = await call('GET', paths[0]!, apiKey);
      for (const id of [edge.tenant.tenantId, ...Object.values(theirs).filter((one) => one !== 'Theirs')])
        expect(text).not.toContain(id);
    }
  });

  /** One of everything that has an id, in a tenant, by resource and the name of the parameter. */
  async function examples({ apiKey, directoryId }: TestTenant): Promise<Record<string, string>> {
    const post = async (path: string, body: object) =>
      (await call('POST', `/api/v1${path}`, apiKey, body)).body as { id: string };
    await post('/roles', { name: 'Theirs', takes_seat: true });
    const userId = (await post('/users', { email: 'their@example.com', first_name: 'A', last_name: 'B' })).id;
    const changes = await call('GET', '/api/v1/changes', apiKey);
    expect([changes.status, changes.text]).toEqual([200, expect.anything()]);
    const change = changes.body.data[0];
    const client = await call('POST', `/api/v1/directories/${directoryId}/clients`, apiKey, { kind: 'secret' });
    return {
      'directories directory_id': directoryId,
      'directories client_id': client.body.id,
      'directories secret_id': client.body.secrets[0].id,
      'directories token_id': (await post(`/directories/${directoryId}/tokens`, {})).id,
      'api-keys key_id': (await post('/api-keys', { name: 'K', scopes: ['admin'] })).id,
      'roles name': 'Theirs',
      'users id': userId,
      'held user_id': userId,
      'changes id': change.id,
      'ats-connections connection_id': (await post('/ats-connections', { provider: 'ashby' })).id,
      'ats-connect-links link_id': 'alk_01k0000000abcdefghjkmnpqrs',
      'webhooks webhook_id': (await post('/webhooks', { url: 'http://127.0.0.1:9999/x' })).id,
      'candidates id': (await post('/candidates', candidate())).id,
      'jobs id': (await call('PUT', '/api/v1/jobs/by-external-id/theirs', apiKey, { title: 'Their opening' })).body.id,
    };
  }
});
