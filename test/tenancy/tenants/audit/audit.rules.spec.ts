import { canonicalJson, chainHash, CHAIN_START } from '../../../../src/base/crypto/chain.js';
import { ChainWalk, type Breach } from '../../../../src/tenancy/ledger/chain.rules.js';
import { auditHashInput, auditChainLine, type AuditRow } from '../../../../src/tenancy/tenants/audit/audit.rules.js';

/** The first breach, by the verifier of both chains. */
function breachOf(rows: readonly AuditRow[]): Breach | null {
  const walk = new ChainWalk();
  for (const row of rows) walk.take(auditChainLine(row));
  return walk.finish();
}

/** Seals lines as the sealer does. */
function sealed(count: number): AuditRow[] {
  let previous = CHAIN_START;
  return Array.from({ length: count }, (_, i) => {
    const row: AuditRow = {
      tenant_id: 'ten_1',
      entry_id: String(10 + i),
      at: '2026-01-31T12:00:00.000001Z',
      actor: { kind: 'key', id: 'key_1', name: 'k' },
      action: 'role.created',
      target_type: 'role',
      target_id: 'R',
      before: null,
      after: { b: 1, a: i },
      request_id: null,
      sequence: String(i + 1),
      previous_hash: previous,
      hash: null,
    };
    previous = chainHash(previous, auditHashInput(row));
    return { ...row, hash: previous };
  });
}

it('writes the same value as the same text', () => {
  expect(canonicalJson({ b: [1, { d: 1, c: null }], a: undefined })).toBe('{"b":[1,{"c":null,"d":1}]}');
  expect(canonicalJson({ x: 1, y: 2 })).toBe(canonicalJson({ y: 2, x: 1 }));
});

it('accepts whole lines', () => {
  expect(breachOf(sealed(5))).toBeNull();
});

it.each<[string, (rows: AuditRow[]) => void, number]>([
  ['a changed text', (rows) => (rows[2]!.action = 'role.deleted'), 3],
  ['a changed detail', (rows) => (rows[2]!.after = { a: 2, b: 2 }), 3],
  ['a changed time', (rows) => (rows[2]!.at = '2026-01-31T12:00:00.000002Z'), 3],
  ['another actor', (rows) => (rows[2]!.actor = { kind: 'key', id: 'key_2', name: 'k' }), 3],
  ['a line taken out', (rows) => rows.splice(2, 1), 3],
  [
    'a line taken out and the rest numbered anew',
    (rows) => {
      rows.splice(2, 1);
      rows.forEach((row, i) => (row.sequence = String(i + 1)));
    },
    3,
  ],
  [
    'two lines exchanged',
    (rows) => {
      [rows[2], rows[3]] = [rows[3]!, rows[2]!];
    },
    3,
  ],
])('names the place of %s', (_, damage, place) => {
  const rows = sealed(5);
  damage(rows);
  expect(breachOf(rows)?.sequence).toBe(place);
});
