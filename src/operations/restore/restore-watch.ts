import { Injectable } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import { systemActor } from '../../tenancy/identity/person.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { InstallationRepository, type Generation } from './installation.repository.js';
import { KeptMark, type GenerationMark } from './kept-mark.js';

const EVERY_MS = 1_000;
const QUIET_MS = 5_000;

/** The reason of a pause after a restore. */
const RESTORED = 'database_restored';

/**
 * Detects a database that was restored to an earlier state. Such a database does not know users who left since, and
 * changes that the platform received. So forwarding is paused for every tenant until an administrator has compared and
 * resumes.
 *
 * The generation in the database increases first, and the one in DATA_DIR follows. So the database is behind only after
 * a restore.
 */
@Injectable()
export class RestoreWatch extends Background {
  override readonly isEverywhere = true;
  private readonly kept: KeptMark;
  private mark: GenerationMark | null = null;
  private cannotKeep = false;

  constructor(
    config: Config,
    private readonly db: Database,
    private readonly installation: InstallationRepository,
    private readonly states: DestinationStatesRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    activity: Activity,
  ) {
    super(EVERY_MS, 'watching the generation of the database', logger, { everyMs: QUIET_MS, activity });
    this.kept = new KeptMark(config.dataDir);
  }

  /**
   * Compares the database with the mark of earlier processes. Must be called before changes are forwarded.
   *
   * @returns a message; null: the database was not restored
   */
  async begin(): Promise<string | null> {
    this.mark = await this.kept.read();
    return this.look();
  }

  override async run(): Promise<void> {
    await this.look();
  }

  /** Stores the last generation. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.look().catch(() => undefined); // The database is away: the mark has the last known generation.
  }

  private async look(): Promise<string | null> {
    const now = await this.installation.advance();
    if (this.mark !== null && this.mark.installation === now.id && now.generation < this.mark.generation) {
      return this.restored(this.mark);
    }
    await this.keep(now);
    return null;
  }

  private async restored(mark: GenerationMark): Promise<string | null> {
    const words =
      `The database was restored to an earlier state: changes up to ${mark.at} are missing. ` +
      'Forwarding is paused. Let each IdP run a full cycle, compare with the platform, then resume.';
    const done = await this.db.transaction(null, async (tx) => {
      const { generation } = await this.installation.lock(tx);
      if (generation >= mark.generation) return null; // Another process was quicker.
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
      this.logger.warn('the generation of the database cannot be stored in DATA_DIR: a restore will not be detected', {
        error,
      });
    }
  }
}
