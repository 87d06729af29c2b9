import { adminApp, type AdminApp } from '../support/admin-app.js';
let a: AdminApp;
beforeAll(async () => { a = await adminApp(); });
afterAll(async () => { await a?.close(); });
it('works', async () => {
  for (const [m, u, o] of [
    ['GET', '/api/me'], ['GET', '/v1/me'], ['GET', '/api/v1/api-keys'], ['GET', '/api/v1/roles'], ['GET','/api/v1/audit'], ['POST','/api/v1/audit/verify'],
    ['POST', '/api/v1/directories', { body: { name: 'Okta', guard: { percent: 10 } } }], ['GET', '/api/v1/directories'],
    ['GET', '/nothing'], ['PUT', '/api/v1/roles'], ['GET', '/scim/v2/Nope'], ['POST', '/api/v1/roles', { raw: '{', headers: {'content-type': 'application/json'} }],
    ['POST', '/api/v1/roles', { body: { name: 1, x: 2 } }], ['GET', '/healthz'], ['GET', '/readyz'], ['GET', '/docs'], ['GET','/docs/'], ['GET','/docs/swagger-ui-init.js'], ['GET', '/docs/problems'], ['GET', '/console'], ['GET', '/api/v1/audit?format=csv'], ['GET', '/%ff'], ['GET', '/api/v1/me', {token: null}], ['GET', '/metrics'], ['GET', '/docs/openapi.json'],
  ] as [string, string, any][]) {
    const r = await a.call(m, u, o);
    console.log(m, u, r.status, r.text.slice(0, u === '/metrics' ? 0 : 500), u === '/metrics' ? r.text.slice(-700) : '');
  }
  console.log(a.lines.slice(-5).join(''));
});
