import { LeaversRepository } from '../../src/history/leavers.repository.js';
import { testDatabase } from '../support/database.js';
it('plan', async () => {
  const database = await testDatabase();
  await database.db.execute(`
    insert into tenants (id, name) select 't' || g, 'x' from generate_series(1, 5) g;
    insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
      select 't' || (g % 5 + 1), 'usr_' || (g % 5000), case when g % 40 = 0 then 'deactivated' else 'updated' end, true, '{}', '{}', '{}', now() from generate_series(1, 60000) g;
    insert into lanes (tenant_id, user_id, target_state, target_person, rank, first_pending, last_pending, confirmed_through)
      select 't' || (g % 5 + 1), 'usr_' || g, 'active', '{}', 1, case when g < 100 then 5 end, 60000, case when g < 100 then 0 else 60000 end from generate_series(1, 4999) g;
    insert into attempts (tenant_id, user_id, delivery_id, first_sequence, last_sequence, method, path, outcome, duration_ms, sent_at, n)
      select 't' || (g % 5 + 1), 'usr_' || (g % 5000), 'd', g, g, 'PATCH', '/', 'delivered', 1, now(), 1 from generate_series(1, 60000) g;
    analyze`);
  const texts: [string, unknown[]][] = [];
  const spy = { query: async (text: string, values: unknown[]) => (texts.push([text, values]), { rows: [] }) };
  const repo = new LeaversRepository(spy as never);
  await repo.list('t1', {}, { limit: 50, after: null });
  await repo.list('t1', { user_id: 'usr_40' }, { limit: 50, after: null });
  await repo.list('t1', { state: 'waiting' }, { limit: 50, after: null });
  await repo.list('t1', { state: 'confirmed' }, { limit: 50, after: null });
  let out = '';
  for (const [text, values] of texts) {
    // generic, as the pool plans
    await database.db.transaction(async (tx) => {
      await tx.query('set local force_parallel_mode = off').catch(() => undefined);
    }).catch(() => undefined);
    const types = ['text', 'bigint', 'timestamptz', 'timestamptz', 'text', 'text', 'bigint'];
    const lit = (v: unknown) => (v === null ? 'null' : `'${String(v)}'`);
    const c = await database.dataSource.createQueryRunner();
    await c.query(`prepare q (${types.join(',')}) as ${text}`);
    const rows = await c.query(`explain (analyze, costs off, timing off) execute q(${values.map(lit).join(',')})`);
    await c.query('deallocate q');
    await c.release();
    out += rows.map((r: Record<string, string>) => r['QUERY PLAN']).join('\n') + '\n=====\n';
  }
  console.log(out);
  // down and up again
  const before = await database.db.query(`select indexdef from pg_indexes where schemaname='public' order by 1`);
  await database.dataSource.undoLastMigration();
  await database.dataSource.runMigrations();
  const after = await database.db.query(`select indexdef from pg_indexes where schemaname='public' order by 1`);
  expect(after.rows.filter((r) => !/_20\d\d_/.test(r['indexdef']))).toEqual(before.rows.filter((r) => !/_20\d\d_/.test(r['indexdef'])));
  await database.close();
}, 120000);
