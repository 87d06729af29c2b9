import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the check of a sign-in against logouts of the IdP as one function: it takes the locks, and then reads. A function
 * that is volatile reads with a new snapshot, so a statement that calls it sees a logout that it has waited for.
 */
export class SignedOutAtIdp1767227460000 implements MigrationInterface {
  name = 'SignedOutAtIdp1767227460000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function signed_out_at_idp(p_tenant text, p_connection text, p_locks text[], p_marks text[], p_exact text[],
        p_issued timestamptz) returns boolean language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest(p_locks) as m;
        return exists (select 1 from idp_logouts l
          where l.tenant_id = p_tenant and l.connection_id = p_connection and l.mark = any (p_marks)
            and (l.ended_at > p_issued or (l.ended_at = p_issued and l.mark = any (p_exact))));
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function signed_out_at_idp(text, text, text[], text[], text[], timestamptz)`);
  }
}
