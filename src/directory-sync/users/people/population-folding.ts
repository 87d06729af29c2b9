import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { Background } from '../../../base/loop.js';

/** Folds the steps of the population into its figures. */
@Injectable()
export class PopulationFolding extends Background {
  constructor(
    private readonly db: Database,
    logger: Logger,
    activity: Activity,
  ) {
    super(500, 'folding the counts', logger, { everyMs: 5_000, activity });
  }

  /** One statement, so that no reader counts a step twice. */
  override async run(): Promise<void> {
    await this.db.query(
      `with taken as (delete from population_steps where ctid = any(array(
           select ctid from population_steps limit 20000 for update skip locked)) returning tenant_id, owner, step),
         sums as (select tenant_id, owner, sum(step) as n from taken group by 1, 2)
       insert into population as p (tenant_id, owner, n) select tenant_id, owner, n from sums
       order by tenant_id, owner
       on conflict (tenant_id, owner) do update set n = p.n + excluded.n`,
    );
  }
}
