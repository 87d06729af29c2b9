import type { MigrationInterface, QueryRunner } from 'typeorm';

const KNOWN = `execute format('drop table %I', p_name);`;
const GUARDED = `if to_date(right(p_name, 7), 'YYYY_MM') + interval '1 month' > now() at time zone 'UTC' - interval '1 day' then
          raise exception '% is too young to be dropped', p_name using errcode = 'insufficient_privilege';
        end if;
        ${KNOWN}`;

/**
 * The service may drop months that ended at least a day ago, which is the shortest retention: with its rights alone nothing of
 * the present month can be removed.
 */
export class KeepYoungMonths1767227610000 implements MigrationInterface {
  name = 'KeepYoungMonths1767227610000';

  async up(db: QueryRunner): Promise<void> {
    await this.replace(db, KNOWN, GUARDED);
  }

  async down(db: QueryRunner): Promise<void> {
    await this.replace(db, GUARDED, KNOWN);
  }

  private async replace(db: QueryRunner, before: string, after: string): Promise<void> {
    const [{ source }] = (await db.query(
      `select pg_get_functiondef(p.oid) as source from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.proname = 'drop_month'`,
    )) as [{ source: string }];
    if (!source.includes(before)) throw new Error('drop_month is not as this version knows it');
    await db.query(source.replace(before, () => after));
  }
}
