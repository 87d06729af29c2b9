import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

const DEFINITION = `(tenant_id, channel, destination, at desc) where channel <> 'platform'`;

/** Lists of the requests to one endpoint read an index. It holds nothing of the platform, whose requests are many. */
export class AttemptsOfEndpoints1767227491000 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    const months = (await db.query(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'attempts'::regclass`,
    )) as { name: string }[];
    // An index of the whole table cannot be built beside writes; those of its months can, and are attached.
    for (const { name } of months) await buildIndex(db, `${name}_endpoints`, `on ${name} ${DEFINITION}`);
    await db.query(`create index if not exists attempts_endpoints on only attempts ${DEFINITION}`);
    for (const { name } of months) {
      await db.query(`alter index attempts_endpoints attach partition ${name}_endpoints`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index attempts_endpoints`);
  }
}
