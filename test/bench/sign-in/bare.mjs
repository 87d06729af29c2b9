// The libraries alone: openid-client and node-saml behind node:http, with requests and sessions in memory. They check
// what they check without us: state, nonce, PKCE, the signature of the ID token; the signature, times, audience and
// InResponseTo of the assertion. No tenants, no users, no log.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import http from 'node:http';
import { SAML } from '@node-saml/passport-saml';
import * as client from 'openid-client';

const { issuer, certificate } = JSON.parse(process.argv[2]);
const server = http.createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const url = new URL(req.url, origin);
    routes[url.pathname](url, Buffer.concat(chunks).toString(), req).then(
      ([location, cookie]) => res.writeHead(303, { location, ...(cookie ? { 'set-cookie': cookie } : {}) }).end(),
      (error) => res.writeHead(500).end(String(error.stack)),
    );
  });
});
server.keepAliveTimeout = 60_000;
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const oidc = await client.discovery(new URL(issuer), 'bench', undefined, client.ClientSecretBasic('secret'), {
  execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
});
const asked = new Map();
const saml = new SAML({
  callbackUrl: `${origin}/callback/saml`,
  entryPoint: `${issuer}/sso`,
  issuer: `${origin}/metadata`,
  audience: `${origin}/metadata`,
  idpCert: certificate,
  idpIssuer: `${issuer}/saml`,
  // As the service signs: 3 072 bits.
  privateKey: generateKeyPairSync('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey,
  signatureAlgorithm: 'sha256',
  wantAssertionsSigned: true,
  wantAuthnResponseSigned: false,
  validateInResponseTo: 'always',
  identifierFormat: null,
  disableRequestedAuthnContext: true,
});
const sessions = new Map();

function signedIn(subject, claims) {
  const token = randomBytes(32).toString('base64url');
  sessions.set(createHash('sha256').update(token).digest('base64'), { subject, claims });
  return [`${origin}/`, `session=${token}; Path=/; HttpOnly; SameSite=Lax`];
}

const routes = {
  '/login/oidc': async () => {
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    asked.set(state, { nonce, verifier });
    const address = client.buildAuthorizationUrl(oidc, {
      redirect_uri: `${origin}/callback/oidc`,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return [address.href, `state=${state}; Path=/; HttpOnly`];
  },
  '/callback/oidc': async (url, _body, req) => {
    const state = /state=([^;]+)/.exec(req.headers.cookie)[1];
    const { nonce, verifier } = asked.get(state);
    asked.delete(state);
    const tokens = await client.authorizationCodeGrant(oidc, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    return signedIn(claims.sub, claims);
  },
  '/login/saml': async () => [await saml.getAuthorizeUrlAsync(randomBytes(16).toString('hex'), undefined, {})],
  '/callback/saml': async (_url, body) => {
    const { profile } = await saml.validatePostResponseAsync(Object.fromEntries(new URLSearchParams(body)));
    return signedIn(profile.nameID, profile);
  },
};

console.log(new URL(origin).port);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
