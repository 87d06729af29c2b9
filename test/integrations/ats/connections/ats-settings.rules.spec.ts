import {
  credentialOf,
  freeMarker,
  lacksWriter,
  takesOf,
  usualWrites,
  writesOf,
  writesProblems,
} from '../../../../src/integrations/ats/connections/ats-settings.rules.js';
import { connectorOf } from '../../../../src/integrations/ats/providers/providers.js';

const [lever, greenhouse, ashby] = ['lever', 'greenhouse', 'ashby'].map((name) => connectorOf(name)!);

test('takes active candidates of open openings by default', () => {
  const usual = { postings: 'open', candidates: 'active', stages: null, since: null, backfill_events: false };
  expect(takesOf(undefined)).toEqual(usual);
  expect(takesOf({ postings: 'all', since: new Date('2026-01-01T00:00:00Z') } as never)).toEqual({
    ...usual,
    postings: 'all',
    since: '2026-01-01T00:00:00.000Z',
  });
});

test('keeps settings that a change leaves out, and clears those that it sets to null', () => {
  const before = takesOf({ stages: ['s1'], candidates: 'all' } as never);
  expect(takesOf({ postings: 'all' } as never, before)).toMatchObject({ stages: ['s1'], candidates: 'all' });
  expect(takesOf({ stages: null }, before).stages).toBeNull();
});

test('writes links as links when the ATS has them, else as notes', () => {
  expect(usualWrites(lever!)).toMatchObject({ link_target: 'link', scorecard_target: 'note', visibility: 'private' });
  expect(usualWrites(ashby!)).toMatchObject({ link_target: 'note', scorecard_target: 'note' });
});

test('changes only the members that are sent', () => {
  const before = usualWrites(lever!);
  expect(writesOf({ as_user: 'u1', visibility: undefined }, before)).toEqual({ ...before, as_user: 'u1' });
});

test('names a target that the ATS does not have, and a field that is missing', () => {
  const writes = usualWrites(ashby!);
  expect(writesProblems(ashby!, writes)).toEqual([]);
  expect(writesProblems(ashby!, { ...writes, link_target: 'link' })).toEqual([
    { field: 'writes.link_target', message: 'cannot be link: Ashby takes note, field' },
  ]);
  expect(writesProblems(ashby!, { ...writes, scorecard_target: 'field' })).toEqual([
    { field: 'writes.scorecard_field', message: 'is required for the target field' },
  ]);
});

test('waits for a user when the vendor needs one and none is set or known', () => {
  const writes = usualWrites(lever!);
  expect(lacksWriter(lever!, writes, null)).toBe(true);
  expect(lacksWriter(lever!, writes, 'u1')).toBe(false);
  expect(lacksWriter(lever!, { ...writes, as_user: 'u1' }, null)).toBe(false);
  expect(lacksWriter(lever!, { ...writes, link_target: null, scorecard_target: null }, null)).toBe(false);
  expect(lacksWriter(ashby!, usualWrites(ashby!), null)).toBe(false);
});

test('reads a credential of a kind that the connector takes', () => {
  expect(credentialOf(ashby!, { kind: 'api_key', key: 'k' } as never)).toEqual({ kind: 'api_key', key: 'k' });
  const client = { kind: 'client_credentials', client_id: 'c', client_secret: 's' };
  expect(credentialOf(greenhouse!, client as never)).toEqual({
    kind: 'client_credentials',
    clientId: 'c',
    clientSecret: 's',
    sub: null,
    accessToken: null,
    expiresAt: null,
  });
});

test('names the fault of a credential', () => {
  expect(credentialOf(ashby!, { kind: 'api_key' } as never)).toEqual([
    { field: 'credential.key', message: 'is required' },
  ]);
  expect(credentialOf(greenhouse!, { kind: 'client_credentials', client_id: 'c' } as never)).toEqual([
    { field: 'credential.client_secret', message: 'is required' },
  ]);
  expect(credentialOf(greenhouse!, { kind: 'api_key', key: 'k' } as never)).toEqual([
    { field: 'credential.kind', message: 'cannot be api_key: Greenhouse connects by client_credentials, oauth' },
  ]);
});

test('counts the marker up when it is taken', () => {
  expect(freeMarker('lv_', new Set())).toBe('lv_');
  expect(freeMarker('lv_', new Set(['lv_']))).toBe('lv2_');
  expect(freeMarker('lv_', new Set(['lv_', 'lv2_', 'lv3_']))).toBe('lv4_');
});
