import { ReserveSignInNames1767226400000 } from '../../../src/base/database/migrations/1767226400000-reserve-sign-in-names.js';
import { createDataSource } from '../../../src/start/data-source.js';
import { testDatabase } from '../../support/database.js';

it('reserves the names of connections from before: deleted slugs, and entity ids for the oldest connection', async () => {
  const database = await testDatabase(2);
  const source = createDataSource(database.url, 1);
  await source.initialize();
  const runner = source.createQueryRunner();
  const migration = new ReserveSignInNames1767226400000();
  try {
    await migration.down(runner);
    await runner.query(`insert into tenants (id, name) values ('ten_a', 'A'), ('ten_b', 'B')`);
    await runner.query(`
      insert into connections (tenant_id, id, slug, name, type, enabled, settings, created_at, deleted_at)
      select tenant, id, slug, 'C', 'saml', true, jsonb_build_object('sp_entity_id', entity_id::text),
        now() - make_interval(days => age), case when gone > 0 then now() - make_interval(days => gone) end
      from (values
        ('ten_a', 'con_1', 'gone', 'https://Acme.example.com/sp/', 9, 5),
        ('ten_b', 'con_2', 'gone', null, 4, 1),
        ('ten_b', 'con_3', 'live', 'https://acme.example.com/SP', 3, 0),
        ('ten_a', 'con_4', 'live', null, 8, 6)
      ) c (tenant, id, slug, entity_id, age, gone)`);
    await runner.query(`insert into connection_slugs values ('live', 'ten_b', 'con_3')`);
    await migration.up(runner);
    expect(await runner.query(`select * from connection_slugs order by slug`)).toEqual([
      { slug: 'gone', tenant_id: 'ten_b', connection_id: null },
      { slug: 'live', tenant_id: 'ten_b', connection_id: 'con_3' },
    ]);
    expect(await runner.query(`select * from saml_entity_ids`)).toEqual([
      { entity_id: 'https://acme.example.com/sp', tenant_id: 'ten_a' },
    ]);
  } finally {
    await runner.release();
    await source.destroy();
    await database.close();
  }
});
