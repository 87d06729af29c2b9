import { Injectable } from '@nestjs/common';
import { Activity } from '../base/activity.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';
import { LANE_STATISTICS } from '../delivery/lanes/progress.js';

const EVERY_MS = 2_000;
const QUIET_MS = 10_000;

/** The columns that are analysed: documents are never compared as a whole, and are the most expensive to analyse. */
const COLUMNS: Record<string, string> = {
  users: 'tenant_id, id, directory_id, user_name_key, external_id, email_key, person_external_id, status, held, seat',
  user_emails: 'tenant_id, user_id, value_key, type_key',
  groups: 'tenant_id, id, directory_id, display_name_key, external_id',
  group_members: 'tenant_id, group_id, member_id',
  changes: 'tenant_id, sequence, user_id',
  lanes: LANE_STATISTICS,
  seat_entries: 'tenant_id, entry_id, sequence, user_id, effective_at',
  population_steps: 'tenant_id, owner',
  sessions: 'tenant_id, id, user_id, connection_id, subject',
  identities: 'tenant_id, connection_id, subject, user_id',
  audit_entries: 'tenant_id, entry_id, target_type, target_id',
};

/**
 * Updates the planner's statistics during a first sync. PostgreSQL analyses a grown table once a minute at best. Until
 * then every plan is made for an empty table: a list of ten thousand users is read whole and sorted for each page. The
 * indexes prevent the worst plans. Here a table is analysed as soon as it has three times as many rows, which also
 * makes every connection plan again.
 */
@Injectable()
export class Statistics extends Background {
  constructor(
    private readonly db: Database,
    logger: Logger,
    activity: Activity,
  ) {
    super(EVERY_MS, 'analysing tables', logger, { everyMs: QUIET_MS, activity });
  }

  /** Analyses grown tables, in one process at a time, and only the columns that plans depend on. */
  override async run(): Promise<void> {
    const { rows } = await this.db.query<{ name: string }>(
      `select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
       where s.schemaname = current_schema() and s.relname = any($1)
         and s.n_mod_since_analyze > 2000 + 2 * greatest(c.reltuples, 0)`,
      [Object.keys(COLUMNS)],
    );
    for (const { name } of rows) {
      const { rows: locked } = await this.db.query<{ mine: boolean }>(
        `select pg_try_advisory_xact_lock(72345028, hashtext($1)) as mine`,
        [name],
      );
      if (locked[0]!.mine) await this.db.query(`select analyze_table($1, $2)`, [name, COLUMNS[name]!.split(', ')]);
    }
  }
}
