import { Injectable } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';

const HOUR = 3_600_000;

/** One month of a table that is partitioned by time. */
interface Month {
  name: string;
  from: string;
  to: string;
}

/** Keeps the tables of attempts in monthly partitions: the next ones are made in time, old ones are dropped whole. */
@Injectable()
export class Retention extends Background {
  constructor(
    private readonly db: Database,
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    super(HOUR, 'retention', logger);
  }

  /** Makes the partitions of this month and the next, and drops those wholly older than the retention. */
  override async run(): Promise<void> {
    const now = new Date();
    for (const month of [monthOf(now, 0), monthOf(now, 1)]) await this.make('attempts', month);
    const keepFrom = new Date(now.getTime() - this.config.retention.attemptsDays * 24 * HOUR);
    const oldest = monthOf(keepFrom, 0).name;
    const { rows } = await this.db.execute<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_class p on p.oid = i.inhparent where p.relname = 'attempts' and c.relname ~ '^attempts_\\d{4}_\\d\\d$'`,
    );
    for (const { name } of rows) {
      if (name >= `attempts_${oldest}`) continue;
      await this.db.execute(`drop table ${name}`);
      this.logger.info('partition dropped', { partition: name });
    }
    await this.db.execute(
      `delete from jobs where state in ('done', 'failed') and finished_at < now() - interval '30 days'`,
    );
  }

  private async make(table: string, { name, from, to }: Month): Promise<void> {
    const partition = `${table}_${name}`;
    const { rows } = await this.db.execute(`select to_regclass($1) as found`, [partition]);
    if ((rows[0] as { found: string | null }).found !== null) return;
    await this.db.transaction(async (tx) => {
      // Rows that came while there was no partition wait in the default one; they move into the one made for them.
      await tx.query(`select pg_advisory_xact_lock(7234502818)`);
      const again = await tx.query<{ found: string | null }>(`select to_regclass($1) as found`, [partition]);
      if (again.rows[0]!.found !== null) return;
      await tx.query(`create table ${partition} (like ${table} including defaults)`);
      await tx.query(
        `with moved as (delete from ${table}_default where at >= '${from}' and at < '${to}' returning *)
         insert into ${partition} select * from moved`,
      );
      await tx.query(`alter table ${table} attach partition ${partition} for values from ('${from}') to ('${to}')`);
    });
  }
}

/** The month of a moment (UTC), or a later one. */
function monthOf(moment: Date, later: number): Month {
  const from = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
  const to = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later + 1, 1));
  const name = from.toISOString().slice(0, 7).replace('-', '_');
  return { name, from: from.toISOString(), to: to.toISOString() };
}
