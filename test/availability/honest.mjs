// The honest caller, a process of its own: an identity provider of another tenant at work. It reports to its parent how
// long its requests took, what failed, and the longest silence of the service's event loop.
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [{ url, token, apiKey, atsToken }] = await once(process, 'message');
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
let phase = newPhase();
let made = 0;

function newPhase() {
  return { delays: [], failures: [], silence: 0 };
}

function call(method, path, credential, body) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    if (credential !== null) headers.authorization = `Bearer ${credential}`;
    const req = http.request(url + path, { method, headers, agent, timeout: 20_000 }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      res.on('end', () => resolve({ status: res.statusCode, body: text === '' ? null : JSON.parse(text) }));
      res.on('error', reject);
    });
    req.on('timeout', () => req.destroy(new Error('no answer within 20 s')));
    req.on('error', reject);
    req.end(payload);
  });
}

async function timed(name, work) {
  const began = performance.now();
  try {
    const answer = await work();
    if (answer.status >= 300)
      phase.failures.push(`${name}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 160)}`);
    phase.delays.push(performance.now() - began);
    return answer;
  } catch (error) {
    phase.failures.push(`${name}: ${error.message}`);
    return { status: 0, body: {} };
  }
}

/** A new user, found and changed, as a directory does it; and an integrator who looks at the list. */
async function round() {
  const userName = `honest-${process.pid}-${made++}@example.com`;
  const user = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    name: { givenName: 'H', familyName: 'T' },
  };
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  await timed('find', () => call('GET', `/scim/v2/Users?filter=${filter}`, token));
  const { body } = await timed('create', () => call('POST', '/scim/v2/Users', token, user));
  await timed('read', () => call('GET', `/scim/v2/Users/${body.id}`, token));
  const change = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'title', value: 'x' }],
  };
  await timed('change', () => call('PATCH', `/scim/v2/Users/${body.id}`, token, change));
  const event = { action: 'candidateHire', webhookActionId: userName, data: { application: { id: userName } } };
  await timed('webhook', () => call('POST', `/api/webhooks/ashby?api_token=${atsToken}`, null, event));
  await timed('list', () => call('GET', '/api/v1/users?limit=10', apiKey));
}

/** A look that costs the service nothing, many times a second: how long it takes is how long the event loop was busy. */
async function watch() {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = net.connect(Number(port), hostname).on('error', () => undefined);
    let began = performance.now();
    socket.on('data', () => {
      phase.silence = Math.max(phase.silence, performance.now() - began);
      began = 0;
    });
    while (!socket.destroyed) {
      if (began === 0) began = performance.now();
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      do {
        await sleep(20);
        if (began !== 0) phase.silence = Math.max(phase.silence, performance.now() - began);
      } while (began !== 0 && !socket.destroyed);
    }
  }
}

process.on('message', (message) => {
  if (message === 'report') {
    process.send({ ...phase, delays: phase.delays.sort((a, b) => a - b) });
    phase = newPhase();
  }
});
process.on('disconnect', () => process.exit());
process.send('begun');
void watch();
for (;;) {
  await round();
  // Below the 100 requests a second that a credential has.
  await sleep(75);
}
