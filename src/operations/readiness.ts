import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { Lifecycle } from './lifecycle.js';
import { SealedSecrets } from './sealed-secrets.js';

const PATIENCE = 2_000;
const KEPT = 1_000;

export type NotReady =
  'disk full' | 'draining' | 'database unreachable' | 'migrations pending' | 'encryption key missing';

/** What a probe is told. */
export interface ReadinessAnswer {
  /** Why the process cannot work just now; null: it can. */
  readonly reason: NotReady | null;
  /** What an operator should know, also where the process can work. */
  readonly detail: string | null;
}

const READY: ReadinessAnswer = { reason: null, detail: null };

function because(reason: NotReady): ReadinessAnswer {
  return { reason, detail: null };
}

/** Whether this process can do its work just now. */
@Injectable()
export class Readiness {
  // Migrations only ever go forward: once they are all there, they stay.
  private migrated = false;
  private readonly asked: FreshCache<ReadinessAnswer>;

  constructor(
    private readonly db: Database,
    private readonly dataSource: DataSource,
    private readonly lifecycle: Lifecycle,
    private readonly secrets: SealedSecrets,
    clock: Clock,
  ) {
    this.asked = new FreshCache(clock, KEPT);
  }

  /** Whether it can, or why not. The database is asked once a second at the most, however many want to know. */
  async check(): Promise<ReadinessAnswer> {
    if (this.lifecycle.draining) return because('draining');
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
