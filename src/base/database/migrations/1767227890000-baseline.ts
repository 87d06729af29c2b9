import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PlainFailure } from '../../errors/domain-error.js';

/** The migrations before the schema was written as a whole. */
const EARLIER = 76;

/**
 * Counts the schema of a database that has run all earlier migrations as that of the baseline. A database without any schema
 * never runs this: it gets the files of `schema/`.
 */
export class Baseline1767227890000 implements MigrationInterface {
  name = 'Baseline1767227890000';

  async up(db: QueryRunner): Promise<void> {
    const [{ n }] = (await db.query(`select count(*)::int as n from migrations`)) as [{ n: number }];
    if (n >= EARLIER) return;
    throw new PlainFailure(
      `the database has ${n} of the ${EARLIER} migrations that came before the present schema, and this version does not ` +
        'have the others. Start the last version that has them once, then this one: docs/run/upgrade.md says which it is.',
    );
  }

  async down(): Promise<void> {
    // The schema stays: no version before this one can make it anew.
  }
}
