import { Clock } from '../../src/base/clock.js';
import { PROBLEM_CODES } from '../../src/operations/docs/problem-codes.js';
import { ENTRY_KINDS } from '../../src/overview/history/entry.mapping.js';
import { ConnectionStore } from '../../src/auth/connections/store.js';
import { SignInLimits } from '../../src/auth/sign-in/limits/sign-in-limits.js';
import { StubbornPlatform } from '../overview/history/support/peer.js';
import { certificate, metadataXml, MetadataServer } from '../auth/connections/support/metadata.js';
import { NameServer } from '../support/name-server.js';
import { OidcWay, reasonOf, SamlWay } from '../support/sign-in/connections.js';
import { logoutForm, logoutQuery } from '../protocols/saml/support/logout.js';
import type { AnswerParts } from '../protocols/saml/support/idp.js';
import { pkce } from '../support/sign-in/pkce.js';
import { Tab, type Seen } from '../support/sign-in/tab.js';
import { startApp, type TestApp } from '../support/app.js';
import { Description, type Ask, type Operation } from '../support/description.js';
import { eventually, type Answer } from '../support/http.js';
import { newHouse, type House } from '../support/house.js';
import { declaredRoutes, type DeclaredRoute } from '../support/routes.js';
import { fresh, madeUser, patch, user } from '../support/scim.js';

// What programs, browsers and IdPs call of sign-in and its administration.
const SURFACES = [
  /^\/api\/v1\/(connections|domains|sign-ins|leavers)(\/|$)/,
  /^\/api\/v1\/users\/\{user_id\}\/(sessions|identities|history)(\/|$)/,
  /^\/api\/v1\/tenants\/(\{tenant_id\}\/(domains|owner-sign-in-link)|keys\/signing)(\/|$)/,
  /^\/api\/auth\/(login|session|sessions|token|introspect|metadata|jwks)(\/|$)/,
  /^\/api\/auth\/(callback|slo|(?:back|front)channel-logout|logout|signed-out)(\/|$)|^\/$/,
  /^\/api\/auth\/(owner-sign-in|global-token-revocation)(\/|$)/,
  /^\/\.well-known\/jwks\.json$/,
];
/** What is no call of a program, and is walked as a browser or an IdP does. */
const WALKED =
  /^\/api\/auth\/(callback|slo|(?:back|front)channel-logout|logout|signed-out|owner-sign-in|global-token-revocation)(\/|$)|^\/$/;
const APP = 'https://interviews.example.com';

let service: TestApp;
let names: NameServer;
let idp: MetadataServer;
let platform: StubbornPlatform;
let house: House;
let door: OidcWay;
let api: Description;
let operations: Operation[];
let routes: Map<string, DeclaredRoute>;
beforeAll(async () => {
  names = await NameServer.start();
  idp = await MetadataServer.start();
  platform = await new StubbornPlatform().start();
  service = await startApp({ DNS_SERVERS: names.address });
  house = await newHouse(service);
  door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [APP] });
  api = await Description.of(service.url);
  operations = api.operations.filter(({ path }) => SURFACES.some((surface) => surface.test(path)));
  routes = new Map(declaredRoutes(service.app.nest).map((route) => [addressOf(route), route]));
});
afterAll(async () => {
  await door.op.stop();
  await service.close();
  await platform.stop();
  await idp.close();
  await names.close();
});

/** A browser whose answers are all held against the description; of a refusal's page, also what it was for. */
class JudgedTab extends Tab {
  /** What the IdP was asked, of a test sign-in. */
  asked?: URLSearchParams;

