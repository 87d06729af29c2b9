import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../src/base/database/database.js';

const SEED = path.resolve(import.meta.dirname, 'many-tenants.sql');

/**
 * Fills tenants with users at rest.
 *
 * @param owner with the rights of a superuser: foreign keys are not checked again
 * @param tenants a query of tenant id, directory id, tag and number of users
 */
export async function seed(owner: Database, tenants: string): Promise<void> {
  await owner.execute(
    `set statement_timeout = 0;
     create temporary table seeded (tenant_id, directory_id, tag, users) as ${tenants};
     set default_statistics_target = 30;
     ${readFileSync(SEED, 'utf8')}
     drop table seeded; reset default_statistics_target; set statement_timeout = 15000`,
  );
}
