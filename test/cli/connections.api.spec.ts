import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCli } from '../../src/cli/program.js';
import { authAdmin, type AuthAdmin } from '../auth/connections/support/auth-admin.js';
import { certificate, metadataXml, MetadataServer } from '../auth/connections/support/metadata.js';
import { NameServer } from '../support/name-server.js';
import { long } from '../support/rounds.js';

let names: NameServer;
let idp: MetadataServer;
let edge: AuthAdmin;
let dir: string;
let pem: string;
beforeAll(async () => {
  names = await NameServer.start();
  idp = await MetadataServer.start();
  edge = await authAdmin({ DNS_SERVERS: names.address });
  dir = mkdtempSync(path.join(os.tmpdir(), 'bridge-cli-auth-'));
  pem = await certificate();
});
afterAll(async () => {
  await edge.close();
  await idp.close();
  await names.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What is printed for people. */
async function plain(...args: string[]): Promise<string> {
  return (await run(args)).out;
}

async function cli(...args: string[]) {
  const { code, err, out } = await run([...args, '--json']);
  return { code, err, out, json: out === '' ? undefined : JSON.parse(out) };
}

async function run(args: string[]) {
  let out = '';
  let err = '';
  const env = {
    DATA_DIR: dir,
    TALENT_BRIDGE_URL: edge.url,
    TALENT_BRIDGE_API_KEY: edge.tenant.key,
    OPERATOR_TOKEN: edge.operatorToken,
  };
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli(args, env, terminal);
  return { code, err, out };
}
const file = (name: string, text: string): string => {
  const at = path.join(dir, name);
  writeFileSync(at, text);
  return at;
};
const oidc = ['connection', 'create-oidc', '--name', 'Okta', '--issuer', 'https://idp.example.com', '--client-id', 'c'];

describe('connections', () => {
  it('can be made inactive, and shown as a text for people', async () => {
    const made = await cli('connection', 'create-saml', '--name', 'ADFS', '--slug', 'cli-adfs', '--disabled',
      '--idp-entity-id', 'https://adfs.example.com', '--sso-url', 'https://adfs.example.com/sso',
      '--certificate-file', file('adfs.pem', pem)); // prettier-ignore
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.json.sp_slo_url).toBe('https://app.example.com/api/auth/slo/cli-adfs');
    expect((await cli('connection', 'show', 'cli-adfs')).json).toMatchObject({ enabled: false });
    const shown = await plain('connection', 'show', 'cli-adfs');
    expect(shown).toMatch(/certificates +until \d{4}-\d\d-\d\d \([0-9A-F:]{16}…\)/);
    expect(shown).not.toContain('BEGIN');
    await cli('connection', 'enable', 'cli-adfs');
    expect((await cli('connection', 'show', 'cli-adfs')).json).toMatchObject({ enabled: true });
    await cli('connection', 'delete', 'cli-adfs');
  });

  it('are made, shown, switched and deleted; no answer has the secret', async () => {
    const made = await cli(
      ...oidc,
      '--client-secret',
      'cli-secret',
      '--scopes',
      'openid, groups',
      '--slug',
      'cli-okta',
    );
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.json).toEqual({
      connection_id: expect.stringMatching(/^con_/),
      slug: 'cli-okta',
      type: 'oidc',
      name: 'Okta',
      callback_url: 'https://app.example.com/api/auth/callback/cli-okta',
      signed_out_url: 'https://app.example.com/api/auth/signed-out',
      backchannel_logout_url: 'https://app.example.com/api/auth/backchannel-logout/cli-okta',
      frontchannel_logout_url: 'https://app.example.com/api/auth/frontchannel-logout/cli-okta',
      login_url: expect.any(String),
    });
    const shown = await cli('connection', 'show');
    expect(shown.json).toMatchObject({
      id: made.json.connection_id,
      scopes: ['openid', 'groups'],
      client_secret_set: true,
    });
    expect(made.out + shown.out).not.toContain('cli-secret');
    expect((await cli('connection', 'disable')).json).toMatchObject({ enabled: false });
    expect((await cli('connection', 'list')).json).toMatchObject([{ slug: 'cli-okta', enabled: false }]);
    expect((await cli('connection', 'enable')).json).toMatchObject({ enabled: true });
    const { connection_id: id } = made.json;
    expect((await cli('connection', 'delete', id)).json).toEqual({ connection_id: id, deleted: true });
    expect((await cli('connection', 'show', id)).code).toBe(1);
    expect((await cli('connection', 'show')).code).toBe(2);
  });

  it('name the wrong field', async () => {
    const refused = await cli(...oidc, '--client-secret', 'x', '--default-role', 'Unknown');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--default-role must name roles')]);
    expect((await cli('connection', 'create-saml', '--name', 'x', '--metadata-file', '/nowhere')).code).toBe(2);
    expect((await cli('connection', 'create-oidc', '--name', 'x')).code).toBe(2);
  });

  it('by SAML: from a file, from fields, and from an address that is read again', async () => {
    const tenant = (await cli('tenant', 'create', '--name', 'SAML')).json.tenant_id as string;
    const saml = (...more: string[]) => cli('connection', 'create-saml', '--tenant', tenant, '--name', 'ADFS', ...more);
    const metadata = file('metadata.xml', metadataXml({ certificates: [pem] }));
    const first = await saml('--metadata-file', metadata, '--allow-idp-initiated');
    expect([first.code, first.json.entity_id]).toEqual([0, first.json.sp_metadata_url]);
    const certificates = file('idp.pem', `subject=x\n${pem}\n${await certificate()}`);
    const fields = ['--idp-entity-id', 'e', '--sso-url', 'https://idp.example.com', '--certificate-file', certificates];
    const second = await saml(...fields, '--clock-skew-seconds', '30');
    const show = (id: string) => cli('connection', 'show', id, '--tenant', tenant);
    expect((await show(first.json.connection_id)).json).toMatchObject({ allow_idp_initiated: true });
    const shown = (await show(second.json.connection_id)).json;
    expect([shown.certificates.length, shown.clock_skew_seconds]).toEqual([2, 30]);

    idp.say(metadataXml({ certificates: [pem] }));
    const third = (await saml('--metadata-url', idp.url)).json.connection_id as string;
    idp.say(metadataXml({ certificates: [await certificate()] }));
    const refresh = (...more: string[]) => cli('connection', 'refresh-metadata', third, '--tenant', tenant, ...more);
    expect((await refresh()).err).toContain('needs your confirmation');
    expect((await refresh('--confirm')).json).toMatchObject({ connection_id: third, certificates: 1 });
  });
});

