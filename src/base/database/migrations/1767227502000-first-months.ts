import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['attempts', 'sign_ins', 'events'];
const CREATE = `execute format('create table`;
const LOCK = `execute format('lock table %I in access exclusive mode', p_table || '_default');\n        `;

/**
 * Makes the first months before the service runs. The background work makes them ahead of time; on a new database it made
 * them beside the first requests, whose rows went to the default partition: a row between the move and the attachment
 * failed one of the two. The lock keeps rows out between them, where the service was off for longer than a month.
 */
export class FirstMonths1767227502000 implements MigrationInterface {
  name = 'FirstMonths1767227502000';

  async up(db: QueryRunner): Promise<void> {
    await this.replaceInMakeMonth(db, CREATE, LOCK + CREATE);
    for (const table of TABLES) {
      for (const month of ['now()', `now() + interval '1 month'`]) {
        await db.query(`select make_month($1, ((${month}) at time zone 'UTC')::date)`, [table]);
      }
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await this.replaceInMakeMonth(db, LOCK + CREATE, CREATE);
  }

  private async replaceInMakeMonth(db: QueryRunner, before: string, after: string): Promise<void> {
    const [{ source }] = (await db.query(
      `select pg_get_functiondef(p.oid) as source from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.proname = 'make_month'`,
    )) as [{ source: string }];
    await db.query(source.replace(before, () => after));
  }
}
