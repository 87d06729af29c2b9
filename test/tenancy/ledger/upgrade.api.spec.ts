import { startApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { long } from '../../support/rounds.js';

// Chains from before heads were signed, and processes of that version that run on during an upgrade.
let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

const verify = async (at: Awaited<ReturnType<typeof newHouse>>) =>
  (await at.api.post('/audit/verify', {})).body as { ok: boolean; code?: string };

long('signs a chain of the former version with the first seal, and with no later one', async () => {
  const at = await newHouse(service);
  expect(await verify(at)).toMatchObject({ ok: true });
  // As the migration leaves it.
  await service.db.query(
    `update chain_heads set signature = null, signed_sequence = null, signed_hash = null, key_id = null,
       unsigned_through = sequence where tenant_id = $1`,
    [at.tenantId],
  );
  await at.api.post('/roles', { name: 'Next', takes_seat: true });
  expect(await verify(at)).toMatchObject({ ok: true });
  const { rows } = await service.db.query(
    `select signed_sequence = sequence as signed, unsigned_through::int from chain_heads
     where tenant_id = $1 and chain = 'audit'`,
    [at.tenantId],
  );
  expect(rows).toEqual([{ signed: true, unsigned_through: 0 }]);
  await service.db.query(`update chain_heads set signature = null where tenant_id = $1`, [at.tenantId]);
  expect(await verify(at)).toMatchObject({ ok: false, code: 'head not signed' });
});

it('keeps lines valid that a process of the former version has sealed, and signs them with the next ones', async () => {
  const at = await newHouse(service);
  expect(await verify(at)).toMatchObject({ ok: true });
  const anchor = async () =>
    (
      await service.db.query<{ signed: number; sequence: number }>(
        `select signed_sequence::int as signed, sequence::int from chain_heads where tenant_id = $1 and chain = 'audit'`,
        [at.tenantId],
      )
    ).rows[0]!;
  const { sequence } = await anchor();
  // The old process moved the head on and left the signature where it was: so does this, backwards.
  const { rows } = await service.db.query<{ hash: Buffer }>(
    `select hash from audit_entries where tenant_id = $1 and sequence = $2`,
    [at.tenantId, sequence - 1],
  );
  const { ChainKeys } = await import('../../../src/tenancy/ledger/chain-keys.js');
  const { headText } = await import('../../../src/tenancy/ledger/chain.rules.js');
  const hash = rows[0]!.hash.toString('hex');
  const earlier = { tenantId: at.tenantId, chain: 'audit' as const, sequence: sequence - 1, hash };
  const signed = service.app.nest.get(ChainKeys).sign(headText(earlier));
  await service.db.query(
    `update chain_heads set signed_sequence = $2, signed_hash = $3, signature = $4, key_id = $5
     where tenant_id = $1 and chain = 'audit'`,
    [at.tenantId, sequence - 1, rows[0]!.hash, signed.signature, signed.keyId],
  );
  expect(await verify(at)).toMatchObject({ ok: true });
  await at.api.post('/roles', { name: 'Next', takes_seat: true });
  expect(await verify(at)).toMatchObject({ ok: true });
  const end = await anchor();
  expect(end.signed).toBe(end.sequence);
});