describe('connection set', () => {
  let tenant: string;
  let id: string;
  const inTenant = (...args: string[]) => cli(...args, '--tenant', tenant);
  const set = (...args: string[]) => inTenant('connection', 'set', ...args);
  beforeAll(async () => {
    tenant = (await cli('tenant', 'create', '--name', 'Set')).json.tenant_id;
    const made = await inTenant(...oidc, '--client-secret', 's', '--slug', 'set-okta', '--scopes', 'openid,groups');
    id = made.json.connection_id;
  });

  it('changes the named options, in the words of create, and keeps the rest', async () => {
    const before = (await inTenant('connection', 'show')).json;
    const changed = await set(
      ...['set-okta', '--name', 'Okta EU', '--link-claim=oid', '--jit', 'on', '--max-age-seconds', '60'],
      ...['--role-map', 'CN=Admins=Admin,staff=User', '--claim-map', 'email=mail,role=groups'],
      ...['--return-origins', 'https://a.example, https://b.example', '--token-auth', 'client_secret_post'],
    );
    expect([changed.code, changed.err]).toEqual([0, '']);
    expect(changed.json).toEqual({
      ...before,
      name: 'Okta EU',
      link_claim: 'oid',
      jit: true,
      max_age_seconds: 60,
      role_map: { 'CN=Admins': 'Admin', staff: 'User' },
      claim_map: { email: 'mail', role: 'groups' },
      return_origins: ['https://a.example', 'https://b.example'],
      token_auth: 'client_secret_post',
      version: before.version + 1,
      updated_at: changed.json.updated_at,
    });
  });

  it('removes optional settings, and reads names with commas as JSON', async () => {
    const none = ['--link-claim', 'none', '--max-age-seconds', 'none', '--return-origins', 'none', '--jit', 'off'];
    expect((await set(id, ...none, '--claim-map', 'email=', '--role-map', '{"CN=A,OU=B":"Admin"}')).json).toMatchObject(
      {
        link_claim: null,
        max_age_seconds: null,
        return_origins: [],
        jit: false,
        claim_map: { role: 'groups' },
        role_map: { 'CN=A,OU=B': 'Admin' },
      },
    );
    expect((await set(id, '--role-map', 'none')).json.role_map).toEqual({});
    // Only what can be without a value; a name can be any word.
    expect((await set(id, '--name', 'none')).json.name).toBe('none');
  });

  it('sets files of SAML and the key that signs our requests', async () => {
    const fields = ['--idp-entity-id', 'e', '--sso-url', 'https://idp.example.com', '--certificate-file'];
    const made = ['connection', 'create-saml', '--name', 'ADFS', '--slug', 'set-adfs', ...fields, file('one.pem', pem)];
    expect((await inTenant(...made, '--sign-requests', 'off')).code).toBe(0);
    const two = file('two.pem', `${pem}\n${await certificate()}`);
    const { json } = await set('set-adfs', '--certificate-file', two, '--sign-requests', 'on', '--signed', 'both');
    expect([json.certificates.length, json.sign_requests, json.signed]).toEqual([2, true, 'both']);
  });

  it.each<[string, string[], number, RegExp]>([
    ['nothing to change', ['set-okta'], 2, /Say what to change/],
    ['an option that is none', ['set-okta', '--slug', 'x'], 2, /unknown option '--slug'/],
    ['no flag', ['set-okta', '--jit', 'maybe'], 2, /--jit is on or off/],
    ['no option for a nested field', ['set-okta', '--claim-map', `email=${'x'.repeat(501)}`], 1, /--claim-map\.email /],
    ['no number', ['set-okta', '--max-age-seconds', 'soon'], 2, /must be a whole number/],
    ['no pairs', ['set-okta', '--role-map', 'Admin'], 2, /--role-map is written as a=b,c=d/],
    ['no JSON', ['set-okta', '--role-map', '{'], 2, /--role-map is no JSON/],
    ['no file', ['set-adfs', '--certificate-file', '/nowhere'], 2, /ENOENT/],
    ['what belongs to the other type', ['set-okta', '--sso-url', 'https://x.example'], 1, /--sso-url belongs to SAML/],
    ['a role that is none', ['set-okta', '--default-role', 'none'], 1, /--default-role must name roles/],
    ['an unknown slug', ['okta', '--name', 'x'], 1, /No connection is called okta; there are: .*set-okta/],
    ['several', ['--name', 'x'], 2, /several connections; name one: .*set-okta/],
  ])('%s', async (_, args, code, message) => {
    const result = await set(...args);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toMatch(message);
  });

  long('accepts a slug in place of the id', async () => {
    for (const verb of ['show', 'disable', 'enable']) {
      expect([verb, (await inTenant('connection', verb, 'set-okta')).code]).toEqual([verb, 0]);
    }
    const domain = await inTenant('domain', 'add', 'set.example', '--connection-id', 'set-okta');
    const trusted = await inTenant('domain', 'trust', 'set2.example', '--connection-id', 'set-okta');
    expect([domain.code, trusted.json.connection_id]).toEqual([0, id]);
    const again = await inTenant('domain', 'add', 'set.example');
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('is bound to the connection set-okta')]);
    const bind = async (to: string) => (await inTenant('domain', 'bind', 'set.example', '--connection-id', to)).json;
    expect([(await bind('none')).connection_id, (await bind('set-okta')).connection_id]).toEqual([null, id]);
    expect((await inTenant('connection', 'delete', 'set-okta')).json).toEqual({ connection_id: id, deleted: true });
  });
});

