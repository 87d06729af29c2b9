import { Database } from '../../../src/base/database/database.js';
import { startApp } from '../../support/app.js';
import { StatementRecorder } from '../../support/statements.js';

it('reports a statement that has no tenant and is not on the list, and no other one', async () => {
  const service = await startApp();
  try {
    const db = service.app.nest.get(Database);
    const recorder = new StatementRecorder(db, { ofTests: true });
    const { tenantId } = service.tenant;
    await db.query(`select 1 from tenants where id = $1`, [tenantId]);
    await db.query(`select id from tenants order by id limit 1`);
    recorder.check();
    await db.transaction(tenantId, (tx) => tx.query(`select count(*) from users`));
    expect(() => recorder.check()).toThrow(/without their tenant as \$1.*select count\(\*\) from users/s);
  } finally {
    await service.close();
  }
});
