import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { Logger } from '../../../base/log/logger.js';
import { Background } from '../../../base/loop.js';
import { SeatLimitsService } from '../../../seats/seat-limits.service.js';
import { RoomMade } from '../../../seats/seats.service.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { HeldService } from '../held/held.service.js';
import { UsersService } from '../write/users.service.js';

interface Candidate {
  id: string;
  directory_id: string | null;
  source: 'api' | 'scim' | 'sign-in';
}

/** `done`: the user no longer waits for a seat; another reason may hold the user. */
type Outcome = 'done' | 'no seat' | 'failed';

/** Users to decide about when something becomes free. The condition of an index has the same text. */
const RECONSIDERED = `(seat = 'waiting' or held in ('email_taken', 'external_id_taken', 'superseded'))`;

const BATCH = 100;
const SWEEP_MS = 15_000;

/**
 * Gives the next free seat to the user who has waited longest, and admits users whose held e-mail or key has become
 * free.
 */
@Injectable()
export class PeopleUpkeep extends Background {
  private readonly due = new Set<string>();
  private sweptAt = 0;

  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly directories: DirectoryStore,
    private readonly limits: SeatLimitsService,
    private readonly held: HeldService,
    private readonly logger: Logger,
    events: DomainEvents,
  ) {
    super(1_000, 'reconsidering users', logger);
    const freed = (tenantId: string): void => {
      this.due.add(tenantId);
      this.wake();
    };
    events.on(RoomMade, ({ tenantId }) => freed(tenantId));
  }

  override async run(): Promise<void> {
    const now = performance.now();
    if (now - this.sweptAt > SWEEP_MS || this.sweptAt === 0) {
      // Values that other processes freed, or this one before it stopped.
      this.sweptAt = now;
      for (const tenantId of await this.tenantsWithHeld()) this.due.add(tenantId);
      await this.limits.returnAllToOpen();
      await this.held.judgeAll();
    }
    for (const tenantId of this.due) {
      this.due.delete(tenantId);
      if (!(await this.hasReconsidered(tenantId))) continue;
      await this.promote(tenantId);
      await this.admitHeld(tenantId);
    }
  }

  /** Most deactivations need only this look. */
  private async hasReconsidered(tenantId: string): Promise<boolean> {
    const { rowCount } = await this.db.query(`select 1 from users where tenant_id = $1 and ${RECONSIDERED} limit 1`, [
      tenantId,
    ]);
    return rowCount === 1;
  }

  /**
   * Gives free seats to waiting users, oldest first, until no channel has one left. Under the policy `allow` users of a
   * channel need none. A user whose write fails is skipped.
   */
  async promote(tenantId: string): Promise<void> {
    const passedBy: string[] = [];
    const full = new Set<string>();
    for (;;) {
      const { rows } = await this.db.query<Candidate>(
        `select id, directory_id, source from users where tenant_id = $1 and seat = 'waiting' and id <> all ($2)
           and case when directory_id is null then source else 'scim' end <> all ($3)
         order by waiting_since, id limit ${BATCH}`,
        [tenantId, passedBy, [...full]],
      );
      for (const candidate of rows) {
        if (full.has(channelOf(candidate))) continue;
        const outcome = await this.admit(tenantId, candidate, true);
        if (outcome === 'no seat') full.add(channelOf(candidate));
        if (outcome === 'failed') passedBy.push(candidate.id);
      }
      if (rows.length < BATCH) return;
    }
  }

  /** Admits users held for an e-mail or key of another user, or for another directory, where the reason has ended. */
  async admitHeld(tenantId: string): Promise<void> {
    const { rows } = await this.db.query<Candidate>(
      `select id, directory_id, source from users
       where tenant_id = $1 and held in ('email_taken', 'external_id_taken') order by held_since, id limit 1000`,
      [tenantId],
    );
    for (const candidate of rows) await this.admit(tenantId, candidate, false);
    const silenced = await this.db.query<{ directory_id: string | null }>(
      `select distinct directory_id from users where tenant_id = $1 and held = 'superseded'`,
      [tenantId],
    );
    for (const { directory_id: id } of silenced.rows) {
      if (id === null || !(await this.directories.get(tenantId, id)).hasSuccessor) await this.admitOf(tenantId, id);
    }
  }

  private async admitOf(tenantId: string, directoryId: string | null): Promise<void> {
    const { rows } = await this.db.query<Candidate>(
      `select id, directory_id, source from users
       where tenant_id = $1 and held = 'superseded' and directory_id is not distinct from $2 order by held_since, id limit 1000`,
      [tenantId, directoryId],
    );
    for (const candidate of rows) await this.admit(tenantId, candidate, false);
  }

  private async admit(tenantId: string, candidate: Candidate, inTurn: boolean): Promise<Outcome> {
    const { id, directory_id: directoryId } = candidate;
    try {
      const directory = directoryId === null ? null : await this.directories.get(tenantId, directoryId);
      const context = {
        tenantId,
        channel: channelOf(candidate),
        directory,
        source: {
          request_id: '',
          surface: 'system' as const,
          directory_id: directoryId,
          actor: systemActor(inTurn ? 'waiting list' : 'held users'),
        },
        receivedAt: new Date(),
        inTurn,
      };
      const { row } = await this.users.reconsider(context, id);
      return row.seat === 'waiting' ? 'no seat' : 'done';
    } catch (error) {
      // The failure of one user must not delay the next users.
      if (!(error instanceof NotFound)) this.logger.error('reconsidering a user failed', { user_id: id, error });
      return 'failed';
    }
  }

  /** One index probe for each tenant with such users, not one for each user. */
  private async tenantsWithHeld(): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `with recursive found as (
         (select tenant_id from users where ${RECONSIDERED} order by tenant_id limit 1)
         union all
         select (select u.tenant_id from users u where ${RECONSIDERED} and u.tenant_id > f.tenant_id
                 order by u.tenant_id limit 1) from found f where f.tenant_id is not null)
       select tenant_id from found where tenant_id is not null`,
    );
    return rows.map((row) => row.tenant_id);
  }
}

function channelOf({ directory_id: directoryId, source }: Candidate): Candidate['source'] {
  return directoryId === null ? source : 'scim';
}

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
