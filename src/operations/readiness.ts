import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { SealedSecrets } from './sealed-secrets.js';

const PATIENCE = 2_000;
const KEPT = 1_000;

type NotReady = 'disk full' | 'draining' | 'database unreachable' | 'migrations pending' | 'encryption key missing';

interface ReadinessAnswer {
  readonly reason: NotReady | null;
  readonly detail: string | null;
}

const READY: ReadinessAnswer = { reason: null, detail: null };

function because(reason: NotReady): ReadinessAnswer {
  return { reason, detail: null };
}

/** Checks whether this process can work. `src/start/application.ts` writes the state of the process. */
@Injectable()
export class Readiness {
  // Migrations only go forward: once all have run, this stays true.
  private migrated = false;
  private readonly asked: FreshCache<ReadinessAnswer>;
  /** True once the process takes no new work: load balancers choose another one, and running requests are finished. */
  draining = false;

  constructor(
    private readonly db: Database,
    private readonly dataSource: DataSource,
    private readonly secrets: SealedSecrets,
    clock: Clock,
  ) {
    this.asked = new FreshCache(clock, KEPT);
  }

  /** Queries the database at most once a second, however many probes arrive. */
  async check(): Promise<ReadinessAnswer> {
    if (this.draining) return because('draining');
    return this.asked.get('', () => this.look());
  }

  private async look(): Promise<ReadinessAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<ReadinessAnswer>((resolve) => {
      timer = setTimeout(() => resolve(because('database unreachable')), PATIENCE);
    });
    try {
      return await Promise.race([this.ask(), late]);
    } catch {
      return because('database unreachable');
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(): Promise<ReadinessAnswer> {
    await this.db.ping();
    if (this.db.health.isFull && !(await this.db.hasRoom())) return because('disk full');
    if (!this.migrated) {
      if (await this.dataSource.showMigrations()) return because('migrations pending');
      this.migrated = true;
    }
    const trouble = await this.secrets.trouble();
    if (trouble === null) return READY;
    return { reason: trouble.keyMissing ? 'encryption key missing' : null, detail: trouble.words };
  }
}
