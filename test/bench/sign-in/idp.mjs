// An OpenID provider and a SAML IdP in one process, whose cost no figure counts. `user` in the query of an address says
// who signs in. Prints its port and the certificate of its SAML key.
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import http from 'node:http';
import { inflateRawSync } from 'node:zlib';
import { generate } from 'selfsigned';

const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256', use: 'sig' };
const { private: samlPem, cert } = await generate([{ name: 'commonName', value: 'bench' }], {
  keySize: 2048,
  algorithm: 'sha256',
});
const samlKey = createPrivateKey(samlPem);
/** code → what its ID token says */
const codes = new Map();
let issuer;

const server = http.createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const url = new URL(req.url, issuer);
    const answer = routes[url.pathname]?.(url.searchParams, Buffer.concat(chunks).toString());
    if (answer === undefined) return res.writeHead(404).end();
    if (typeof answer === 'string') return res.writeHead(302, { location: answer }).end();
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});

const routes = {
  '/.well-known/openid-configuration': () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
  }),
  '/jwks': () => ({ keys: [jwk] }),
  '/authorize': (query) => {
    const code = randomBytes(16).toString('hex');
    codes.set(code, { sub: query.get('user'), nonce: query.get('nonce'), aud: query.get('client_id') });
    const back = new URL(query.get('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state'));
    return back.href;
  },
  '/token': (_query, body) => {
    const code = new URLSearchParams(body).get('code');
    const said = codes.get(code);
    codes.delete(code);
    return { access_token: code, token_type: 'Bearer', expires_in: 300, id_token: idToken(said) };
  },
  '/sso': (query) => {
    const request = inflateRawSync(Buffer.from(query.get('SAMLRequest'), 'base64')).toString();
    const attribute = (name) => new RegExp(`\\b${name}="([^"]+)"`).exec(request)[1];
    const audience = /<(?:\w+:)?Issuer[^>]*>([^<]+)</.exec(request)[1];
    const xml = response(attribute('ID'), attribute('AssertionConsumerServiceURL'), audience, query.get('user'));
    return { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: query.get('RelayState') ?? '' };
  },
};

function idToken({ sub, nonce, aud }) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud, sub, nonce, iat: now, exp: now + 300, email: `${sub}@example.com`, sid: sub };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', kid: 'bench', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** A Response with one signed assertion, written in canonical form. */
function response(requestId, acs, audience, user) {
  const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();
  const id = `_${randomBytes(16).toString('hex')}`;
  const open = `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${id}" IssueInstant="${at(0)}" Version="2.0"><saml:Issuer>${issuer}/saml</saml:Issuer>`;
  const rest =
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${user}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData` +
    ` InResponseTo="${requestId}" NotOnOrAfter="${at(300)}" Recipient="${acs}"></saml:SubjectConfirmationData>` +
    `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(-60)}" NotOnOrAfter="${at(300)}">` +
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="${id}"><saml:AuthnContext><saml:AuthnContextClassRef>` +
    `urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement><saml:Attribute Name="email"><saml:AttributeValue>${user}@example.com</saml:AttributeValue>` +
    `</saml:Attribute></saml:AttributeStatement></saml:Assertion>`;
  const digest = createHash('sha256')
    .update(open + rest)
    .digest('base64');
  const info =
    `<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:CanonicalizationMethod Algorithm="${EXC_C14N}">` +
    `</ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256">` +
    `</ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform` +
    ` Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform><ds:Transform` +
    ` Algorithm="${EXC_C14N}"></ds:Transform></ds:Transforms><ds:DigestMethod` +
    ` Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue>` +
    `</ds:Reference></ds:SignedInfo>`;
  const value = sign('sha256', Buffer.from(info), samlKey).toString('base64');
  const signature = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${info.replace(' xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', '')}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return (
    `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="_${randomBytes(16).toString('hex')}" Version="2.0"` +
    ` IssueInstant="${at(0)}" Destination="${acs}" InResponseTo="${requestId}"><saml:Issuer>${issuer}/saml</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `${open}${signature}${rest}</samlp:Response>`
  );
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  console.log(JSON.stringify({ issuer, certificate: cert }));
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
