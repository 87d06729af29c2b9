import {
  checkOutcome,
  dnsRecord,
  namesToAsk,
  proofOf,
  domainStateOf,
} from '../../../../src/auth/connections/domains/domain-check.rules.js';

const DOMAIN = 'acme.example';
const now = new Date('2030-06-10T12:00:00.000Z');
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);

it('names the record and its place in the DNS', () => {
  expect(dnsRecord(DOMAIN, 'c')).toEqual({
    type: 'TXT',
    name: '_talent-bridge.acme.example',
    value: 'talent-bridge-verification=c',
  });
  expect(namesToAsk(DOMAIN)).toEqual(['_talent-bridge.acme.example', DOMAIN]);
  const long = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(50);
  expect(namesToAsk(long)).toEqual([long]);
});

const found = (...texts: string[]) => ({ kind: 'found', texts }) as const;
const absent = { kind: 'absent' } as const;
const unknown = { kind: 'unknown', why: 'SERVFAIL' } as const;

it.each([
  ['the record', [absent, found('talent-bridge-verification=c')], 'proved'],
  ['the record although another name is silent', [unknown, found('talent-bridge-verification=c')], 'proved'],
  ['no answer', [unknown, absent], 'unknown'],
  ['no record', [absent, absent], 'missing'],
  ['a record with another value', [found('talent-bridge-verification=C'), absent], 'missing'],
  ['other records', [found('v=spf1'), absent], 'missing'],
])('reads %s', (_what, findings, kind) => {
  expect(proofOf(DOMAIN, 'c', findings).kind).toBe(kind);
});

it.each([
  ['pending', null, null],
  ['verified', 'dns', null],
  ['lost', 'dns', now],
] as const)('is %s', (state, verified_by, lost_at) => {
  expect(domainStateOf({ verified_by, lost_at })).toBe(state);
});

const missing = { kind: 'missing', detail: 'no TXT record was found' } as const;

it.each([
  ['kept', { kind: 'proved' } as const, null],
  ['restored', { kind: 'proved' } as const, daysAgo(6)],
  ['unknown', { kind: 'unknown', detail: '' } as const, daysAgo(30)],
  ['lost', missing, null],
  ['still_lost', missing, daysAgo(6.9)],
  ['released', missing, daysAgo(7)],
])('becomes %s', (kind, proof, lost_at) => {
  expect(checkOutcome({ verified_by: 'dns', lost_at }, proof, now).kind).toBe(kind);
});
