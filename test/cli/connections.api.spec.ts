import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCli } from '../../src/cli/program.js';
import { authAdmin, type AuthAdmin } from '../auth/connections/support/auth-admin.js';
import { certificate, metadataXml, MetadataServer } from '../auth/connections/support/metadata.js';
import { NameServer } from '../auth/domains/support/name-server.js';

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

async function cli(...args: string[]) {
  let out = '';
  let err = '';
  const env = {
    DATA_DIR: dir,
    TALENT_BRIDGE_URL: edge.url,
    TALENT_BRIDGE_API_KEY: edge.tenant.key,
    OPERATOR_TOKEN: edge.operatorToken,
  };
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli([...args, '--json'], env, terminal);
  return { code, err, out, json: out === '' ? undefined : JSON.parse(out) };
}
const file = (name: string, text: string): string => {
  const at = path.join(dir, name);
  writeFileSync(at, text);
  return at;
};
const oidc = ['connection', 'create-oidc', '--name', 'Okta', '--issuer', 'https://idp.example.com', '--client-id', 'c'];

describe('connections', () => {
  it('are made, shown, switched and deleted; the secret is told to nobody', async () => {
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

  it('say which field was wrong', async () => {
    const refused = await cli(...oidc, '--client-secret', 'x', '--default-role', 'Nobody');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('default_role must name roles')]);
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
