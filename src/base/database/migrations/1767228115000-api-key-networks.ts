import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks that an API key admits requests from, and the last request from another one. */
export class ApiKeyNetworks1767228115000 implements MigrationInterface {
  name = 'ApiKeyNetworks1767228115000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table api_keys add column allow_from jsonb not null default '[]', add column last_refusal jsonb`);
    await this.tell(db, 'name, scopes, expires_at, revoked_at, allow_from');
  }

  async down(db: QueryRunner): Promise<void> {
    await this.tell(db, 'name, scopes, expires_at, revoked_at');
    await db.query(`alter table api_keys drop column allow_from, drop column last_refusal`);
  }

  private async tell(db: QueryRunner, columns: string): Promise<void> {
    await db.query(`drop trigger api_keys_told on api_keys`);
    await db.query(`
      create trigger api_keys_told after delete or update of ${columns} on api_keys
        for each row execute function tell_settings()`);
  }
}
