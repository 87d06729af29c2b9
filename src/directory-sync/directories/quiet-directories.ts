import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { IntervalWork } from '../../base/work/work.js';
import { EventsRepository } from '../../engine/events/events.service.js';

/** Fewer pauses tell nothing of what is usual. */
const LEAST_PAUSES = 5;
/** An IdP that writes each minute may have nothing to write for an hour. */
const LEAST_SECONDS = 3_600;
/** A directory that is silent for longer is out of use. */
const MOST_DAYS = 30;

interface Quiet {
  tenant_id: string;
  id: string;
  last_request_at: Date;
  usual_pause_seconds: number;
}

/** Records directories whose IdP has sent nothing for three times its usual pause, once for each silence. */
@Injectable()
export class QuietDirectories extends IntervalWork {
  override readonly kind = 'directories.quiet';
  override readonly everyMs = 10 * 60_000;

  constructor(
    private readonly db: Database,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** Looks at the directories of all tenants. */
  override async run(): Promise<void> {
    const { rows } = await this.db.query<Quiet>(
      `select tenant_id, id, last_request_at, usual_pause_seconds from directories
       where deleted_at is null and pauses >= $1 and told_quiet_since is distinct from last_request_at
         and last_request_at < now() - greatest(3 * usual_pause_seconds, $2) * interval '1 second'
         and last_request_at > now() - $3 * interval '1 day'`,
      [LEAST_PAUSES, LEAST_SECONDS, MOST_DAYS],
    );
    for (const row of rows) await this.record(row);
  }

  private async record({ tenant_id: tenantId, id, ...row }: Quiet): Promise<void> {
    const data = {
      directory_id: id,
      last_request_at: row.last_request_at.toISOString(),
      usual_interval_seconds: row.usual_pause_seconds,
    };
    await this.db.transaction(tenantId, async (tx) => {
      // Another process may look at the same time; a request may have come meanwhile.
      const { rowCount } = await tx.query(
        `update directories set told_quiet_since = last_request_at
         where tenant_id = $1 and id = $2 and told_quiet_since is distinct from last_request_at
           and date_trunc('milliseconds', last_request_at) = $3`,
        [tenantId, id, row.last_request_at],
      );
      if (rowCount === 0) return;
      this.logger.warn('directory.quiet', { tenant_id: tenantId, ...data });
      await this.events.record(tenantId, [{ event: 'directory.quiet', data }], tx);
    });
  }
}