  override async send(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Seen> {
    const seen = await super.send(method, path, method === 'GET' ? undefined : body, headers);
    const { pathname, search } = new URL(path, service.url);
    if (/^\/api\/auth\/(landing|test)\//.test(pathname)) return seen;
    const type = headers['content-type'] ?? '';
    const sent = body === '' ? undefined : Object.fromEntries(new URLSearchParams(body));
    const isJson = /json/.test(seen.headers.get('content-type') ?? '') && seen.text !== '';
    const answer: Answer = { ...seen, body: isJson ? (JSON.parse(seen.text) as unknown) : undefined };
    const { responses } = api.judge(method, pathname + search, type, sent, answer);
    if (seen.status >= 400 && seen.text.includes('sin_')) {
      const reason = await reasonOf(house, seen);
      const { description } = responses[seen.status]!;
      if (!description.includes(`\`${reason}\``)) throw new Error(`${method} ${path} ${seen.status}: ${reason}?`);
    }
    return seen;
  }
}

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
const addressOf = ({ method, paths }: DeclaredRoute): string => `${method} ${paths[0]!.replace(/:(\w+)/g, '{$1}')}`;
/** Everything that is wrong, by the operation's name. */
const wrong = (problemsOf: (operation: Operation) => string[]): string[] =>
  operations.flatMap((one) => problemsOf(one).map((problem) => `${nameOf(one)}: ${problem}`));

describe('the description of every operation of sign-in', () => {
  it('describes each success and each body, to the last field', () => {
    const problems = wrong(({ responses, requestBody }) => [
      ...Object.entries(responses)
        .filter(([status]) => Number(status) < 300 && status !== '204')
        .flatMap(([status, { content, description }]) =>
          content === undefined
            ? [`${status} has no content`].slice(/ Empty\.$/.test(description) ? 1 : 0)
            : Object.values(content).flatMap(({ schema }) => api.openPlaces(schema, status)),
        ),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => api.openPlaces(schema, 'body')),
    ]);
    expect(problems).toEqual([]);
    expect(operations.length).toBeGreaterThan(30);
  });

  it('has a body when its handler takes one, and each part of its path', () => {
    const withBody = new Set([...routes.values()].filter(({ takesBody }) => takesBody).map(addressOf));
    const problems = wrong((operation) => {
      const { path, parameters = [], requestBody } = operation;
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
      return [
        ...(withBody.has(nameOf(operation)) && requestBody === undefined
          ? ['takes a body and does not describe it']
          : []),
        ...((path.match(/\{\w+\}/g) ?? []).sort().join() === inPath.sort().join() ? [] : ['describes another path']),
      ];
    });
    expect(withBody.size).toBeGreaterThan(10);
    expect(problems).toEqual([]);
  });

  it('has the type of each parameter', () => {
    const problems = wrong(({ parameters = [] }) =>
      parameters.filter(({ schema }) => schema?.['type'] === undefined).map(({ name }) => name),
    );
    expect(problems).toEqual([]);
  });

  it('names its credential, and the very scope that its guard demands', () => {
    const problems = wrong((operation) => {
      const demand = routes.get(nameOf(operation))!.demand;
      const described = JSON.stringify(operation.security ?? []);
      if (demand === undefined) return /^\[(\{"session":\[\]\}(,\{\})?)?\]$/.test(described) ? [] : [described];
      const scopes = typeof demand === 'string' ? [] : demand.map((together) => ({ api_key: together }));
      const expected = demand === 'operator' ? [{ operator_token: [] }] : scopes;
      return described === JSON.stringify(expected) ? [] : [`${described} and not ${String(demand)}`];
    });
    expect(problems).toEqual([]);
  });

  it('names every code of its refusals, each with an explanation', () => {
    const problems = wrong(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, { content }]) => {
          if (content?.['application/problem+json'] === undefined) return content?.['text/html'] ? [] : [status];
          const { schema } = content['application/problem+json'] as { schema: { properties?: Properties } };
          const codes = schema.properties?.code.enum ?? [];
          const unknown = codes.filter((code) => PROBLEM_CODES[code] === undefined);
          return codes.length === 0 ? [`${status} names no code`] : unknown;
        }),
    );
    expect(problems).toEqual([]);
  });
});

interface Properties {
  code: { enum: string[] };
}

