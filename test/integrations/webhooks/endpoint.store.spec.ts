import { endpointOf, type EndpointRow } from '../../../src/integrations/webhooks/endpoint.store.js';

const NOW = Date.UTC(2026, 2, 2);
const row: EndpointRow = {
  tenant_id: 'ten_1',
  id: 'whk_1',
  url: 'https://hooks.example.com/',
  description: null,
  events: null,
  form: 'source',
  ordered: false,
  headers_sealed: null,
  created_by: { kind: 'key', id: 'key_1', name: 'Zapier' },
  key_id: 'key_1',
  created_at: new Date(NOW),
  updated_at: new Date(NOW),
  secrets: null,
};
const secret = (text: string | null, expiresAt: number | null = null) => ({ secret: text, expiresAt });

it('has the live secrets, in their order', () => {
  const found = endpointOf(row, {}, [secret('new'), secret('old', NOW + 1), secret('ended', NOW)], NOW);
  expect(found).toMatchObject({ secrets: ['new', 'old'], unreadable: false });
});

it.each([
  ['a secret that no key opens', {}, [secret(null)]],
  ['headers that no key opens', null, [secret('new')]],
  ['no secret', {}, []],
])('is unreadable with %s', (_, headers, secrets) => {
  expect(endpointOf(row, headers, secrets, NOW)).toMatchObject({ secrets: [], unreadable: true });
});

it('ignores an ended secret that no key opens', () => {
  expect(endpointOf(row, {}, [secret('new'), secret(null, NOW - 1)], NOW)).toMatchObject({ secrets: ['new'] });
});
