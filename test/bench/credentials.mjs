// The credentials of directories: access tokens beside SCIM tokens, the request for an access token beside the least program
// that could answer it, and the price of a list of networks.
import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { CONCURRENCY, ROUNDS, scaled } from './contenders.mjs';
import { load, median } from './load.mjs';
import { startProgram } from './peers.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const report = new Report();
const stage = await startStage();
const { db, origin, service, database } = stage;
const newTenant = newTenantOf(stage);
const { tenant, directory, token, apiKey } = await newTenant('credentials');
const ids = await seedUsers(db, tenant, directory, 2_000, 'credentials');
await db.query('create database tokens');

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256', use: 'sig' };
const lean = await startProgram('token-server.mjs', [database.server.url('tokens'), JSON.stringify(jwk)]);
const secret = await api('POST', `/directories/${directory}/clients`, { kind: 'secret' });
const signer = await api('POST', `/directories/${directory}/clients`, {
  kind: 'private_key_jwt',
  jwks: { keys: [jwk] },
});
const accessToken = (await (await fetch(`${origin}/oauth/token`, post(formOf(secret.id, secret.client_secret)))).json())
  .access_token;

const read = (bearer) => (i) => ({
  method: 'GET',
  headers: { authorization: `Bearer ${bearer}` },
  path: `/scim/v2/Users/${ids[i % ids.length]}`,
});
const reads = (bearer) => () => load(origin, CONCURRENCY, scaled(4_000), read(bearer));
await beside('read with an access token, to one with a SCIM token', 0.97, reads(accessToken), reads(token));

const tokens = (at, form) => () =>
  load(at, CONCURRENCY, scaled(1_000), () => ({ ...post(form), path: '/oauth/token' }));
await beside(
  'access token for a secret, to the leanest program',
  0.5,
  tokens(origin, formOf(secret.id, secret.client_secret)),
  tokens(lean.url, formOf('client', 'secret')),
);

const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
const assertion = (id, audience) =>
  new SignJWT({ iss: id, sub: id, aud: audience })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(key);
const asserted = async (id, audience) =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_assertion_type: BEARER,
    client_assertion: await assertion(id, audience),
  }).toString();
// An assertion of a client's own key counts once.
const REQUESTS = scaled(1_000);
const assertions = await Promise.all(
  Array.from({ length: REQUESTS * (ROUNDS + 2) }, () => asserted(signer.id, signer.token_url)),
);
const fresh = () => ({ ...post(assertions.pop()), path: '/oauth/token' });
await beside(
  'access token for an assertion, to the leanest program',
  0.6,
  () => load(origin, CONCURRENCY, REQUESTS, fresh),
  tokens(lean.url, await asserted('client', 'bench')),
);

const listed = await newTenant('networks');
const listedIds = await seedUsers(db, listed.tenant, listed.directory, 2_000, 'credentials');
const networks = Array.from({ length: 98 }, (_, i) => `10.${i}.0.0/16`);
await api(
  'PATCH',
  `/directories/${listed.directory}`,
  { allow_from: [...networks, '127.0.0.0/8', '::1/128'] },
  listed.apiKey,
);
const within = (i) => ({ ...read(listed.token)(i), path: `/scim/v2/Users/${listedIds[i % listedIds.length]}` });
await beside(
  'read of a directory with 100 networks, to one without',
  0.99,
  () => load(origin, CONCURRENCY, scaled(4_000), within),
  reads(token),
);

const failed = report.print();
await lean.stop();
await service.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

/** Rates in turns; the figure is the median of the ratios of neighbouring turns, after two rounds for V8. */
async function beside(name, target, one, other) {
  const rates = [[], []];
  for (let round = 0; round < ROUNDS + 2; round++) {
    const pair = round % 2 === 0 ? [await one(), await other()] : [await other(), await one()].reverse();
    if (round < 2) continue;
    rates[0].push(pair[0]);
    rates[1].push(pair[1]);
  }
  const ratio = median(rates[0].map((rate, i) => rate / rates[1][i]));
  const scale = `${Math.round(median(rates[0]))}/s of ${Math.round(median(rates[1]))}/s`;
  report.add(name, ratio.toFixed(2), `≥ ${target}`, ratio >= target, scale);
}

async function api(method, path, body, credential = apiKey) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function formOf(id, clientSecret) {
  return new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: clientSecret,
  }).toString();
}

function post(body) {
  return { method: 'POST', headers: FORM, body };
}
