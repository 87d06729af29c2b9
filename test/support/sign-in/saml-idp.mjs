/**
 * A real SAML IdP (samlp) as a process of its own: `node saml-idp.mjs '<json>'`. Prints one line of JSON,
 * `{ entity_id, sso_url, slo_url, certificate }`, when it listens, and ends when its standard input does.
 *
 * The configuration:
 *   port       0 or left out: any
 *   host       the name in its addresses, `127.0.0.1` unless set
 *   users      user name → { nameId, nameIdFormat, claims }
 *   acs        where its answers go
 *   sp         { entity_id, certificate, slo_url }: known to it for single logout
 *   encryptTo  a certificate: assertions are encrypted to it
 *   encryptionKey  the public key (PEM) of that certificate
 *
 * A user without a session there, or whom the request asks to sign in anew (ForceAuthn), gets a form.
 */
import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import express from 'express';
import samlp from 'samlp';
import { generate } from 'selfsigned';

const config = JSON.parse(process.argv[2] ?? '{}');
const host = config.host ?? '127.0.0.1';
const { private: key, cert } = await generate([{ name: 'commonName', value: 'IdP of tests' }], {
  keySize: 2048,
  algorithm: 'sha256',
});
const app = express();
app.set('query parser', 'simple');
app.use(express.urlencoded({ extended: false }));
const server = app.listen(config.port ?? 0, '127.0.0.1', () => {
  const base = `http://${host}:${server.address().port}`;
  routes(base);
  process.stdout.write(
    `${JSON.stringify({ entity_id: `${base}/metadata`, sso_url: `${base}/sso`, slo_url: `${base}/slo`, certificate: cert })}\n`,
  );
});
process.stdin.on('end', () => process.exit(0)).resume();

/** cookie → { user, index, participants, states } */
const sessions = new Map();

class Profile {
  constructor(user) {
    this.user = user;
  }
  getClaims() {
    return this.user.claims ?? {};
  }
  getNameIdentifier() {
    return { nameIdentifier: this.user.nameId, nameIdentifierFormat: this.user.nameIdFormat };
  }
}
const profileMapper = (user) => new Profile(user);
profileMapper.prototype = { metadata: [] };

function routes(base) {
  const sso = (req, res, next) => {
    const asked = { ...req.query, ...req.body };
    let session = sessions.get(cookieOf(req));
    const force = asked.SAMLRequest !== undefined && /ForceAuthn="true"/.test(requestText(req, asked.SAMLRequest));
    if (asked.user !== undefined) {
      session = begin(res, asked.user);
      if (session === null) return res.status(403).send(form(asked, `There is no ${asked.user}.`));
    } else if (session === undefined || force) return res.send(form(asked, ''));
    samlp.auth({
      issuer: `${base}/metadata`,
      cert,
      key,
      sessionIndex: session.index,
      destination: config.acs,
      recipient: config.acs,
      profileMapper,
      getUserFromRequest: () => session.user,
      getPostURL: (_audience, _dom, _req, done) => done(null, config.acs),
      nameIdentifierFormat: session.user.nameIdFormat,
      // An answer to nothing: the IdP begins, and the form names the user.
      ...(asked.SAMLRequest === undefined ? { audience: config.sp?.entity_id } : {}),
      ...(config.encryptTo
        ? {
            encryptionCert: config.encryptTo,
            encryptionPublicKey: config.encryptionKey,
            encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
          }
        : {}),
    })(req, res, next);
  };
  app.get('/sso', sso);
  app.post('/sso', sso);

  const slo = (req, res, next) => {
    req.body ??= {};
    const id = cookieOf(req);
    const session = sessions.get(id) ?? { participants: [], states: new Map() };
    samlp.logout({
      issuer: `${base}/metadata`,
      cert,
      key,
      deflate: req.method === 'GET',
      protocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
      destination: config.sp?.slo_url,
      sessionParticipants: participants(session),
      store: storeOf(session),
      clearIdPSession: (done) => {
        sessions.delete(id);
        done();
      },
    })(req, res, next);
  };
  app.get('/slo', slo);
  app.post('/slo', slo);
  app.use((error, _req, res, _next) => {
    process.stderr.write(`saml-idp: ${error.stack}\n`);
    res.status(400).type('text/plain').send(String(error.message));
  });
}

function begin(res, name) {
  const user = config.users?.[name];
  if (user === undefined) return null;
  const id = randomBytes(16).toString('hex');
  const index = `_${randomBytes(8).toString('hex')}`;
  const session = { user, index, states: new Map(), participants: [] };
  if (config.sp !== undefined) {
    session.participants.push({
      serviceProviderId: config.sp.entity_id,
      nameId: user.nameId,
      nameIdFormat: user.nameIdFormat,
      sessionIndex: index,
      serviceProviderLogoutURL: config.sp.slo_url,
      cert: config.sp.certificate,
    });
  }
  sessions.set(id, session);
  res.setHeader('Set-Cookie', `idp=${id}; Path=/; HttpOnly`);
  return session;
}

function participants({ participants: list }) {
  const same = (issuer, indexes, nameId) => (one) =>
    one.nameId === nameId &&
    (!issuer || one.serviceProviderId === issuer) &&
    [indexes].flat().includes(one.sessionIndex);
  return {
    get: (issuer, indexes, nameId, done) => done(null, list.find(same(issuer, indexes, nameId))),
    hasElements: () => list.length > 0,
    getFirst: (done) => done(null, list[0]),
    remove: (issuer, index, nameId, done) => {
      const place = list.findIndex(same(issuer, index, nameId));
      done(null, place < 0 ? undefined : list.splice(place, 1)[0]);
    },
  };
}

function storeOf({ states }) {
  return {
    save: (_req, state, done) => {
      const handle = randomBytes(8).toString('hex');
      states.set(handle, state);
      done(null, handle);
    },
    load: (_req, handle, options, done) => {
      const state = states.get(handle);
      if (options?.destroy) states.delete(handle);
      done(null, state);
    },
    update: (_req, handle, state, done) => {
      states.set(handle, state);
      done(null, handle);
    },
    destroy: (_req, handle, done) => {
      states.delete(handle);
      done();
    },
  };
}

function requestText(req, base64) {
  const bytes = Buffer.from(base64, 'base64');
  return (req.method === 'GET' ? inflateRawSync(bytes) : bytes[0] === 0x3c ? bytes : inflateRawSync(bytes)).toString(
    'utf8',
  );
}

function cookieOf(req) {
  return /(?:^|; )idp=([0-9a-f]+)/.exec(req.headers.cookie ?? '')?.[1];
}

function form(asked, problem) {
  const kept = ['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']
    .filter((name) => asked[name] !== undefined)
    .map((name) => `<input type="hidden" name="${name}" value="${escaped(asked[name])}">`);
  return `<h1>IdP sign-in</h1>${problem === '' ? '' : `<p role="alert">${escaped(problem)}</p>`}
    <form method="get" action="/sso">${kept.join('')}
      <label>User name <input name="user" required autofocus></label><button type="submit">Sign in</button>
    </form>`;
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