it('names options in refusals, and no fields of the API', async () => {
  const none = await cli('connection', 'create-saml', '--name', 'x', '--metadata-url', 'http://x', '--sso-url', 'https://x.example');
  expect(none.code).toBe(1);
  expect(none.err).toContain(
    '--metadata-url name exactly one of --metadata-url, --metadata-file, or --idp-entity-id with --sso-url and --certificate-file',
  );
  const fields = ['--idp-entity-id', 'e', '--sso-url', 'nothing', '--certificate-file', file('bad.pem', pem)];
  const bad = await cli('connection', 'create-saml', '--name', 'x', ...fields, '--clock-skew-seconds', '900');
  expect(bad.err).toMatch(/--clock-skew-seconds must be a whole number from 0 to 180/);
  expect(bad.err).not.toMatch(/[a-z]_[a-z]/);
}); // prettier-ignore

it('exits with 1 after a failed check, and prints its findings', async () => {
  const made = await cli('connection', 'create-oidc', '--name', 'Away', '--slug', 'cli-away', '--client-id', 'c',
    '--client-secret', 's', '--issuer', 'http://127.0.0.1:9'); // prettier-ignore
  expect(made.code).toBe(0);
  const checked = await cli('connection', 'check', 'cli-away');
  expect([checked.code, checked.json.ok]).toEqual([1, false]);
  expect(checked.err).toBe(`Not ok. ${checked.json.problem}\n`);
});

