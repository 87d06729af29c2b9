import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { DestinationStatesRepository } from '../../delivery/destinations/destination-states.repository.js';
import { systemActor } from '../../identity/source.js';
import { AuditService } from '../../tenants/audit/audit.service.js';
import { InstallationRepository, type Generation } from './installation.repository.js';
import { KeptMark, type Mark } from './kept-mark.js';

const EVERY_MS = 1_000;

/** Why a destination is paused after a restore. */
export const RESTORED = 'database_restored';

/**
 * Notices a database that was put back to an earlier state. Such a database does not know who has left since, and what the
 * platform was told. So forwarding is paused for every tenant until an administrator has compared and resumes.
 *
 * The generation in the database moves first, and the one in DATA_DIR follows. So the database is never behind, unless it was
 * restored.
 */
@Injectable()
export class RestoreWatch extends Background {
  private readonly kept: KeptMark;
  private mark: Mark | null = null;
  private cannotKeep = false;

  constructor(
    config: Config,
    private readonly db: Database,
    private readonly installation: InstallationRepository,
    private readonly states: DestinationStatesRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'watching the generation of the database', logger);
    this.kept = new KeptMark(config.dataDir);
  }

  /**
   * Compares the database with what earlier processes had seen. Must be done before anything is forwarded.
   *
   * @returns what happened, in words; null: the database was not restored
   */
  async begin(): Promise<string | null> {
    this.mark = await this.kept.read();
    return this.look();
  }

  override async run(): Promise<void> {
    await this.look();
  }

  /** Ends with the last generation written down. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.look().catch(() => undefined); // the database is away: the mark is what was seen last
  }

  private async look(): Promise<string | null> {
    const now = await this.installation.advance();
    if (this.mark !== null && this.mark.installation === now.id && now.generation < this.mark.generation) {
      return this.restored(this.mark);
    }
    await this.keep(now);
    return null;
  }

  private async restored(mark: Mark): Promise<string | null> {
    const words =
      `The database was put back to an earlier state: it does not know what happened between then and ${mark.at}. ` +
      'Forwarding is paused. Let each IdP run a full cycle, compare with the platform, then resume.';
    const done = await this.db.transaction(null, async (tx) => {
      const { generation } = await this.installation.lock(tx);
      if (generation >= mark.generation) return null; // another process was quicker
      await this.installation.goOnBehind(tx, mark.generation);
      const tenants = await this.states.pauseAll(tx, RESTORED, words);
      for (const tenantId of tenants) {
        const line = { tenantId, actor: systemActor('restore'), requestId: null, targetType: 'platform' };
        const after = { state: 'paused', reason: RESTORED };
        await this.audit.record(tx, { ...line, targetId: tenantId, action: 'platform.paused', after });
      }
      return { generation, tenants: tenants.length };
    });
    if (done !== null) {
      const generations = { generation: done.generation, reached_before: mark.generation };
      this.logger.error('database restored', { ...generations, paused: done.tenants, detail: words });
    }
    await this.keep(await this.installation.advance());
    return done === null ? null : words;
  }

  private async keep({ id, generation }: Generation): Promise<void> {
    if (this.mark?.installation === id && this.mark.generation === generation) return;
    this.mark = { installation: id, generation, at: this.clock.now().toISOString() };
    try {
      await this.kept.write(this.mark);
    } catch (error) {
      if (this.cannotKeep) return;
      this.cannotKeep = true;
      this.logger.warn('the generation of the database cannot be kept in DATA_DIR: a restore will not be noticed', {
        error,
      });
    }
  }
}
