import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';
import { LANE_STATISTICS } from '../engine/delivery/lanes/read.js';

const EVERY_MS = 250;
const STATEMENTS = 20;

/** Only these columns are analysed: documents are never compared as a whole, and are the most expensive to analyse. */
const COLUMNS: Record<string, string> = {
  users:
    'tenant_id, id, directory_id, user_name_key, external_id, email_key, requested_email_key, person_external_id, status, held, seat',
  user_emails: 'tenant_id, user_id, value_key, type_key',
  groups: 'tenant_id, id, directory_id, display_name_key, external_id',
  group_members: 'tenant_id, group_id, member_id',
  changes: 'tenant_id, sequence, user_id',
  lanes: LANE_STATISTICS,
  seat_entries: 'tenant_id, entry_id, sequence, user_id, effective_at',
  population_steps: 'tenant_id, owner',
  sessions: 'tenant_id, id, user_id, connection_id, subject',
  identities: 'tenant_id, connection_id, subject, user_id',
  candidates: 'tenant_id, id, external_id, email_key, job_opening_id, ats_priority, updated_at',
  job_openings: 'tenant_id, id, external_id, status, ats, updated_at',
  ats_records: 'tenant_id, connection_id, kind, remote_id, record_id, state, changed_at, brought_by, seen_in',
  audit_entries: 'tenant_id, entry_id, target_type, target_id',
};

/**
 * Updates the planner's statistics during a first sync. PostgreSQL analyses a grown table once a minute at best. Until
 * then each connection keeps its plans for empty tables, where all indexes cost the same: it can read all users of the
 * tenant to find one. Here a table is analysed as soon as it has several times as many rows, which also makes every
 * connection plan again. The first analysis comes at 200 rows: for a tiny table, reading it whole is the best plan,
 * and that plan would outlive its reason. A process without statements does not look.
 */
@Injectable()
export class Statistics extends Background {
  private seen = 0;

  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(EVERY_MS, 'analysing tables', logger);
  }

  /**
   * Analyses grown tables, in one process at a time, and only the columns that plans depend on. Rows are compared with
   * rows: PostgreSQL continues to count modifications after an analysis of some columns, and a queue always has many.
   */
  override async run(): Promise<void> {
    if (this.db.statements - this.seen < STATEMENTS) return;
    this.seen = this.db.statements;
    const { rows } = await this.db.query<{ name: string }>(
      `select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
       where s.schemaname = current_schema() and s.relname = any($1)
         and s.n_live_tup > least(200 + 4 * greatest(c.reltuples, 0), 2000 + 2 * greatest(c.reltuples, 0))`,
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
