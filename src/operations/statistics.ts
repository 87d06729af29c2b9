import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { Loop } from '../base/loop.js';

const EVERY_MS = 1000;

/**
 * Keeps the planner's statistics in step with a first sync. PostgreSQL looks at a grown table once a minute at best;
 * until then every plan is made for the empty table that it was, and a list of ten thousand users is read whole and
 * sorted for each page. Here a table is analysed as soon as it has grown by a third, which also makes every connection
 * plan anew.
 */
@Injectable()
export class Statistics {
  private readonly loop: Loop;

  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    this.loop = new Loop(
      EVERY_MS,
      () => this.run(),
      (error) => logger.error('analysing tables failed', { error }),
    );
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Analyses what has grown; one process at a time. */
  async run(): Promise<void> {
    const { rows } = await this.db.query<{ name: string }>(
      `select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
       where s.schemaname = current_schema() and c.relkind = 'r'
         and s.n_mod_since_analyze > 250 + greatest(c.reltuples, 0) / 3`,
    );
    for (const { name } of rows) {
      const { rows: locked } = await this.db.query<{ mine: boolean }>(
        `select pg_try_advisory_xact_lock(72345028, hashtext($1)) as mine`,
        [name],
      );
      if (locked[0]!.mine) await this.db.execute(`analyze "${name}"`);
    }
  }
}
