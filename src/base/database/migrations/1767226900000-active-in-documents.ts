import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each stored user shows `active`. Documents that a PATCH had cleared it from lacked it, although filters, which read the
 * column, found the users by it.
 */
export class ActiveInDocuments1767226900000 implements MigrationInterface {
  name = 'ActiveInDocuments1767226900000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      update users set doc = doc || jsonb_build_object('active', active), version = version + 1,
        doc_bytes = octet_length((doc || jsonb_build_object('active', active))::text)
      where not doc ? 'active'`);
  }

  async down(): Promise<void> {
    // The documents stay complete: the value is the one that the column has.
  }
}