it('finds a connection of the own tenant by its slug', async () => {
  const made = await cli('connection', 'create-oidc', '--name', 'Found', '--slug', 'cli-found', '--client-id', 'c',
    '--client-secret', 's', '--issuer', 'https://idp.example.com'); // prettier-ignore
  const found = async (slug: string, api = edge.tenant.api) =>
    (await api.get(`/connections?slug=${slug}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await found('cli-found')).toEqual([made.json.connection_id]);
  expect(await found('cli-foun')).toEqual([]);
  expect(await found('cli-found', (await edge.newTenant()).api)).toEqual([]);
  expect((await edge.tenant.api.get('/connections?slog=x')).status).toBe(422);
  await cli('connection', 'delete', 'cli-found');
  expect(await found('cli-found')).toEqual([]);
});

describe('domains', () => {
  it('are added, verified, listed and removed', async () => {
    const added = await cli('domain', 'add', 'Cli.example');
    expect(added.json).toMatchObject({ domain: 'cli.example', state: 'pending', type: 'TXT' });
    const early = await cli('domain', 'verify', 'cli.example');
    expect([early.code, early.err]).toEqual([1, expect.stringContaining(added.json.value)]);
    names.zone.set(added.json.name, { txt: [added.json.value] });
    expect((await cli('domain', 'verify', 'cli.example')).json).toMatchObject({
      state: 'verified',
      verified_by: 'dns',
    });
    expect((await cli('domain', 'list')).json).toMatchObject([{ domain: 'cli.example', state: 'verified' }]);
    expect((await cli('domain', 'remove', 'cli.example')).json).toEqual({ domain: 'cli.example', removed: true });
    expect((await cli('domain', 'list')).json).toEqual([]);
  });

  it('are trusted by the operator, for the own tenant or another', async () => {
    const other = await edge.newTenant();
    expect((await cli('domain', 'trust', 'trusted.example')).json).toMatchObject({ verified_by: 'operator' });
    expect((await cli('domain', 'trust', 'theirs.example', '--tenant', other.id)).json).toMatchObject({
      state: 'verified',
    });
    expect((await edge.tenant.api.get('/domains/trusted.example')).status).toBe(200);
    expect((await other.api.get('/domains/theirs.example')).status).toBe(200);
    expect((await cli('domain', 'trust', 'theirs.example')).code).toBe(1);
  });
});
