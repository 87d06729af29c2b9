import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../src/cli/program.js';

let server: Server;
let requests: [string, unknown][];
beforeAll(async () => {
  // Notes requests: the test looks at what a command sends, not at the service.
  server = createServer((req, res) => {
    void text(req).then((body) => {
      requests.push([`${req.method} ${req.url}`, body === '' ? undefined : JSON.parse(body)]);
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify({ data: [], next_cursor: null, missing: [], tenant: { id: 'ten_1' } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function sent(line: string): Promise<{ code: number; err: string; last: [string, unknown] | undefined }> {
  requests = [];
  let err = '';
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { DATA_DIR: '/nowhere', TALENT_BRIDGE_URL: url, TALENT_BRIDGE_API_KEY: 'tbk_1', OPERATOR_TOKEN: 'tbo_1' };
  const code = await runCli(line.split(' '), env, { out: () => undefined, err: (words) => (err += words) });
  return { code, err, last: requests.at(-1) };
}

describe('an option becomes a field of the request', () => {
  it.each<[string, string, unknown]>([
    ['role create Guest --takes-seat no', 'POST /api/v1/roles', { name: 'Guest', takes_seat: false }],
    ['storage limit --limit 1GiB --tenant ten_2', 'PUT /api/v1/tenants/ten_2/storage', { limit_bytes: 2 ** 30 }],
    ['storage limit --limit default --tenant ten_2', 'PUT /api/v1/tenants/ten_2/storage', { limit_bytes: null }],
    [
      'directory set dir_1 --allow-from 192.0.2.0/24,::1 --custom-attributes badge:string,floors:integer[]',
      'PATCH /api/v1/directories/dir_1',
      {
        allow_from: ['192.0.2.0/24', '::1'],
        custom_attributes: [
          { name: 'badge', type: 'string', multi_valued: false },
          { name: 'floors', type: 'integer', multi_valued: true },
        ],
      },
    ],
    [
      'directory set dir_1 --allow-from none --custom-attributes none',
      'PATCH /api/v1/directories/dir_1',
      { allow_from: [], custom_attributes: [] },
    ],
    [
      'directory set dir_1 --default-role none --may-grant-console on --map-email none --map-external-id userName',
      'PATCH /api/v1/directories/dir_1',
      { default_role: null, may_grant_console: true, attribute_map: { external_id: 'userName', email: null } },
    ],
    ['directory guard dir_1 --percent 5', 'PATCH /api/v1/directories/dir_1', { guard: { percent: 5 } }],
    ['directory live dir_1 --confirm', 'PATCH /api/v1/directories/dir_1', { state: 'live', confirm: true }],
    [
      'directory guard release dir_1 --user usr_1 --count 1',
      'POST /api/v1/directories/dir_1/guard/release',
      { user_ids: ['usr_1'], count: 1 },
    ],
    [
      'directory revoke-token dir_1 --token tok_1 --force',
      'DELETE /api/v1/directories/dir_1/tokens/tok_1?force=true',
      undefined,
    ],
    ['connection disable con_1', 'PATCH /api/v1/connections/con_1', { enabled: false }],
    [
      'connection set con_1 --role-map none --claim-map role=groups,email= --jit off --link-claim none',
      'PATCH /api/v1/connections/con_1',
      { claim_map: { role: 'groups', email: null }, role_map: {}, jit: false, link_claim: null },
    ],
    [
      'connection create-oidc --name A --issuer https://i.example --client-id c --disabled',
      'POST /api/v1/connections',
      { type: 'oidc', name: 'A', issuer: 'https://i.example', client_id: 'c', enabled: false },
    ],
    [
      'webhook set whk_1 --events all --ordered false',
      'PATCH /api/v1/webhooks/whk_1',
      { events: null, ordered: false },
    ],
    [
      'ats set ats_1 --stages any --candidates-since 2026-01-31 --key k',
      'PATCH /api/v1/ats-connections/ats_1',
      { takes: { stages: null, since: '2026-01-31' }, credential: { kind: 'api_key', key: 'k' } },
    ],
    ['changes list --state waiting', 'GET /api/v1/changes?state=pending&limit=200', undefined],
    [
      'seats limit --limit none --policy wait',
      'PUT /api/v1/seats/limit',
      { limit: null, policy: { directory: 'wait', api: 'wait', sign_in: 'wait' } },
    ],
    ['seats holders --excel', 'GET /api/v1/seats/holders?format=csv&bom=true', undefined],
    ['interview cancel int_1', 'PATCH /api/v1/interviews/int_1', { state: 'cancelled' }],
    ['interview set --remove', 'PUT /api/v1/interview-engine', { base_url: null }],
    ['domain trust a.example --tenant ten_2', 'PUT /api/v1/tenants/ten_2/domains/a.example', {}],
  ])('%s', async (line, call, body) => {
    const { err, last } = await sent(line);
    expect([last, err]).toEqual([[call, body], '']);
  });
});

describe('an option is refused before a request', () => {
  it.each([
    ['directory set dir_1 --custom-attributes badge', /needs a type, such as badge:string/],
    ['directory set dir_1', /Say what to change, such as --default-role/],
    ['connection set con_1', /Say what to change, such as --name/],
    ['connection set con_1 --jit maybe', /--jit is on or off/],
    ['storage limit --limit 5 --tenant ten_2', /--limit is a size such as 50GiB, or default/],
    ['directory guard release dir_1', /Say either --user or --all/],
    ['ats set ats_1 --client-id c', /--client-secret is required with --client-id/],
    ['platform set --rate many', /--rate must be a whole number/],
  ])('%s', async (line, words) => {
    const { code, err } = await sent(line);
    expect([code, err, requests]).toEqual([2, expect.stringMatching(words), []]);
  });
});
