import { domainShape } from '../../../../src/auth/connections/domains/domains.dto.js';

it('shows a domain with its record and its state', () => {
  const row = {
    tenant_id: 'ten_1',
    domain: 'acme.example',
    connection_id: null,
    challenge: 'c',
    verified_by: null,
    verified_at: null,
    checked_at: null,
    problem: null,
    lost_at: null,
    created_at: new Date(0),
  };
  const { tenant_id: _, challenge: __, ...rest } = row;
  expect(domainShape(row)).toEqual({
    ...rest,
    state: 'pending',
    dns_record: { type: 'TXT', name: '_talent-bridge.acme.example', value: 'talent-bridge-verification=c' },
  });
});
