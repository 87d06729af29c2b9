import { credentialRows } from '../../../web/console/directories/credential-rows.rules.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const created = { created_by: {}, created_at: '2026-01-01T00:00:00Z', last_used_at: null, revoked_at: null };
const used = { requests_last_day: 3, dialect: 'entra' };
const token = (id: string, ends: string | null, revoked: string | null = null) => ({
  ...created,
  ...used,
  id,
  name: 'Okta',
  prefix: 'tbs_',
  expires_at: ends,
  revoked_at: revoked,
});
const secret = (id: string, ends: string) => ({ ...created, id, prefix: `tbc_${id}`, expires_at: ends });
const client = (id: string, secrets: ReturnType<typeof secret>[], revoked: string | null = null) => ({
  ...created,
  ...used,
  id,
  kind: 'secret' as const,
  name: 'Entra ID',
  access_token_seconds: 3600,
  issuer: null,
  subject: null,
  audience: null,
  jwks: null,
  jwks_url: null,
  token_url: '',
  scim_base_url: '',
  secrets,
  revoked_at: revoked,
});

describe('the credentials of a directory', () => {
  it('are in one list: each secret after its client, and those that have ended last', () => {
    const rows = credentialRows(
      [client('c1', [secret('s1', '2027-01-01T00:00:00Z'), secret('s2', '2026-02-01T00:00:00Z')])],
      [token('t1', null), token('t2', '2026-02-28T00:00:00Z')],
      NOW,
    );
    expect(rows.map(({ id, kind, isOver }) => [id, kind, isOver])).toEqual([
      ['c1', 'secret', false],
      ['s1', 'client_secret', false],
      ['t1', 'token', false],
      ['s2', 'client_secret', true],
      ['t2', 'token', true],
    ]);
    expect(rows.map(({ path }) => path).slice(0, 3)).toEqual(['/clients/c1', '/clients/c1/secrets/s1', '/tokens/t1']);
  });

  it('count requests with the client, and not with its secrets', () => {
    const [of, its] = credentialRows([client('c1', [secret('s1', '2027-01-01T00:00:00Z')])], [], NOW);
    expect([of!.requests, of!.dialect, its!.requests, its!.dialect]).toEqual([3, 'entra', null, null]);
  });

  it.each([
    ['never', null, null, null, false],
    ['by its time', '2026-02-28T00:00:00Z', null, '2026-02-28T00:00:00Z', true],
    ['later, by its time', '2026-03-02T00:00:00Z', null, '2026-03-02T00:00:00Z', false],
    ['by hand, before its time', '2026-03-02T00:00:00Z', '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', true],
    ['at the end of an overlap', null, '2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z', false],
  ])('end %s', (_how, expires, revoked, ends, isOver) => {
    expect(credentialRows([], [token('t', expires, revoked)], NOW)).toEqual([
      expect.objectContaining({ ends, isOver }),
    ]);
  });

  it('end with their client', () => {
    const rows = credentialRows(
      [client('c1', [secret('s1', '2027-01-01T00:00:00Z')], '2026-02-01T00:00:00Z')],
      [],
      NOW,
    );
    expect(rows.map(({ isOver, ends }) => [isOver, ends])).toEqual([
      [true, '2026-02-01T00:00:00Z'],
      [true, '2026-02-01T00:00:00Z'],
    ]);
  });
});
