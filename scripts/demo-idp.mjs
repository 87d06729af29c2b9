// `npm run demo:idp`: an OpenID provider and a SAML IdP beside the service, each with a connection of the demo tenant and
// the same two users. The service is started with the setting that it needs, unless one runs already. DEMO_IDP_PORTS=4711,4712 are
// their ports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { demandPorts, isReady, startService } from './demo-service.mjs';
import { helpOf, prepare } from './prepare.mjs';

helpOf();
await prepare();

const SERVICE = process.env.BASE_URL ?? `http://localhost:${process.env.PORT ?? 3000}`;
const DATA_DIR = process.env.DATA_DIR ?? '.data';
const [OIDC_PORT, SAML_PORT] = (process.env.DEMO_IDP_PORTS ?? '4711,4712').split(',').map(Number);
await demandPorts([OIDC_PORT, SAML_PORT], 'DEMO_IDP_PORTS');
const SETTING = { ALLOW_PRIVATE_DESTINATIONS: 'true' };
const DOMAIN = 'demo-company.example';
const SECRET = 'secret-of-the-demo-and-of-nothing-else';
/** Users of the company: both IdPs know them, and the directory sends them. */
const USERS = { ada: ['Ada', 'Lovelace'], ben: ['Ben', 'Franklin'] };
const mailOf = (name) => `${name}@${DOMAIN}`;

const children = [];
let service = null;
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

if (await isReady(SERVICE)) {
  console.log(`A service runs at ${SERVICE}.`);
} else {
  service = await startService(SERVICE, SETTING);
  service.once('exit', stop);
}

const credentials = readCredentials();
const auth = (place) => `${SERVICE}/api/auth/${place}`;
const op = await program('test/protocols/oidc/support/provider.mjs', {
  port: OIDC_PORT,
  clients: [
    {
      client_id: 'talent-bridge',
      client_secret: SECRET,
      redirect_uris: [auth('callback/demo-oidc')],
      post_logout_redirect_uris: [auth('signed-out')],
      backchannel_logout_uri: auth('backchannel-logout/demo-oidc'),
      backchannel_logout_session_required: true,
    },
  ],
  accounts: { ...accounts(oidcAccount), eve: oidcAccount('eve', ['Eve', 'Unknown']) },
});
const idp = await program('test/support/sign-in/saml-idp.mjs', {
  port: SAML_PORT,
  acs: auth('callback/demo-saml'),
  users: { ...accounts(samlAccount), eve: samlAccount('eve', ['Eve', 'Unknown']) },
});

const { directory } = await setUp();
const ids = {};
for (const [name, [givenName, familyName]] of Object.entries(USERS))
  ids[name] = await user(name, givenName, familyName);
const SCIM_PATCH = (active) => `curl -s -X PATCH ${credentials.scim_base_url}/Users/${ids.ada} \\
     -H "Authorization: Bearer $(node -p "require('${path.resolve(DATA_DIR)}/credentials.json').scim_token")" \\
     -H 'Content-Type: application/scim+json' \\
     -d '{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"active","value":${active}}]}'`;

console.log(`
Two IdPs run until Ctrl-C. Both connections are paired with the directory ${directory}.

  OIDC  ${op.issuer}             connection demo-oidc
  SAML  ${idp.entity_id}    connection demo-saml

1. Sign in by OIDC: open ${auth('login?connection=demo-oidc')} and type the user name ada.
2. Sign in by SAML: open ${auth('login?connection=demo-saml')} in a private window, and type ben.
   Or begin with an e-mail: open ${auth('login')} and type ${mailOf('ada')}.
3. Sign in as eve by OIDC, whom both IdPs know and the directory does not. The page has a support id.
4. Look at the log:                npx talent-bridge sign-in list
5. Deactivate ada, as the IdP would by SCIM. Load ada's page again: the session has ended.

   ${SCIM_PATCH(false)}

   Sign in as ada again: refused. With "value":true in the command ada comes back.
6. See what happened to ada:       npx talent-bridge user show ${mailOf('ada')}
`);

