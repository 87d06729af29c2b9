import type { Database } from '../../../../src/base/database/database.js';
import type { Channel } from '../../../../src/engine/delivery/channel.js';
import type { DestinationKey, DestinationSettings } from '../../../../src/engine/delivery/destination.js';
import type { Harness } from '../../../forwarding/harness.js';

/** What took effect at the other side: version `n` of a subject. */
export interface Effect {
  subject: string;
  n: number;
}

/** A channel with its other side, as the suites of all channels use it. */
export interface ChannelKit {
  /** The channel as a worker of the harness runs it. */
  channel(h: Harness, db: Database): Channel;
  /** The key of the tenant's destination. */
  keyOf(tenantId: string): DestinationKey;
  /** Makes a tenant with a destination at the other side. Returns its id. */
  tenant(h: Harness, name: string, settings?: Partial<DestinationSettings>): Promise<string>;
  /** Commits version `n` of a subject. */
  enqueue(h: Harness, tenantId: string, subject: string, n: number): Promise<void>;
  /** `none`: the other side works. `500` and `hang`: it does not. `rate`: a share of its answers are faults. */
  fault(h: Harness, tenantId: string, mode: 'none' | '500' | 'hang', rate?: number): void;
  /** Returns how many requests arrived. */
  requests(h: Harness, tenantId: string): Promise<number>;
  /** Returns what took effect, in its order. */
  effects(h: Harness, tenantId: string): Promise<Effect[]>;
  /** Ends the other side. */
  stop(): Promise<void>;
}
