import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions by what the IdP calls their user: the NameID of SAML, which need not be the subject of the binding
 * (`subject_claim`), else the subject. A logout of the IdP names that.
 */
export class SessionNames1767226810000 implements MigrationInterface {
  name = 'SessionNames1767226810000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `create index sessions_name on sessions (tenant_id, connection_id, coalesce(name_id ->> 'value', subject))
       where ended_at is null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index sessions_name`);
  }
}