describe('answers are as described', () => {
  const own = (method: string, path: string, ask: Ask = {}) =>
    api.ask(method, `/api/v1${path}`, { token: house.apiKey, ...ask });
  const operate = (method: string, path: string, ask: Ask = {}) =>
    api.ask(method, `/api/v1${path}`, { token: service.operatorToken, ...ask });
  /** A list, page by page, and as a file. */
  const exported = async (path: string) => {
    await pages(path);
    for (const format of ['csv', 'ndjson']) await own('GET', `${path}&format=${format}`);
  };
  const codes = async (asks: [Promise<{ status: number; body: { code?: string } }>, number, string][]) => {
    const answers = await Promise.all(asks.map(([ask]) => ask));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(asks.map(([, ...expected]) => expected));
  };

  it('connections by OpenID Connect', async () => {
    const body = {
      type: 'oidc',
      name: 'Okta',
      slug: fresh('truth-'),
      issuer: 'https://idp.example.com',
      client_id: 'c',
      client_secret: 's',
      claim_map: { email: 'mail' },
      role_map: { admins: 'Admin' },
      max_age_seconds: 60,
      id_token_alg: 'RS256',
    };
    const { body: made } = await own('POST', '/connections', { body });
    const at = `/connections/${made.id}`;
    const { body: read } = await own('GET', at);
    // What was read can be sent back as it is.
    expect((await house.api.patch(at, read)).body).toEqual(read);
    await own('PATCH', at, { body: { token_auth: 'private_key_jwt', claim_map: { email: null }, enabled: false } });
    await api.ask('GET', `/api/auth/jwks/${made.slug}`);
    await own('POST', `${at}/check`);
    expect((await own('POST', `/connections/${door.id}/check`)).body.ok).toBe(true);
    await own('POST', `${at}/test-sign-in`);
    await own('GET', '/connections');
    await codes([
      [own('POST', '/connections', { body }), 409, 'slug_taken'],
      [own('POST', '/connections', { body: {} }), 422, 'invalid_fields'],
      [own('POST', '/connections', { body: 'no' }), 400, 'malformed_json'],
      [own('POST', '/connections', { form: { a: 'b' } }), 415, 'unsupported_media_type'],
      [own('POST', '/connections', { body, headers: { 'idempotency-key': 'a b' } }), 400, 'invalid_idempotency_key'],
      [own('PATCH', at, { body: { slug: 'another' } }), 422, 'invalid_fields'],
      [own('POST', `${at}/refresh-metadata`, { body: {} }), 422, 'invalid_fields'],
      [own('GET', '/connections/con_x'), 404, 'not_found'],
      [own('GET', '/connections?cursor=x'), 400, 'invalid_cursor'],
      [own('GET', '/connections?limit=0'), 422, 'invalid_fields'],
      [own('GET', '/connections', { token: null }), 401, 'credential_missing'],
      [own('GET', '/connections', { token: await readersKey() }), 403, 'missing_scope'],
      [own('GET', '/connections', { headers: { accept: 'image/png' } }), 406, 'not_acceptable'],
    ]);
    await own('DELETE', at);
  });

  it('connections by SAML', async () => {
    const pem = await certificate();
    idp.say(metadataXml({ certificates: [pem], slo: 'https://idp.example.com/slo' }));
    const body = {
      type: 'saml',
      name: 'ADFS',
      metadata_url: idp.url,
      authn_contexts: ['urn:x'],
      sp_entity_id: 'urn:us',
    };
    const { body: made } = await own('POST', '/connections', { body });
    const at = `/connections/${made.id}`;
    const { body: read } = await own('GET', at);
    expect((await house.api.patch(at, read)).body).toEqual(read);
    await own('PATCH', at, { body: { certificates: read.certificates, name: 'AD FS' } });
    await own('PATCH', at, { body: { metadata_url: idp.url } });
    await own('POST', `${at}/refresh-metadata`, { body: {} });
    idp.say(metadataXml({ certificates: [await certificate()] }));
    await codes([
      [own('POST', `${at}/refresh-metadata`, { body: {} }), 409, 'metadata_needs_confirmation'],
      [own('POST', `${at}/check`), 409, 'not_checkable'],
      [own('POST', '/connections', { body: { ...body, issuer: 'x' } }), 422, 'invalid_fields'],
    ]);
    expect((await own('GET', at)).body.metadata_problem).toMatch(/certificates/);
    await own('POST', `${at}/refresh-metadata`, { body: { confirm: true } });
    await api.ask('GET', `/api/auth/metadata/${made.slug}`);
    await api.ask('GET', '/api/auth/metadata/unknown');
    await pages('/connections?');
  });

  it('domains', async () => {
    const { body: added } = await own('POST', '/domains', {
      body: { domain: 'Truth.example', connection_id: door.id },
    });
    const at = '/domains/truth.example';
    await codes([
      [own('POST', '/domains', { body: { domain: 'truth.example' } }), 409, 'domain_exists'],
      [own('POST', `${at}/verify`), 409, 'domain_not_verified'],
      [own('POST', '/domains', { body: { domain: 'gmail.com' } }), 422, 'invalid_fields'],
      [own('GET', '/domains/other.example'), 404, 'not_found'],
    ]);
    names.zone.set(added.dns_record.name, { txt: [added.dns_record.value] });
    await own('POST', `${at}/verify`);
    const { body: read } = await own('GET', at);
    expect((await house.api.patch(at, read)).body).toEqual(read);
    await own('PATCH', at, { body: { connection_id: null } });
    await operate('PUT', `/tenants/${house.tenantId}/domains/trusted.example`, { body: { connection_id: door.id } });
    await pages('/domains?');
    const other = await service.newTenant();
    await codes([
      [operate('PUT', `/tenants/${other.tenantId}/domains/trusted.example`, { body: {} }), 409, 'domain_taken'],
      [operate('PUT', '/tenants/ten_x/domains/trusted.example', { body: {} }), 404, 'not_found'],
      [own('PUT', `/tenants/${house.tenantId}/domains/trusted.example`, { body: {} }), 403, 'operator_only'],
    ]);
    await operate('DELETE', `/tenants/${house.tenantId}/domains/trusted.example`);
    await own('DELETE', at);
  });

  it('signing keys', async () => {
    await operate('GET', '/tenants/keys/signing');
    await operate('POST', '/tenants/keys/signing/rotate', { body: { purpose: 'jwt' } });
    await codes([
      [operate('POST', '/tenants/keys/signing/rotate', { body: {} }), 422, 'invalid_fields'],
      [operate('GET', '/tenants/keys/signing', { token: 'tbo_x' }), 401, 'credential_invalid'],
    ]);
    await api.ask('GET', '/.well-known/jwks.json');
  });

  it('the login', async () => {
    const html = { accept: 'text/html' };
    await api.ask('GET', '/api/auth/login', { headers: html });
    await api.ask('GET', `/api/auth/login?connection=${door.slug}&return_to=/&prompt=login&login_hint=a`, {
      headers: html,
    });
    await api.ask('GET', `/api/auth/login?email=a@nowhere.example`);
    const initiated = { iss: door.op.issuer, target_link_uri: '/' };
    await api.ask('POST', '/api/auth/login', { form: initiated });
    const own = { headers: { ...html, 'sec-fetch-site': 'same-origin' } };
    await api.ask('POST', '/api/auth/login', { form: { email: '', connection: door.slug }, ...own });
    await api.ask('POST', '/api/auth/login', { form: { email: '' }, ...own });
    await codes([
      [api.ask('GET', '/api/auth/login?connection=unknown'), 404, 'not_found'],
      [api.ask('GET', '/api/auth/login?prompt=x'), 422, 'invalid_fields'],
      [api.ask('GET', '/api/auth/login?email=a&email=b'), 400, 'repeated_parameter'],
      [api.ask('GET', '/api/auth/login', { headers: { 'sec-fetch-dest': 'image' } }), 403, 'cross_site_request'],
    ]);
    expect((await api.ask('GET', '/api/auth/login?connection=unknown', { headers: html })).text).toContain('<html');
  });

  it('tokens, and the sessions of a signed-in user', async () => {
    const { sub } = await person();
    const tab = door.tab();
    const { verifier: code_verifier, query } = pkce();
    const seen = await door.signIn(tab, { sub }, { return_to: `${APP}/`, ...query });
    const code = new URL(seen.location!).searchParams.get('code')!;
    const token = (ask: Ask) => api.ask('POST', '/api/auth/token', ask);
    const { body: issued } = await token({ form: { grant_type: 'authorization_code', code, code_verifier } });
    const { body: renewed } = await token({ body: { refresh_token: issued.refresh_token } });
    expect((await look(renewed.access_token)).active).toBe(true);
    expect((await look('nonsense')).active).toBe(false);
    await codes([
      [token({ body: { code: 'tbc_x' } }), 400, 'invalid_grant'],
      [token({ body: { code: 'a', refresh_token: 'b' } }), 400, 'invalid_token_request'],
      [token({ body: { code: 1 } }), 400, 'invalid_token_request'],
      [token({ form: {} }), 401, 'no_session'],
      [token({ headers: { origin: 'https://elsewhere.example' } }), 403, 'cross_site_request'],
      [api.ask('POST', '/api/auth/introspect', { body: {} }), 400, 'invalid_token_request'],
    ]);
    const cookie = { cookie: `__Host-session=${tab.jar.get('__Host-session')!}` };
    const site = { ...cookie, origin: new URL(service.app.config.appUrl).origin };
    expect((await token({ headers: site })).body.refresh_token).toBeUndefined();
    await api.ask('GET', '/api/auth/session', { headers: cookie });
    const { body: sessions } = await api.ask('GET', '/api/auth/sessions', { headers: cookie });
    expect(sessions.data).toMatchObject([{ current: true }]);
    await codes([[api.ask('DELETE', '/api/auth/sessions/ses_x', { headers: site }), 404, 'not_found']]);
    await api.ask('DELETE', `/api/auth/sessions/${sessions.data[0].id}`, { headers: site });
    await codes([[api.ask('GET', '/api/auth/session', { headers: cookie }), 401, 'no_session']]);
  });

  describe('to browsers and IdPs', () => {
    let busy: TestApp;
    let saml: SamlWay;
    let byForm: SamlWay;
    beforeAll(async () => {
      const directory = { directory_id: house.directoryId };
      saml = await SamlWay.open(service, house, directory);
      byForm = await SamlWay.open(service, house, { ...directory, slo_binding: 'post' });
      busy = await startApp({ RATE_LIMIT: '100' }, service);
      // No time goes by there, so that nothing that was used up comes back.
      const now = performance.now();
      busy.app.nest.get(Clock).monotonic = () => now;
    });
    afterAll(() => busy.close());

    const json = { accept: 'application/json' };
    const image = { 'sec-fetch-dest': 'image' };
    const tooLarge = `SAMLResponse=${'x'.repeat(300_000)}`;
    const tab = () => new JudgedTab(service);
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      tab().send('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
    /** One ask after the other, with the status that each has to be answered with. */
    const statuses = async (asks: [() => Promise<Seen>, number][]) => {
      const found: number[] = [];
      for (const [ask] of asks) found.push((await ask()).status);
      expect(found).toEqual(asks.map(([, status]) => status));
    };
    /** A test sign-in, in a browser that has opened its link. */
    const testOf = async (id: string): Promise<JudgedTab> => {
      const admin = tab();
      const { body } = await own('POST', `/connections/${id}/test-sign-in`);
      return Object.assign(admin, { asked: new URL((await admin.post(body.url)).location!).searchParams });
    };
    /** An admin changes the connection between the IdP's answer and the first session of a user. */
    const changedMeanwhile = async (ask: () => Promise<Seen>): Promise<Seen> => {
      const store = Object.assign(service.app.nest.get(ConnectionStore), { holds: () => Promise.resolve(false) });
      return ask().finally(() => Reflect.deleteProperty(store, 'holds'));
    };
    const logoutAt = ({ slug, idp: { entityId: issuer } }: SamlWay) => ({
      id: `_l${fresh()}`,
      issuer,
      destination: `${service.app.config.appUrl}/api/auth/slo/${slug}`,
    });
    const slo = ({ slug }: SamlWay, query: string) => tab().get(`/api/auth/slo/${slug}?${query}`);

    it('the callback of OpenID Connect', async () => {
      const at = `/api/auth/callback/${door.slug}`;
      const { sub } = await person();
      const newcomer = await person();
      const browser = tab();
      const asked = await door.begin(browser);
      const refused = tab();
      const error = {
        error: 'access_denied',
        error_description: 'no',
        state: (await door.begin(refused)).get('state')!,
      };
      await statuses([
        [() => door.answer(browser, asked, { sub }), 303],
        // Again, with a session and without one.
        [() => door.answer(browser, asked, { sub }), 303],
        [() => door.answer(tab(), asked, { sub }), 400],
        [() => refused.get(`${at}?${new URLSearchParams(error).toString()}`), 401],
        [() => door.signIn(tab(), { sub: 'unknown' }), 403],
        [() => tab().get(`${at}?state=x`, image), 403],
        [() => tab().get(`${at}?state=x`, { ...image, ...json }), 403],
        [() => tab().get(`/api/auth/callback/${saml.slug}`), 401],
        [() => tab().get('/api/auth/callback/unknown'), 404],
        [() => tab().get('/api/auth/callback/unknown', json), 404],
        [() => tab().get('/api/auth/callback/%zz', json), 400],
      ]);
      for (const claims of [{ sub }, { sub: 'unknown' }]) {
        const admin = await testOf(door.id);
        await statuses([[() => door.answer(admin, admin.asked!, claims), 200]]);
      }
      const away = await OidcWay.open(service, house, { directory_id: house.directoryId });
      const late = tab();
      const begun = await away.begin(late);
      await away.op.stop();
      await statuses([
        [() => away.answer(late, begun, { sub }), 503],
        [() => changedMeanwhile(() => door.signIn(tab(), newcomer)), 409],
      ]);
    });

    it('the callback of SAML', async () => {
      const at = `/api/auth/callback/${saml.slug}`;
      const { sub: nameId } = await person();
      const { sub: newcomer } = await person();
      const answered = async (browser: JudgedTab, parts: AnswerParts = { nameId }) => {
        const { id, relayState } = await saml.begin(browser);
        return saml.idp.form(saml.parts(id, parts)).set('RelayState', relayState);
      };
      const browser = tab();
      const form = await answered(browser);
      await statuses([
        [() => saml.postOnly(browser, form), 303],
        [() => saml.postOnly(browser, form), 303],
        [async () => saml.postOnly(tab(), await answered(tab())), 303],
        [() => saml.postOnly(tab(), new Map()), 401],
        [async () => saml.postOnly(tab(), saml.idp.form(saml.parts(null))), 403],
        [() => saml.signIn(tab(), { nameId: 'unknown' }), 403],
        [() => post(at, 'a=b', image), 403],
        [() => post('/api/auth/callback/unknown', 'a=b'), 404],
        [() => post(at, 'SAMLResponse=b&SAMLResponse=b'), 400],
        [() => post(at, 'SAMLResponse=b&SAMLResponse=b', json), 400],
        [() => post(at, tooLarge), 413],
        [() => post(at, '{}', { 'content-type': 'application/json' }), 415],
        [() => post(`/api/auth/callback/${door.slug}`, 'a=b'), 401],
        [() => changedMeanwhile(() => saml.signIn(tab(), { nameId: newcomer })), 409],
      ]);
      for (const name of [nameId, 'unknown']) {
        const admin = await testOf(saml.id);
        const relayState = admin.asked!.get('RelayState')!;
        const said = saml.idp.form(saml.parts(`_${relayState}`, { nameId: name })).set('RelayState', relayState);
        await statuses([[() => saml.postOnly(admin, said), 200]]);
      }
    });

    it('single logout by SAML', async () => {
      const of = (at: SamlWay, nameId = 'unknown') => ({
        ...logoutAt(at),
        nameIdXml: `<saml:NameID>${nameId}</saml:NameID>`,
      });
      const query = (at: SamlWay, kind: 'LogoutRequest' | 'LogoutResponse' = 'LogoutRequest') =>
        logoutQuery(kind, at.idp.key, of(at));
      const form = (at: SamlWay, kind: 'LogoutRequest' | 'LogoutResponse' = 'LogoutRequest') =>
        new URLSearchParams([...logoutForm(kind, at.idp.key, of(at))]).toString();
      const at = `/api/auth/slo/${saml.slug}`;
      await statuses([
        [() => slo(saml, query(saml)), 303],
        [() => slo(saml, query(saml, 'LogoutResponse')), 303],
        [() => slo(byForm, query(byForm)), 200],
        [() => slo(saml, logoutQuery('LogoutRequest', null, of(saml))), 401],
        [() => slo(saml, ''), 401],
        [() => tab().get('/api/auth/slo/unknown'), 404],
        [() => tab().get('/api/auth/slo/unknown', json), 404],
        [() => tab().get('/api/auth/slo/%zz'), 400],
        [() => post(at, form(saml)), 303],
        [() => post(at, form(saml, 'LogoutResponse')), 303],
        [() => post(`/api/auth/slo/${byForm.slug}`, form(byForm)), 200],
        [() => post(at, 'SAMLRequest=x'), 401],
        [() => post(`/api/auth/slo/${door.slug}`, 'SAMLRequest=x'), 401],
        [() => post('/api/auth/slo/unknown', 'SAMLRequest=x'), 404],
        [() => post(at, 'SAMLRequest=b&SAMLRequest=b'), 400],
        [() => post(at, tooLarge), 413],
        [() => post(at, '{}', { 'content-type': 'application/json' }), 415],
      ]);
    });

    it('back-channel logout', async () => {
      const away = await OidcWay.open(service, house);
      const at = `/api/auth/backchannel-logout/${away.slug}`;
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: away.op.issuer,
        aud: 'client-1',
        iat: now,
        exp: now + 120,
        jti: fresh('j'),
        sub: 'unknown',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      };
      const token = await away.op.sign(claims, { typ: 'logout+jwt' });
      await statuses([
        [() => post(at, `logout_token=${token}`), 200],
        [() => post(at, `logout_token=${token}`), 400],
        [() => post(at, ''), 400],
        [() => post(at, 'a=b&a=b'), 400],
        [() => post(at, tooLarge), 413],
        [() => post(at, '{}', { 'content-type': 'application/json' }), 415],
        [() => post('/api/auth/backchannel-logout/unknown', `logout_token=${token}`), 404],
      ]);
      const { body } = await api.ask('POST', at, { form: { logout_token: 'x.y.z' } });
      expect(body).toMatchObject({ code: 'logout_refused', error: 'invalid_request', error_description: /./ });
      await away.op.stop();
      await house.api.patch(`/connections/${away.id}`, { name: 'fresh cache' });
      await statuses([[() => post(at, `logout_token=${token}`), 503]]);
    });

    it('front-channel logout', async () => {
      const at = (slug: string, query: Record<string, string>) =>
        tab().get(`/api/auth/frontchannel-logout/${slug}?${new URLSearchParams(query).toString()}`);
      const named = { iss: door.op.issuer, sid: 'none' };
      await statuses([
        [() => at(door.slug, named), 200],
        [() => at(door.slug, { ...named, iss: 'https://other.example' }), 401],
        [() => at(door.slug, {}), 422],
        [() => tab().get(`/api/auth/frontchannel-logout/${door.slug}?sid=a&sid=b`), 400],
        [() => at('unknown', named), 404],
        [() => tab().get('/api/auth/frontchannel-logout/unknown', json), 404],
      ]);
    });

    it('sign-in links of the owner', async () => {
      const at = '/api/auth/owner-sign-in';
      const links = `/tenants/${house.tenantId}/owner-sign-in-link`;
      await codes([[operate('POST', links), 409, 'no_owner']]);
      const { id } = await person();
      await house.api.patch('/tenant', { owner_user_id: id });
      const { body: made } = await operate('POST', links, { body: {} });
      const code = new URL(made.url).hash.slice(1);
      await codes([
        [operate('POST', links, { body: { user_id: 'usr_unknown' } }), 422, 'invalid_fields'],
        [operate('POST', '/tenants/ten_x/owner-sign-in-link'), 404, 'not_found'],
        [operate('POST', links, { token: house.apiKey }), 403, 'operator_only'],
      ]);
      await statuses([
        [() => tab().get(at), 200],
        [() => tab().get(at, image), 403],
        [() => post(at, `code=${code}`, image), 403],
        [() => post(at, `code=${code}`), 303],
        [() => post(at, `code=${code}`), 400],
        [() => post(at, `code=${code}`, json), 400],
        [() => post(at, 'code=a&code=b'), 400],
        [() => post(at, `code=${'x'.repeat(5_000)}`), 413],
        [() => post(at, '{}', { 'content-type': 'application/json' }), 415],
      ]);
      const tenant = { api_may_write_directory_users: true };
      await house.api.patch('/tenant', tenant);
      await house.api.patch(`/users/${id}`, { status: 'inactive' });
      await codes([[operate('POST', links), 409, 'owner_inactive']]);
      await house.api.patch('/tenant', { owner_user_id: null, api_may_write_directory_users: false });
    });

    it('universal logout', async () => {
      const at = `/api/auth/global-token-revocation/${door.slug}`;
      const now = Math.floor(Date.now() / 1000);
      const bearer = () => {
        const aud = `${service.app.config.appUrl}${at}`;
        const claims = { iss: door.op.issuer, aud, iat: now, exp: now + 120, jti: fresh('j') };
        return door.op.sign(claims, { typ: 'global-token-revocation+jwt' });
      };
      const { sub } = await person();
      await door.signIn(tab(), { sub });
      const ask = async (body: unknown, token: string | null, path = at) => api.ask('POST', path, { token, body });
      const named = (id: string) => ({ sub_id: { format: 'opaque', id } });
      expect((await ask(named(sub), await bearer())).status).toBe(204);
      await codes([
        [ask(named(sub), null), 401, 'credential_missing'],
        [ask(named(sub), 'x.y.z'), 401, 'credential_invalid'],
        [ask(named('unknown'), await bearer()), 404, 'not_found'],
        [ask(named(sub), await bearer(), '/api/auth/global-token-revocation/unknown'), 404, 'not_found'],
        [ask({ sub_id: { format: 'email' } }, await bearer()), 422, 'invalid_fields'],
        [ask('no', await bearer()), 400, 'malformed_json'],
        [api.ask('POST', at, { token: await bearer(), form: { a: 'b' } }), 415, 'unsupported_media_type'],
      ]);
      await statuses([[() => post(at, `"${'x'.repeat(1_100_000)}"`, { 'content-type': 'application/json' }), 413]]);
    });

    it('signing out, and the front page', async () => {
      const { sub } = await person();
      const signedIn = async () => {
        const browser = tab();
        await door.signIn(browser, { sub });
        return browser;
      };
      const at = '/api/auth/logout';
      const here = await signedIn();
      await statuses([
        [() => here.get('/'), 200],
        [() => here.post(at, [], { 'sec-fetch-site': 'cross-site' }), 403],
        [() => here.post(at, [], { 'sec-fetch-site': 'cross-site', ...json }), 403],
        [() => here.post(at, []), 303],
        [() => here.get('/'), 302],
        [() => here.get('/api/auth/signed-out'), 200],
        [() => here.post(at, []), 303],
        [async () => (await signedIn()).send('POST', at, undefined, json), 200],
        [async () => (await signedIn()).send('POST', at, '{"a":', { 'content-type': 'application/json' }), 400],
        [async () => (await signedIn()).post(at, [['a', 'b']]), 415],
        [() => post(at, `"${'x'.repeat(1_100_000)}"`, { 'content-type': 'application/json' }), 413],
      ]);
      const byPost = tab();
      await byForm.signIn(byPost, { nameId: sub });
      await statuses([[() => byPost.post(at, []), 200]]);
    });

    it('too many attempts', async () => {
      const limits = busy.app.nest.get(SignInLimits);
      for (let i = 0; i < 310; i++) {
        await limits.noteFailure('127.0.0.1', { tenantId: house.tenantId, id: 'con_x' }, null);
        await limits.noteLogoutFailure('127.0.0.1', house.tenantId);
        await limits.noteGuessedSession('127.0.0.1', house.tenantId);
        await limits.noteGrantFailure('127.0.0.1', '');
        await limits.noteGrantFailure('127.0.0.1', house.tenantId);
      }
      const busyTab = () => new JudgedTab(busy);
      await statuses([
        [() => busyTab().get(`/api/auth/callback/${door.slug}?state=x`), 429],
        [() => busyTab().post(`/api/auth/callback/${saml.slug}`, [['SAMLResponse', 'x']]), 429],
        [() => busyTab().get(`/api/auth/slo/${saml.slug}`), 429],
        [() => busyTab().post(`/api/auth/slo/${saml.slug}`, [['SAMLRequest', 'x']]), 429],
        [() => busyTab().post(`/api/auth/backchannel-logout/${door.slug}`, [['logout_token', 'x']]), 429],
        [() => busyTab().get(`/api/auth/frontchannel-logout/${door.slug}?iss=x&sid=y`), 429],
        [() => busyTab().post('/api/auth/owner-sign-in', [['code', 'x']]), 429],
        [
          () =>
            busyTab().send('POST', `/api/auth/global-token-revocation/${door.slug}`, '{}', {
              ...json,
              'content-type': 'application/json',
              authorization: 'Bearer x.y.z',
            }),
          429,
        ],
      ]);
    });
  });

  it('sign-ins, sessions, bindings, history and leavers of a whole life', async () => {
    await house.api.put('/platform', { base_url: platform.url, api_key: 'k' });
    // Made by the users API and linked by the directory.
    const email = `${fresh()}@e.com`;
    const made = await house.api.post('/users', { email, first_name: 'Ada', last_name: 'King' });
    const sub = fresh('sub');
    const id = await madeUser(
      house.scim,
      user(email, { externalId: sub, name: { givenName: 'Ada', familyName: 'King' } }),
    );
    expect(id).toBe(made.body.id);
    const at = `/users/${id}`;
    // A removal of the owner is held, and discarded.
    await house.api.patch('/tenant', { owner_user_id: id });
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    expect((await house.api.post(`/held/${id}/discard`, {})).status).toBe(200);
    await house.api.patch('/tenant', { owner_user_id: null });
    for (let i = 0; i < 3; i++) await door.signIn(door.tab(), { sub });
    await door.signIn(door.tab(), { sub: 'unknown' });
    const { body: sessions } = await own('GET', `${at}/sessions`);
    await own('DELETE', `${at}/sessions/${sessions.data[0].id}`);
    await own('DELETE', `${at}/sessions`);
    expect((await own('GET', `${at}/identities`)).body.data).toHaveLength(1);
    await pages(`/connections/${door.id}/identities?ended=false`);
    await own('POST', `/connections/${door.id}/forget-subjects`, { body: { dry_run: true } });
    await own('DELETE', `${at}/identities/${door.id}`);
    await door.signIn(door.tab(), { sub });
    await settled(id);
    await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    expect((await parkedOf(id)).error.code).toEqual(expect.any(String));
    expect(
      (await house.api.post(`/changes/${(await own('GET', `/leavers/${id}`)).body.data[0].id}/dismiss`, {})).status,
    ).toBe(200);
    platform.stubborn = false;
    await door.signIn(door.tab(), { sub });
    await house.scim.delete(`/Users/${id}`);
    await settled(id);

    const { body: life } = await eventually(
      () => own('GET', `${at}/history?limit=200&order=asc`),
      ({ body }) => body.data.some(({ kind }: { kind: string }) => kind === 'request'),
    );
    expect(new Set(life.data.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(ENTRY_KINDS));
    await exported(`${at}/history?kind=session,sign_in&since=2020-01-01&until=2100-01-01`);
    await exported('/sign-ins?outcome=refused');
    await own(
      'GET',
      `/sign-ins?user_id=${id}&connection_id=${door.id}&support_id=sin_x&kind=test&reason=no_seat&since=2020-01-01&until=2100-01-01`,
    );
    await exported('/leavers?since=2020-01-01&until=2100-01-01');
    await own('GET', `/leavers?user_id=${id}&state=confirmed`);
    await exported(`/leavers/${id}?state=dismissed`);
    await codes([
      [own('GET', `${at}/sessions`), 404, 'not_found'],
      [own('GET', '/users/usr_x/identities'), 404, 'not_found'],
      [own('POST', '/connections/con_x/forget-subjects', { body: {} }), 404, 'not_found'],
      [own('POST', `/connections/${door.id}/forget-subjects`, { body: { dry_run: 1 } }), 422, 'invalid_fields'],
      [own('DELETE', `/users/usr_x/identities/${door.id}`), 404, 'not_found'],
      [own('DELETE', '/users/usr_x/sessions/ses_x'), 404, 'not_found'],
      [own('GET', '/users/usr_x/history'), 404, 'not_found'],
      [own('GET', '/leavers/usr_x'), 404, 'not_found'],
      [own('GET', '/sign-ins?colour=red'), 422, 'invalid_fields'],
      [own('GET', '/sign-ins?outcome=x'), 422, 'invalid_fields'],
      [own('GET', '/sign-ins?kind=sign_in'), 422, 'invalid_fields'],
      [own('GET', '/sign-ins?reason=unknown'), 422, 'invalid_fields'],
    ]);
  });

  it('each operation has answered with each success that it describes', () => {
    const missing = operations.flatMap((operation) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) < 400)
        .flatMap(([status, { content = {} }]) => [status, ...Object.keys(content).map((type) => `${status} ${type}`)])
        .map((answer) => `${nameOf(operation)} ${answer}`)
        .filter((one) => !api.seen.has(one)),
    );
    expect(missing).toEqual([]);
  });

  it('each operation of browsers and IdPs has answered with each refusal that it describes', () => {
    const missing = operations
      .filter(({ path }) => WALKED.test(path))
      .flatMap((operation) => Object.keys(operation.responses).map((status) => `${nameOf(operation)} ${status}`))
      .filter((one) => !api.seen.has(one));
    // The database is there.
    const away = missing.filter((one) => !one.endsWith(' 503'));
    expect(away).toEqual([]);
  });

  /** Two pages of a list; `path` has a query. */
  async function pages(path: string): Promise<void> {
    const { body } = await own('GET', `${path}&limit=1`);
    if (body.next_cursor !== null) await own('GET', `${path}&limit=1&cursor=${body.next_cursor}`);
  }

  /** A user of the directory. */
  async function person(): Promise<{ id: string; sub: string }> {
    const sub = fresh('sub');
    const name = { givenName: 'Ada', familyName: 'King' };
    return { id: await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub, name })), sub };
  }

  async function look(token: string) {
    return (await api.ask('POST', '/api/auth/introspect', { body: { token } })).body;
  }

  async function readersKey(): Promise<string> {
    return (await house.api.post('/api-keys', { name: 'reader', scopes: ['users:read'] })).body.api_key;
  }

  const settled = (id: string) =>
    eventually(
      () => house.api.get(`/changes?user_id=${id}`),
      ({ body }) => body.data.every(({ state }: { state: string }) => state !== 'pending'),
    );
  const parkedOf = async (id: string) =>
    (
      await eventually(
        () => own('GET', `/leavers/${id}`),
        ({ body }) => body.data[0]?.state === 'parked',
      )
    ).body.data[0];
});
