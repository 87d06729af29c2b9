import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Database } from '../../../src/base/database/database.js';
import { DomainError, type ErrorKind } from '../../../src/base/errors/domain-error.js';
import { API_STATUS, SCIM_STATUS } from '../../../src/operations/surfaces/problem.js';
import { invalidPath } from '../../../src/protocols/scim/scim.errors.js';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import { long } from '../../support/rounds.js';

class Some extends DomainError {
  readonly code = 'some_code';
  constructor(readonly kind: ErrorKind) {
    super('A plain <b>detail</b>.', {
      errors: [{ field: 'first_name', message: 'is required' }],
      members: { id: 'usr_1' },
    });
  }
}

@ApiExcludeController()
@Controller(['fail', 'scim/v2/fail', 'docs/fail'])
class FailController {
  constructor(private readonly db: Database) {}
  @Get('kind/:kind')
  kind(@Param('kind') kind: ErrorKind): void {
    throw new Some(kind);
  }
  @Get('bug')
  bug(): void {
    throw new Error('secret inner text', { cause: new Error('deeper') });
  }
  @Get('nothing')
  nothing(): void {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a library that throws no error must end as a 500, too
    throw null;
  }
  @Get('scim')
  scim(): void {
    throw invalidPath('No such path.');
  }
  @Get('slow')
  async slow(): Promise<void> {
    await this.db.transaction(null, async (tx) => {
      await tx.query(`set local statement_timeout = 20`);
      await tx.query(`select pg_sleep(2)`);
    });
  }
  @Get('killed')
  async killed(): Promise<void> {
    await this.db.transaction(null, async (tx) => {
      const { rows } = await tx.query<{ pid: number }>(`select pg_backend_pid() as pid`);
      // The service's role may not end backends that a superuser has logged in to.
      await edge.db.query(`select pg_terminate_backend($1)`, [rows[0]!.pid]);
      await tx.query(`select 1`);
    });
  }
  @Get('nul')
  async nul(): Promise<void> {
    await this.db.query(`select $1::text`, ['a\u0000b']);
  }
  @Get('jsonb-nul')
  async jsonbNul(): Promise<void> {
    await this.db.query(`select $1::jsonb`, [JSON.stringify({ a: '\u0000' })]);
  }
  @Get('sql')
  async sql(): Promise<void> {
    await this.db.query(`select * from no_such_table`);
  }
}

let edge: AdminApp;
beforeAll(async () => {
  edge = await adminApp({}, [FailController]);
});
afterAll(() => edge.close());
const get = (url: string, headers: Record<string, string> = {}) => edge.call('GET', url, { token: null, headers });

describe('each kind of refusal has one status on each surface', () => {
  it.each(Object.keys(API_STATUS) as ErrorKind[])('%s', async (kind) => {
    const api = await get(`/fail/kind/${kind}`);
    expect(api.headers.get('content-type')).toMatch('application/problem+json');
    expect(api.body).toEqual({
      type: '/docs/problems#some_code',
      title: expect.any(String),
      status: API_STATUS[kind],
      detail: 'A plain <b>detail</b>.',
      instance: `/fail/kind/${kind}`,
      code: 'some_code',
      id: 'usr_1',
      errors: [{ field: 'first_name', message: 'is required' }],
      request_id: api.headers.get('x-request-id'),
    });
    expect(api.status).toBe(API_STATUS[kind]);
    const scim = await get(`/scim/v2/fail/kind/${kind}`);
    expect(scim.status).toBe(SCIM_STATUS[kind]);
    expect(scim.headers.get('content-type')).toMatch('application/scim+json');
    expect(scim.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(SCIM_STATUS[kind]),
    });
  });
});

describe('500', () => {
  it.each(['/fail/bug', '/scim/v2/fail/bug', '/fail/nothing', '/fail/sql'])(
    '%s shows no cause outside',
    async (url) => {
      const answer = await get(url);
      expect(answer.status).toBe(500);
      expect(answer.text).not.toMatch(/secret|deeper|no_such_table|stack|node_modules|\.ts/);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  it('has its cause in the log, with the request id', async () => {
    const answer = await get('/fail/bug');
    const line = edge.lines
      .map((text) => JSON.parse(text))
      .find((one) => one.message === 'request failed' && one.request_id === answer.headers.get('x-request-id'));
    expect(line.error).toMatchObject({ message: 'secret inner text', cause: { message: 'deeper' } });
  });
});

describe('a fault of the database', () => {
  it.each(['/fail/slow', '/fail/killed', '/scim/v2/fail/killed'])(
    '%s: away or too slow is 503 with Retry-After',
    async (url) => {
      const answer = await get(url);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    },
  );

  it('is 400 or 422 for a text that it cannot store', async () => {
    for (const what of ['nul', 'jsonb-nul']) {
      expect((await get(`/fail/${what}`)).status).toBe(422);
      const scim = await get(`/scim/v2/fail/${what}`);
      expect([scim.status, scim.body.scimType]).toEqual([400, 'invalidValue']);
    }
  });
});

it('keeps the SCIM type of a protocol error', async () => {
  const scim = await get('/scim/v2/fail/scim');
  expect([scim.status, scim.body]).toEqual([
    400,
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidPath',
      detail: 'No such path.',
    },
  ]);
});

describe('a page', () => {
  it('is shown to a browser, with everything escaped', async () => {
    const answer = await get('/docs/fail/kind/invalid', { accept: 'text/html,*/*' });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toMatch('text/html');
    expect(answer.text).toContain('A plain &lt;b&gt;detail&lt;/b&gt;.');
    expect(answer.text).toContain(answer.headers.get('x-request-id'));
  });
  it('is shown to browsers alone', async () => {
    expect((await get('/docs/fail/kind/invalid')).headers.get('content-type')).toMatch('application/problem+json');
  });
});

describe('404 and 405', () => {
  it('an unknown address is 404 on each surface', async () => {
    expect([(await get('/api/v1/nothing')).body.code, (await get('/scim/v2/nothing')).body.status]).toEqual([
      'not_found',
      '404',
    ]);
  });
  it.each([
    ['PUT', '/api/v1/roles', 'GET, HEAD, POST'],
    ['POST', '/scim/v2/fail/bug', 'GET, HEAD'],
    ['PATCH', '/v1/api-keys/key_1/rotate', 'POST'],
    ['DELETE', '/metrics', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/roles', 'GET, HEAD, POST'],
  ])('%s %s is 405 and names the allowed methods', async (method, url, allow) => {
    const answer = await edge.call(method, url, { token: null });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });
  it('a path with a name that cannot be decoded is 400', async () => {
    expect((await get('/fail/kind/%ff')).status).toBe(400);
  });
});

describe('headers of every answer', () => {
  it.each([
    '/api/v1/me',
    '/healthz',
    '/nothing',
    '/fail/bug',
    '/scim/v2/nothing',
    '/metrics',
    '/docs',
    '/docs/openapi.json',
    '/%ff',
  ])('%s', async (url) => {
    const { headers } = await get(url);
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('etag') === null || url.startsWith('/docs')).toBe(true);
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('have an id of ours, also when the caller sent one', async () => {
    const { headers } = await get('/healthz', { 'x-request-id': 'mine' });
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  long('have HSTS when the base address is https', async () => {
    const secure = await adminApp({ BASE_URL: 'https://bridge.example' });
    try {
      const answer = await secure.call('GET', '/healthz', { token: null });
      expect(answer.headers.get('strict-transport-security')).toMatch(/max-age=31536000/);
    } finally {
      await secure.close();
    }
  });
});