function readCredentials() {
  const file = path.join(DATA_DIR, 'credentials.json');
  if (!existsSync(file)) fail(`There is no ${file}. Name the data folder of the service in DATA_DIR.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function accounts(accountOf) {
  return Object.fromEntries(Object.entries(USERS).map(([name, names]) => [name, accountOf(name, names)]));
}

function oidcAccount(name, [given_name, family_name]) {
  const email = mailOf(name);
  return { sub: name, email, email_verified: true, preferred_username: email, given_name, family_name };
}

function samlAccount(name, [firstName, lastName]) {
  const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
  return { nameId: name, nameIdFormat, claims: { email: mailOf(name), firstName, lastName } };
}

/** Starts an IdP of the tests as a process of its own; returns the line that it prints. */
async function program(file, config) {
  const child = spawn(process.execPath, ['--no-deprecation', file, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const line = once(createInterface(child.stdout), 'line');
  const first = await Promise.race([line, once(child, 'exit').then(() => null)]);
  if (first === null) fail(`${file} did not start on port ${config.port}. DEMO_IDP_PORTS=<port>,<port> names others.`);
  return JSON.parse(first[0]);
}

/** Makes both connections and the domain, or brings them up to date. */
async function setUp() {
  const { data: directories } = await api('GET', '/directories');
  const paired = directories.find(({ name }) => name === 'Demo directory') ?? directories.at(-1);
  const directory_id = paired?.id ?? null;
  const oidc = await connection('demo-oidc', {
    type: 'oidc',
    name: 'Demo OpenID provider',
    issuer: op.issuer,
    client_id: 'talent-bridge',
    directory_id,
  });
  await connection('demo-saml', {
    type: 'saml',
    name: 'Demo SAML IdP',
    idp_entity_id: idp.entity_id,
    sso_url: idp.sso_url,
    certificates: [idp.certificate],
    directory_id,
  });
  const domain = `/tenants/${credentials.tenant_id}/domains/${DOMAIN}`;
  await api('PUT', domain, { connection_id: oidc.id }, credentials.operator_token);
  return { directory: paired?.name ?? 'of no directory' };
}

/** Makes a connection, or changes the one with this slug. The certificate of the SAML IdP is another one at each start. */
async function connection(slug, { type, ...fields }) {
  const { data } = await api('GET', `/connections?slug=${slug}`);
  const [known] = data;
  // A secret that is sent again counts as a change.
  const secret = type === 'oidc' && known?.issuer !== fields.issuer ? { client_secret: SECRET } : {};
  if (known !== undefined) return api('PATCH', `/connections/${known.id}`, { ...fields, ...secret });
  return api('POST', '/connections', { type, slug, ...fields, ...secret });
}

/** Has the directory send a user, or reactivates the one of an earlier start; returns the id. */
async function user(name, givenName, familyName) {
  const scim = (method, place, body) =>
    call(method, `${credentials.scim_base_url}${place}`, body, credentials.scim_token, 'application/scim+json');
  const resource = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: mailOf(name),
    externalId: name,
    active: true,
    name: { givenName, familyName },
    emails: [{ value: mailOf(name), type: 'work', primary: true }],
  };
  const { Resources: known } = await scim(
    'GET',
    `/Users?filter=${encodeURIComponent(`userName eq "${mailOf(name)}"`)}`,
  );
  const { id } = known.length > 0 ? await scim('PUT', `/Users/${known[0].id}`, resource) : await scim('POST', '/Users', resource); // prettier-ignore
  return id;
}

function api(method, place, body, token = credentials.api_key) {
  return call(method, `${SERVICE}/api/v1${place}`, body, token, 'application/json');
}

async function call(method, url, body, token, type) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? null : JSON.parse(text);
  if (answer.status === 422 && /must begin with https|public address/.test(text)) {
    fail(
      `The service at ${SERVICE} takes no IdP on this machine. Stop it, and start it with: ALLOW_PRIVATE_DESTINATIONS=true npm start`,
    );
  }
  return fail(`${method} ${url} answered ${answer.status}: ${text.slice(0, 1_000)}`);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
  stop();
  process.exit();
}

function stop() {
  service?.kill('SIGTERM');
  for (const child of children) child.kill();
}
