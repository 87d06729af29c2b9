import { DeliveryOptions } from '../../../src/engine/delivery/delivery.options.js';
import { DeliveryWorker } from '../../../src/engine/delivery/pump/delivery.worker.js';
import { WorkEngine } from '../../../src/engine/work/work.engine.js';
import { PeopleUpkeep } from '../../../src/directory-sync/users/people/people-upkeep.js';
import type { TestApp } from '../../support/app.js';

/** The background work of a service that was started without it (`ROLE=api`), done when the model says so. */
export class BackgroundWork {
  constructor(private readonly service: TestApp) {
    Object.assign(this.get(DeliveryOptions), {
      pollMs: 15, touchMs: 10, backoff: { firstMs: 10, maxMs: 50 }, courtesy: { lanes: 1000, pauseMs: 1 },
    }); // prettier-ignore
  }

  startDelivery(): void {
    this.get(DeliveryWorker).start();
  }

  /** Does what is due: tasks of roles, previews and held users, free seats, names that have become free. */
  async settle(tenantId: string): Promise<void> {
    await this.tasks();
    await this.get(PeopleUpkeep).promote(tenantId);
    await this.get(PeopleUpkeep).admitHeld(tenantId);
  }

  /** Works off all tasks that are due. */
  async tasks(): Promise<void> {
    await this.get(WorkEngine).drain('tasks', 'tasks.calling');
  }

  private get<T>(type: abstract new (...args: never[]) => T): T {
    return this.service.app.nest.get<T>(type);
  }
}
