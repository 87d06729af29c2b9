import { Injectable } from '@nestjs/common';
import { Channels } from '../channel.js';
import type { DestinationKey } from '../destination.js';
import { LaneWakeups } from '../lane-state.js';
import { due } from '../lanes/claim.js';
import { DestinationPump } from './destination-pump.js';
import { PumpParts } from './pump-parts.js';

/** How long a pump without work is kept, with what it has learned about its destination. */
const KEEP_MS = 600_000;
/** A destination that had something to send this long ago may have more, such as a call that is repeated. */
const STILL_MS = 10_000;

/**
 * Sends pending changes: finds the destinations that something is due for, and lets a pump move the lanes of each. Any number
 * of workers may run on one database; no worker relies on the state of another.
 *
 * Modes: *stopped* (left by `start`), *waiting* for the next poll (left after `pollMs`), *polling* (left with the answer, or
 * with the failure of a database that is away), *stopping* (left when each pump has stopped).
 */
@Injectable()
export class DeliveryWorker extends LaneWakeups {
  private readonly pumps = new Map<string, DestinationPump>();
  private timer: NodeJS.Timeout | null = null;
  private polling: Promise<void> | null = null;
  private running = false;
  private stopped = false;
  private again = false;
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly channels: Channels,
    private readonly parts: PumpParts,
  ) {
    super();
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.unlisten = this.parts.db.feed.wakeups.on('lanes', () => this.pollNow());
    this.poll();
  }

  /** Wakes the pump of the destination. A process without background work notifies those that have it. */
  override wake(key: DestinationKey): void {
    if (this.running) this.pump(key)?.wake();
    else if (!this.stopped) this.parts.db.feed.wakeups.tell('lanes');
  }

  async stop(): Promise<void> {
    this.running = false;
    this.stopped = true;
    this.unlisten?.();
    if (this.timer) clearTimeout(this.timer);
    await this.polling;
    await Promise.all([...this.pumps.values()].map((pump) => pump.stop()));
    this.pumps.clear();
  }

  private poll(): void {
    this.polling = this.look().finally(() => {
      this.polling = null;
      if (this.running) this.timer = setTimeout(() => this.poll(), this.again ? 0 : this.pause());
      this.again = false;
    });
  }

  private pollNow(): void {
    this.parts.activity.stir();
    this.again = this.polling !== null;
    if (this.again || !this.running) return;
    if (this.timer) clearTimeout(this.timer);
    this.poll();
  }

  private pause(): number {
    const { pollMs, quietPollMs } = this.parts.options;
    const quiet = this.parts.activity.isQuiet() && [...this.pumps.values()].every((pump) => pump.quietFor(STILL_MS));
    return quiet ? Math.max(pollMs, quietPollMs) : pollMs;
  }

  private async look(): Promise<void> {
    try {
      const keys = await due(this.parts.db);
      if (!this.running) return;
      for (const { aside, ...key } of keys) {
        if (aside) this.pump(key)?.wakeAside();
        else this.pump(key)?.wake(true);
      }
      const busy = new Set(keys.map(nameOf));
      for (const [name, pump] of this.pumps) {
        if (!busy.has(name) && pump.quietFor(KEEP_MS)) this.pumps.delete(name);
      }
    } catch (error) {
      // The database is away. The poll continues, and notices its return.
      this.parts.logger.error('delivery.poll_failed', { error });
    }
  }

  private pump(key: DestinationKey): DestinationPump | undefined {
    const name = nameOf(key);
    const known = this.pumps.get(name);
    const channel = this.channels.get(key.channel);
    if (known !== undefined || channel === undefined) return known;
    const pump = new DestinationPump(key, channel, this.parts);
    this.pumps.set(name, pump);
    return pump;
  }
}

function nameOf({ tenantId, channel, id }: DestinationKey): string {
  return `${tenantId} ${channel} ${id}`;
}
