import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { Lifecycle } from './lifecycle.js';

const PATIENCE = 2_000;
const KEPT = 1_000;

export type NotReady = 'draining' | 'database unreachable' | 'migrations pending';

/** Whether this process can do its work just now. */
@Injectable()
export class Readiness {
  // Migrations only ever go forward: once they are all there, they stay.
  private migrated = false;
  private readonly asked: FreshCache<NotReady | null>;

  constructor(
    private readonly db: Database,
    private readonly dataSource: DataSource,
    private readonly lifecycle: Lifecycle,
    clock: Clock,
  ) {
    this.asked = new FreshCache(clock, KEPT);
  }

  /** Why not, or null when it can. The database is asked once a second at the most, however many want to know. */
  async check(): Promise<NotReady | null> {
    if (this.lifecycle.draining) return 'draining';
    return this.asked.get('', () => this.look());
  }

  private async look(): Promise<NotReady | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<NotReady>((resolve) => {
      timer = setTimeout(() => resolve('database unreachable'), PATIENCE);
    });
    try {
      return await Promise.race([this.ask(), late]);
    } catch {
      return 'database unreachable';
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(): Promise<NotReady | null> {
    await this.db.ping();
    if (!this.migrated) {
      if (await this.dataSource.showMigrations()) return 'migrations pending';
      this.migrated = true;
    }
    return null;
  }
}
