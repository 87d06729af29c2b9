import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../src/base/database/database.js';

const TABLES = `select relname as name from pg_stat_user_tables where schemaname = current_schema()`;
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
     ${readFileSync(SEED, 'utf8')}
     drop table seeded; set statement_timeout = 15000`,
  );
  // Apart: with the rows it would hold the locks of all tables at once, and the service analyses, too.
  for (const { name } of (await owner.execute<{ name: string }>(TABLES)).rows) await owner.execute(`analyze ${name}`);
}
