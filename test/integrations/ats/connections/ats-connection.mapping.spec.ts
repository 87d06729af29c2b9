import {
  atsAuditView,
  atsConnectionBody,
  atsProviderBody,
  missingScopes,
} from '../../../../src/integrations/ats/connections/ats-connection.mapping.js';
import { takesOf, usualWrites } from '../../../../src/integrations/ats/connections/ats-settings.rules.js';
import { connectorOf } from '../../../../src/integrations/ats/providers/providers.js';

const lever = connectorOf('lever')!;
const AT = new Date('2026-03-02T09:00:00Z');
const ROW = {
  id: 'ats_1',
  provider: 'lever',
  name: 'Recruiting',
  region: 'production',
  base_url: null,
  marker: 'lv_',
  state: 'degraded',
  state_reason: 'scopes_missing',
  state_since: AT,
  paused: false,
  takes: takesOf(undefined),
  writes: usualWrites(lever),
  approved_by: null,
  granted_scopes: ['postings:read:admin'],
  created_at: AT,
  updated_at: AT,
  credential_sealed: 'sealed',
};
const FACTS = {
  problems: [{ problem: 'scopes', reason: 'scopes_missing', since: AT.toISOString() }],
  tokens: [{ id: 'atk_1', hint: 'wht_', created_at: AT.toISOString() }],
  signing: [{ event: 'applicationCreated' }, { event: null }],
};
const PROGRESS = { nextRunAt: AT, events: 3, writes: 2 };
const bodyOf = (credential: 'api_key' | null) =>
  atsConnectionBody(ROW as never, lever, {
    facts: FACTS as never,
    progress: PROGRESS,
    inbound: 'https://bridge.example/api/webhooks/lever',
    credential,
  });

test('shows a connection with its problems, its webhook and the number that waits', () => {
  expect(bodyOf('api_key')).toMatchObject({
    id: 'ats_1',
    title: 'Lever',
    state: 'degraded',
    reason: 'scopes_missing',
    problems: [{ problem: 'scopes', since: AT }],
    webhook: { tokens: [{ id: 'atk_1', created_at: AT }], signing_secrets: 2, made: ['applicationCreated'] },
    waiting: { events: 3, writes: 2 },
    next_run_at: AT,
  });
});

test('shows no secret', () => {
  expect(JSON.stringify([bodyOf('api_key'), atsAuditView(ROW as never)])).not.toContain('sealed');
});

test('names the missing parts of a connection to read and to write', () => {
  expect(bodyOf(null).missing).toEqual(['credential', 'as_user']);
  expect(bodyOf('api_key').missing).toEqual(['as_user']);
});

test('names scopes that were not granted, but for offline_access', () => {
  const { scopes } = lever.oauth!;
  expect(missingScopes(lever, scopes)).toEqual([]);
  expect(
    missingScopes(
      lever,
      scopes.filter((scope) => scope !== 'offline_access'),
    ),
  ).toEqual([]);
  expect(
    missingScopes(
      lever,
      scopes.filter((scope) => scope !== 'notes:write:admin'),
    ),
  ).toEqual(['notes:write:admin']);
  expect(missingScopes(lever, null)).toEqual([]);
  expect(missingScopes(connectorOf('ashby')!, [])).toEqual([]);
});

test('shows a provider with the names of its regions', () => {
  expect(atsProviderBody(lever)).toMatchObject({ provider: 'lever', regions: Object.keys(lever.regions) });
});
