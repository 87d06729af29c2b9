import { auditView, webhookBody } from '../../../src/integrations/webhooks/webhooks.service.js';
import type { Endpoint } from '../../../src/integrations/webhooks/endpoint.store.js';

const at = new Date('2026-03-02T09:15:30.000Z');
const endpoint: Endpoint = {
  tenantId: 'ten_1',
  id: 'whk_1',
  url: 'https://hooks.example.com/catch/secret-path?token=secret-query',
  description: 'Zap',
  events: ['job.synced'],
  form: 'source',
  ordered: false,
  headers: { authorization: 'Bearer secret-value' },
  secrets: ['whsec_secret'],
  unreadable: false,
  createdBy: { kind: 'key', id: 'key_1', name: 'Zapier' },
  keyId: 'key_1',
  createdAt: at,
  updatedAt: at,
};

it('shows no secret and no value of a header', () => {
  const body = webhookBody(endpoint, {
    id: 'whk_1',
    state: 'ok',
    state_reason: null,
    state_detail: null,
    state_since: at,
    next_probe_at: null,
    failing_since: null,
    failing_stage: 0,
    last_success_at: null,
    waiting: 0,
    given_up: 0,
    secrets: [{ id: 'whs_1', created_at: '2026-03-02T09:15:30+00:00', expires_at: null }],
  });
  expect(body).toMatchObject({ header_names: ['authorization'], secrets: [{ created_at: at.toISOString() }] });
  expect(JSON.stringify(body)).not.toMatch(/whsec_|secret-value/);
});

it('shows the audit log the origin of the address alone, since the path of a catch hook is a secret', () => {
  expect(auditView(endpoint)).toEqual({
    origin: 'https://hooks.example.com',
    events: ['job.synced'],
    form: 'source',
    ordered: false,
    header_names: ['authorization'],
  });
});
