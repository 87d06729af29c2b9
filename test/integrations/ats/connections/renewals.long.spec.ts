import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../../../src/base/database/database.js';
import { AtsFailure, type Credential } from '../../../../src/integrations/ats/api/ats-api.js';
import { AtsConnectionsRepository } from '../../../../src/integrations/ats/connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../../../../src/integrations/ats/connections/ats-connections.store.js';
import { AtsCredentials } from '../../../../src/integrations/ats/connections/ats-credentials.js';
import { takesOf } from '../../../../src/integrations/ats/connections/ats-settings.rules.js';
import type { AtsConnection } from '../../../../src/integrations/ats/connections/connection.js';
import { systemActor } from '../../../../src/tenancy/identity/person.js';
import { startApp, type TestApp } from '../../../support/app.js';

type Answered = { status: number; body: object; headers?: Record<string, string> };

/** A token address whose refresh tokens work once, as those of Lever. */
class TokenHost {
  readonly asked: URLSearchParams[] = [];
  answer: ((form: URLSearchParams) => Answered) | null = null;
  slowMs = 0;
  /** A number of answers are lost; the refresh token is used up. */
  lost = 0;
  live = 'rt_1';
  made = 1;
  readonly server = http.createServer((req, res) => {
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.on('end', () => {
      const form = new URLSearchParams(text);
      this.asked.push(form);
      const { status, body, headers } = (this.answer ?? ((sent) => this.usual(sent)))(form);
      if (this.lost > 0) {
        this.lost--;
        return res.destroy();
      }
      setTimeout(() => {
        res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      }, this.slowMs);
    });
  });

  private usual(form: URLSearchParams): Answered {
    if (form.get('refresh_token') !== this.live) return { status: 400, body: { error: 'invalid_grant' } };
    this.made++;
    this.live = `rt_${this.made}`;
    return { status: 200, body: { access_token: `at_${this.made}`, refresh_token: this.live, expires_in: 3600 } };
  }
}

const host = new TokenHost();
let one: TestApp;
let two: TestApp;

beforeAll(async () => {
  await new Promise<void>((resolve) => host.server.listen(0, '127.0.0.1', resolve));
  const env = {
    ATS_OAUTH_CLIENTS: 'lever:client:client-secret',
    ATS_SIMULATORS: `lever=http://127.0.0.1:${(host.server.address() as AddressInfo).port}`,
  };
  one = await startApp(env);
  two = await startApp(env, one);
});
afterAll(async () => {
  await two.close();
  await one.close();
  host.server.close();
});
beforeEach(() => {
  host.asked.length = 0;
  Object.assign(host, { answer: null, slowMs: 0, lost: 0, live: 'rt_1', made: 1 });
});

const HOUR = 3_600_000;
/** A grant whose access token ends after a number of milliseconds, and was given for an hour. */
function grant(endsIn: number, refreshToken = 'rt_1', accessToken = 'at_1'): Credential {
  const end = Date.now() + endsIn;
  const [expiresAt, refreshedAt] = [new Date(end).toISOString(), new Date(end - HOUR).toISOString()];
  return { kind: 'oauth', accessToken, expiresAt, refreshToken, refreshedAt };
}

async function connection(credential: Credential): Promise<AtsConnection> {
  const { tenantId } = await one.newTenant();
  const id = `ats_${tenantId.slice(4)}`;
  const repository = one.app.nest.get(AtsConnectionsRepository);
  await one.app.nest.get(Database).transaction(tenantId, (tx) =>
    repository.insert(tx, {
      tenantId,
      id,
      provider: 'lever',
      name: 'Lever',
      region: 'simulator',
      baseUrl: null,
      marker: 'lv_',
      takes: takesOf(undefined),
      writes: {
        as_user: null,
        visibility: 'private',
        link_target: 'link',
        scorecard_target: 'note',
        link_field: null,
        scorecard_field: null,
      },
      approvedBy: null,
      credential,
      grantedScopes: null,
      createdBy: systemActor('test'),
    }),
  );
  return (await one.app.nest.get(AtsConnectionStore).fresh(tenantId, id))!;
}

