import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is still bound to a name that somebody else has had since is found by that name. */
export class IndexIdentityNames1767226020000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `create index identities_name on identities (tenant_id, made_by, lower(made_of collate "C")) where ended_at is null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index identities_name`);
  }
}
