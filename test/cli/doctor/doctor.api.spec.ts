import { runCli } from '../../../src/cli/program.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { send } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

async function doctor(input: string, ...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCli(['doctor', ...args], { DATA_DIR: service.dataDir }, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    input: async () => input,
  }); // prettier-ignore
  return { code, out, err };
}
const scim = () => `${service.url}/scim/v2`;

long('finds nothing in the service, leaves no record, and never shows the token', async () => {
  const ran = await doctor(service.tenant.scimToken, scim());
  expect(ran).toMatchObject({ code: 0, err: '18 passed.\n' });
  expect(ran.out + ran.err).not.toContain(service.tenant.scimToken);
  for (const list of ['Users', 'Groups']) {
    expect((await send('GET', `${scim()}/${list}`, service.tenant.scimToken)).body.totalResults).toBe(0);
  }
});

it('answers with one sentence where there is no SCIM service, and exit code 1', async () => {
  const ran = await doctor(service.tenant.scimToken, service.url);
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toBe(
    `${service.url}/ is no SCIM service: GET /ServiceProviderConfig is answered 404. There is one at ${scim()}.\n`,
  );
});

it.each([
  ['a wrong token', 'tbs_wrong', 1, /refuses the credential with 401/],
  ['no credential', '', 2, /A credential is needed/],
])('names %s', async (_, input, code, words) => {
  const ran = await doctor(input, scim());
  expect(ran).toMatchObject({ code, out: '' });
  expect(ran.err).toMatch(words);
});

it('refuses an address with a credential in it, and one that is no address', async () => {
  expect(await doctor('t', 'https://user:word@bridge.example')).toMatchObject({ code: 2, out: '' });
  expect((await doctor('t', 'bridge.example')).code).toBe(2);
});

it('prints the findings as JSON', async () => {
  const ran = await doctor('tbs_wrong', scim(), '--json');
  expect(JSON.parse(ran.out)).toMatchObject({
    program: 'doctor',
    ok: false,
    checks: [{ name: 'address', result: 'failed', findings: [{ code: 'credential_refused', field: 'Authorization' }] }],
  });
});