const current = (app: TestApp, of: AtsConnection) => app.app.nest.get(AtsCredentials).current(of);
const tokenOf = (credential: Credential | null) => (credential?.kind === 'oauth' ? credential.accessToken : null);

test('renews an ended token once for fifty calls of two processes, which all get the new one', async () => {
  const ended = await connection(grant(-1_000));
  const calls = Array.from({ length: 50 }, (_, i) => current(i % 2 === 0 ? one : two, ended));
  const tokens = (await Promise.all(calls)).map(tokenOf);
  expect(new Set(tokens)).toEqual(new Set(['at_2']));
  expect(host.asked).toHaveLength(1);
  expect(Object.fromEntries(host.asked[0]!)).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'rt_1',
    client_id: 'client',
    client_secret: 'client-secret',
  });
});

test('stores the pair of tokens before it is used: a process that starts later reads it', async () => {
  host.answer = () => ({ status: 200, body: { access_token: 'at_new', refresh_token: 'rt_new', expires_in: 60 } });
  const ended = await connection(grant(-1_000));
  await current(one, ended);
  const stored = (await two.app.nest.get(AtsConnectionStore).fresh(ended.tenantId, ended.id))!;
  expect(stored.credential).toMatchObject({ accessToken: 'at_new', refreshToken: 'rt_new' });
  const { rows } = await one.db.execute<{ renew_at: Date; credential_sealed: string }>(
    'select renew_at, credential_sealed from ats_connections where id = $1',
    [ended.id],
  );
  expect(rows[0]!.renew_at.getTime()).toBeGreaterThan(Date.now() + 24 * HOUR);
  expect(rows[0]!.credential_sealed).not.toContain('at_new');
});

test('renews a token at four fifths of its life, and not before', async () => {
  const young = await connection(grant(0.5 * HOUR));
  expect(tokenOf(await current(one, young))).toBe('at_1');
  host.answer = () => ({ status: 200, body: { access_token: 'at_x', expires_in: 3600 } });
  const old = await connection(grant(0.19 * HOUR));
  expect(tokenOf(await current(one, old))).toBe('at_x');
  expect(host.asked).toHaveLength(1);
});

test('uses a valid token while the token host is away; calls with an ended one wait', async () => {
  host.answer = () => ({ status: 503, body: {} });
  expect(tokenOf(await current(one, await connection(grant(0.1 * HOUR))))).toBe('at_1');
  const failure = await current(one, await connection(grant(-1))).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AtsFailure);
  expect(failure).toMatchObject({ kind: 'away', reason: 'status_503' });
});

test('a refused renewal differs from a client that the vendor does not know', async () => {
  const failureOf = async (body: object) => {
    host.answer = () => ({ status: 400, body });
    return current(one, await connection(grant(-1, 'rt_dead'))).catch((error: unknown) => error);
  };
  expect(await failureOf({ error: 'invalid_grant' })).toMatchObject({ kind: 'refused', reason: 'grant_revoked' });
  expect(await failureOf({ error: 'invalid_client' })).toMatchObject({ kind: 'away', reason: 'invalid_client' });
});

test('renews the token that a 401 refused, and no other', async () => {
  host.answer = () => ({ status: 200, body: { access_token: 'at_after', expires_in: 3600 } });
  const refused = await connection(grant(HOUR));
  const credentials = one.app.nest.get(AtsCredentials);
  expect(tokenOf(await credentials.renewed(refused, refused.credential!))).toBe('at_after');
  // Another call met the 401 with the old token: it gets the new one without a request.
  expect(tokenOf(await credentials.renewed(refused, refused.credential!))).toBe('at_after');
  expect(host.asked).toHaveLength(1);
});

