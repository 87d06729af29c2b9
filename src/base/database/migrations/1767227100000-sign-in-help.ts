import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A tenant can name where its users get help, and a test sign-in keeps its result for a while. */
export class SignInHelp1767227100000 implements MigrationInterface {
  name = 'SignInHelp1767227100000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants add column help_url text`);
    await db.query(`alter table sign_in_requests add column result jsonb, add column result_until timestamptz`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table sign_in_requests drop column result, drop column result_until`);
    await db.query(`alter table tenants drop column help_url`);
  }
}
