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
}

/** What ends by itself and is of no use afterwards, with how long it is still looked at. */
const LEFTOVERS = [
  // A day longer than they are good for: who comes back late is told that it is over, and not that it never was.
  `delete from sign_in_requests where expires_at < now() - interval '1 day'`,
  `delete from used_messages where until < now()`,
  `delete from idp_logouts where until < now()`,
  `delete from owner_sign_in_links where expires_at < now() - interval '1 day'`,
  // Full again, whichever they are.
  `delete from tries where at < now() - interval '10 minutes'`,
  `delete from session_tokens where expires_at < now() - interval '1 day'`,
  // A member of an id that no user has had for so long is a mistake of the IdP, and not late.
  `delete from pending_members p using tenants t where p.tenant_id = t.id and p.since < now() - interval '90 days'`,
  `delete from tasks where state in ('done', 'failed', 'cancelled') and finished_at < now() - interval '30 days'`,
];

/**
 * Keeps the tables of attempts and of sign-ins in monthly partitions: the next ones are made in time, old ones are
 * dropped whole. What is only good for minutes is swept up.
 */
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
    const { attemptsDays, logsDays } = this.config.retention;
    await this.keep('attempts', attemptsDays);
    await this.keep('sign_ins', logsDays);
    await this.keep('events', logsDays);
    for (const statement of LEFTOVERS) await this.db.execute(statement);
    // Over since their person was put out or changed in the very moment in which they began: now it also stands there.
    await this.db.execute(
      `update sessions s set ended_at = now(), end_reason = 'person_changed' from users u
       where s.ended_at is null and u.tenant_id = s.tenant_id and u.id = s.user_id and u.session_epoch <> s.user_epoch`,
    );
    await this.db.execute(
      `update api_keys k set revoked_at = now()
       where k.owner_kind = 'person' and k.revoked_at is null and not exists (
         select 1 from users u where u.tenant_id = k.tenant_id and u.id = k.owner_user_id and u.status = 'active')`,
    );
    // Kept for the logout at the IdP, and then for nothing.
    await this.db.execute(
      `update sessions set id_token_sealed = null
       where id_token_sealed is not null and coalesce(ended_at, expires_at) < now() - interval '1 hour'`,
    );
    await this.db.execute(
      `delete from sessions where coalesce(ended_at, expires_at) < now() - make_interval(days => $1)`,
      [logsDays],
    );
  }

  private async keep(table: 'attempts' | 'sign_ins' | 'events', days: number): Promise<void> {
    const now = new Date();
    for (const { from } of [monthOf(now, 0), monthOf(now, 1)]) {
      await this.db.query(`select make_month($1, $2::date)`, [table, from.slice(0, 10)]);
    }
    const oldest = monthOf(new Date(now.getTime() - days * 24 * HOUR), 0).name;
    const { rows } = await this.db.execute<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_class p on p.oid = i.inhparent where p.relname = $1 and c.relname ~ ('^' || $1 || '_\\d{4}_\\d\\d$')`,
      [table],
    );
    for (const { name } of rows) {
      if (name >= `${table}_${oldest}`) continue;
      await this.db.query(`select drop_month($1, $2)`, [table, name]);
      this.logger.info('partition dropped', { partition: name });
    }
  }
}

/** The month of a moment (UTC), or a later one. */
function monthOf(moment: Date, later: number): Month {
  const from = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
  const name = from.toISOString().slice(0, 7).replace('-', '_');
  return { name, from: from.toISOString() };
}
