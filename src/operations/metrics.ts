import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Database } from '../base/database/database.js';
import { RequestMetrics } from './request-metrics.js';

/** A room that has figures of its own to show. No tenant's name or id is ever among them. */
export interface MetricsSource {
  register(registry: Registry): void;
}

/** The figures of this process. */
@Injectable()
export class Metrics {
  readonly requests = new RequestMetrics();
  private readonly registry = new Registry();

  constructor(db: Database) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'bridge_database_connections',
      help: 'Connections to the database, by state; waiting are requests that found none free',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const { total, idle, waiting } = db.counts();
        this.set({ state: 'busy' }, total - idle);
        this.set({ state: 'idle' }, idle);
        this.set({ state: 'waiting' }, waiting);
      },
    });
  }

  /** Adds a room's figures to what is shown. */
  add(source: MetricsSource): void {
    source.register(this.registry);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async render(): Promise<string> {
    return `${await this.registry.metrics()}\n${this.requests.render()}`;
  }
}
