import { Injectable } from '@nestjs/common';
import { SIGN_IN_LEFTOVERS } from '../auth/sign-in/log/sign-in-log.js';
import { Config } from '../base/config/config.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { IntervalWork } from '../base/work/work.js';
import { CONSOLE_LEFTOVERS } from '../console/access/console-sessions.repository.js';
import { CLIENT_LEFTOVERS } from '../directory-sync/clients/access-tokens.service.js';
import { CREDENTIAL_HOUR_LEFTOVERS } from '../directory-sync/directories/directory-marks.js';
import { CREDENTIAL_LEFTOVERS, GROUP_LEFTOVERS, GUARD_LEFTOVERS } from '../directory-sync/users/users.repository.js';
import { DESTINATION_LEFTOVERS } from '../engine/delivery/destinations/destinations.repository.js';
import { EventsService, EventsRepository } from '../engine/events/events.service.js';
import { EVENT_LEFTOVERS } from '../engine/events/stored-events.js';
import { TASK_LEFTOVERS } from '../engine/work/tasks.repository.js';
import { OLD_OPEN_EVENTS } from '../integrations/ats/inbound/inbound-events.repository.js';
import { CONNECT_LINK_LEFTOVERS } from '../integrations/ats/marketplace/connect-links.service.js';
import { GIVEN_UP_LEFTOVERS, OLD_GIVEN_UP } from '../integrations/webhooks/endpoints.repository.js';
import { IDEMPOTENCY_LEFTOVERS } from '../tenancy/idempotency/idempotency-keys.js';
import { OLD_SESSIONS, SESSION_LEFTOVERS } from '../tenancy/sessions/sessions.repository.js';
import { CREDENTIAL_NOTICE_DAYS, noticeAt } from '../tenancy/tenants/credentials.rules.js';

const HOUR = 3_600_000;
/** Longer than any ATS repeats an event. A key has the first moment of its month. */
const ATS_KEY_DAYS = 45;

type MonthlyTable =
  'attempts' | 'sign_ins' | 'events' | 'requests' | 'request_bodies' | 'ats_events' | 'ats_event_keys';

interface Month {
  name: string;
  from: string;
}

/** Expired rows without further use; each room names those of its tables. */
const LEFTOVERS = [
  ...SIGN_IN_LEFTOVERS,
  ...SESSION_LEFTOVERS,
  ...IDEMPOTENCY_LEFTOVERS,
  ...CREDENTIAL_LEFTOVERS,
  ...GROUP_LEFTOVERS,
  ...GUARD_LEFTOVERS,
  ...TASK_LEFTOVERS,
  ...EVENT_LEFTOVERS,
  ...DESTINATION_LEFTOVERS,
  ...GIVEN_UP_LEFTOVERS,
  ...CONNECT_LINK_LEFTOVERS,
  ...CONSOLE_LEFTOVERS,
  ...CLIENT_LEFTOVERS,
  ...CREDENTIAL_HOUR_LEFTOVERS,
];

/**
 * Keeps the tables of attempts, sign-ins, events, SCIM requests and inbound events of ATSs in monthly partitions:
 * creates the next ones in time, drops old ones whole. Deletes expired rows.
 */
@Injectable()
export class Retention extends IntervalWork {
  override readonly kind = 'retention';
  override readonly everyMs = HOUR;

  constructor(
    private readonly db: Database,
    private readonly config: Config,
    private readonly events: EventsService,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** Creates the partitions of this month and the next, and drops those that are wholly older than the retention. */
  override async run(): Promise<void> {
    const { attemptsDays, bodiesDays, eventsDays, logsDays } = this.config.retention;
    await this.keep('attempts', attemptsDays);
    await this.keep('sign_ins', logsDays);
    await this.keep('events', eventsDays, (tx, month) => this.events.raiseFloor(tx, month));
    await this.db.execute(OLD_OPEN_EVENTS, [bodiesDays]);
    await this.keep('requests', logsDays);
    await this.keep('request_bodies', bodiesDays);
    await this.keep('ats_events', bodiesDays);
    await this.keep('ats_event_keys', ATS_KEY_DAYS);
    for (const statement of LEFTOVERS) await this.db.execute(statement);
    await this.db.execute(OLD_SESSIONS, [logsDays]);
    await this.db.execute(OLD_GIVEN_UP, [eventsDays]);
  }

  /** @param beforeDrop notes the dropped rows, in the same transaction */
  private async keep(
    table: MonthlyTable,
    days: number,
    beforeDrop: (tx: SqlRunner, month: string) => Promise<void> = async () => undefined,
  ): Promise<void> {
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
      await this.db.transaction(null, async (tx) => {
        await beforeDrop(tx, name);
        await tx.query(`select drop_month($1, $2)`, [table, name]);
      });
      this.logger.info('partition dropped', { partition: name });
    }
  }
}

function monthOf(moment: Date, later: number): Month {
  const from = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
  const name = from.toISOString().slice(0, 7).replace('-', '_');
  return { name, from: from.toISOString() };
}

interface Expiring {
  tenant_id: string;
  kind: 'api_key' | 'scim_token' | 'client_secret';
  id: string;
  directory_id: string | null;
  expires_at: Date;
}

/** Reports credentials that expire soon: an expired token that only shows as 401 is the commonest outage. */
@Injectable()
export class ExpiryNotice extends IntervalWork {
  override readonly kind = 'credentials.expiry';
  override readonly everyMs = 6 * 3_600_000;

  constructor(
    private readonly db: Database,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** Reports each live credential that expires within 30 days; events once for each mark. */
  override async run(): Promise<void> {
    const { rows } = await this.db.query<Expiring>(
      `select tenant_id, 'api_key' as kind, id, null as directory_id, expires_at from api_keys
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'
       union all
       select tenant_id, 'scim_token', id, directory_id, expires_at from scim_tokens
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'
       union all
       select s.tenant_id, 'client_secret', s.id, c.directory_id, s.expires_at
         from client_secrets s join directory_clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
         where s.revoked_at is null and c.revoked_at is null
           and s.expires_at between now() and now() + $1 * interval '1 day'`,
      [CREDENTIAL_NOTICE_DAYS[0]],
    );
    for (const row of rows) await this.record(row);
  }

  private async record({ tenant_id: tenantId, kind, id, directory_id, expires_at }: Expiring): Promise<void> {
    const about = { kind, credential_id: id, expires_at: expires_at.toISOString() };
    this.logger.warn('credential.expiring', { tenant_id: tenantId, ...about });
    const days = noticeAt(expires_at, new Date());
    if (days === null) return;
    const data = { ...about, directory_id, days };
    await this.events.record(tenantId, [{ event: 'credential.expiring', data, threshold: `${id} ${days}` }]);
  }
}
