// What the callers stand on: an honest tenant, and a hostile one with large documents, many users and silent servers.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { generate } from 'selfsigned';
import { seedUsers } from '../bench/seed.mjs';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const USERS = 20_000;
const LARGE = 150;

/** Makes both tenants through the API; what would take the API minutes goes straight into the tables. */
export async function prepareTenants(url, credentials, databaseUrl) {
  const api = async (method, target, token, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(url + target, options);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? null : JSON.parse(text);
  };
  const tenantOf = async (name) => {
    const tenant = await api('POST', '/api/v1/tenants', credentials.operator_token, { name, api_key: { name: 'kit' } });
    const directory = await api('POST', '/api/v1/directories', tenant.api_key, { name: 'kit', guard: 'off' });
    return { id: tenant.id, apiKey: tenant.api_key, directory: directory.id, token: directory.scim_token };
  };
  const honest = await tenantOf('Honest');
  const hostile = await tenantOf('Hostile');

  const connection = (body) => api('POST', '/api/v1/connections', hostile.apiKey, body);
  const saml = await connection({
    type: 'saml',
    name: 'SAML',
    idp_entity_id: 'https://idp.example/saml',
    sso_url: 'https://idp.example/sso',
    certificates: [await certificate()],
  });
  const ashby = async ({ apiKey }) =>
    (await api('POST', '/api/v1/ats-connections', apiKey, { provider: 'ashby' })).api_token;
  const atsTokens = [];
  for (let i = 0; i < 4; i++) atsTokens.push(await ashby(hostile));
  const silent = [];
  for (let i = 0; i < 40; i++) {
    const body = {
      type: 'oidc',
      name: `Silent ${i}`,
      issuer: `https://silent-${i}.example`,
      client_id: 'x',
      client_secret: 'y',
    };
    silent.push((await connection(body)).id);
  }

  const scim = (method, target, body) => api(method, `/scim/v2${target}`, hostile.token, body);
  for (let i = 0; i < LARGE; i++) {
    await scim('POST', '/Users', {
      schemas: [USER],
      userName: `large-${i}`,
      nickName: 'n',
      addresses: Array.from({ length: 15 }, (_, k) => ({ type: `t${k}`, formatted: 'x'.repeat(16_000) })),
    });
  }
  const wide = await scim('POST', '/Users', {
    schemas: [USER],
    userName: 'wide',
    phoneNumbers: Array.from({ length: 1_900 }, (_, i) => ({ value: String(i) })),
  });
  const user = await scim('POST', '/Users', { schemas: [USER], userName: 'target' });
  const group = await scim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'g',
  });

  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await seedUsers(db, hostile.id, hostile.directory, USERS, 'seed');
  await db.end();

  const { mintToken } = await import(pathToFileURL(path.join(ROOT, 'dist/base/crypto/tokens.js')).href);
  const wrongOf = (kind) => Array.from({ length: 2_000 }, () => mintToken(kind, honest.id).token);
  const client = await api('POST', `/api/v1/directories/${honest.directory}/clients`, honest.apiKey, {
    kind: 'secret',
  });
  return {
    honest: { url, token: honest.token, apiKey: honest.apiKey, atsToken: await ashby(honest) },
    hostile: {
      url,
      token: hostile.token,
      apiKey: hostile.apiKey,
      samlSlug: saml.slug,
      atsTokens,
      silent,
      userId: user.id,
      wideId: wide.id,
      groupId: group.id,
      wrong: wrongOf('tbs'),
      honestClient: client.id,
      wrongSecrets: wrongOf('tbd'),
    },
  };
}

async function certificate() {
  const { cert } = await generate([{ name: 'commonName', value: 'idp.example' }], { algorithm: 'sha256' });
  return cert;
}