test('delays calls no longer than the lease of a lost process', async () => {
  const ended = await connection(grant(-1_000, 'rt_left'));
  await one.db.execute(
    `insert into ats_renewals (tenant_id, connection_id, holder, until) values ($1, $2, 'gone', now() - interval '1 s')`,
    [ended.tenantId, ended.id],
  );
  host.answer = () => ({ status: 200, body: { access_token: 'at_left', expires_in: 3600 } });
  expect(tokenOf(await current(two, ended))).toBe('at_left');
  const { rows } = await one.db.execute('select 1 from ats_renewals where connection_id = $1', [ended.id]);
  expect(rows).toHaveLength(0);
});

describe('fifty calls of two processes with an ended token', () => {
  type End = { token: string | null } | { kind: string; reason: string };
  const storm = (of: AtsConnection): Promise<End[]> =>
    Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        current(i % 2 === 0 ? one : two, of).then(
          (credential): End => ({ token: tokenOf(credential) }),
          ({ kind, reason }: AtsFailure): End => ({ kind, reason }),
        ),
      ),
    );

  test('ask a slow token host once', async () => {
    host.slowMs = 3_000;
    const ends = await storm(await connection(grant(-1_000)));
    expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(['{"token":"at_2"}']));
    expect(host.asked).toHaveLength(1);
  });

  test('ask a host that fails at first once for each process at most, and all use its token', async () => {
    let failures = 1;
    const usual = (form: URLSearchParams): Answered =>
      form.get('refresh_token') === 'rt_1'
        ? { status: 200, body: { access_token: 'at_good', refresh_token: 'rt_good', expires_in: 3600 } }
        : { status: 400, body: { error: 'invalid_grant' } };
    host.answer = (form) => (failures-- > 0 ? { status: 500, body: {} } : usual(form));
    const ended = await connection(grant(-1_000));
    const ends = await storm(ended);
    for (const end of ends) {
      expect([{ token: 'at_good' }, { kind: 'away', reason: 'status_500' }]).toContainEqual(end);
    }
    expect(host.asked.length).toBeLessThanOrEqual(2);
    expect(await storm(ended)).toEqual(ends.map(() => ({ token: 'at_good' })));
    expect(host.asked).toHaveLength(2);
  });

  test('all learn that the grant has ended when a lost answer has used up the refresh token', async () => {
    host.lost = 1;
    const ended = await connection(grant(-1_000));
    const first = await storm(ended);
    for (const end of first) expect(['away', 'refused']).toContain('kind' in end ? end.kind : null);
    const second = await storm(ended);
    expect(second).toEqual(second.map(() => ({ kind: 'refused', reason: 'grant_revoked' })));
    expect(host.asked.length).toBeLessThanOrEqual(4);
  });

  test('hand the Retry-After of the host to the worker', async () => {
    host.answer = () => ({ status: 429, body: {}, headers: { 'retry-after': '40' } });
    const failure = await current(one, await connection(grant(-1_000))).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'away', reason: 'status_429', retryAfterMs: 40_000 });
  });
});

test('stores a renewed grant as soon as the database is back', async () => {
  const ended = await connection(grant(-1_000));
  // 53300: the server has no connection left. A sequence keeps its steps when a statement is taken back.
  await one.db.execute(`create sequence refusals;
    create function refuse() returns trigger language plpgsql security definer as $$ begin
      if nextval('refusals') <= 2 then raise exception 'no connection left' using errcode = '53300'; end if;
      return new;
    end $$;
    create trigger refused before update of credential_sealed on ats_connections for each row execute function refuse()`);
  try {
    expect(tokenOf(await current(one, ended))).toBe('at_2');
  } finally {
    await one.db.execute('drop trigger refused on ats_connections; drop function refuse(); drop sequence refusals');
  }
  expect(host.asked).toHaveLength(1);
  const stored = (await two.app.nest.get(AtsConnectionStore).fresh(ended.tenantId, ended.id))!;
  expect(stored.credential).toMatchObject({ accessToken: 'at_2', refreshToken: 'rt_2' });
});
