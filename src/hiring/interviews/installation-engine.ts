import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { SqlRunner } from '../../base/database/database.js';
import { type DestinationKey, DEFAULT_SETTINGS, type Destination } from '../../engine/delivery/destination.js';
import { DestinationsRepository, REMOVED } from '../../engine/delivery/destinations/destinations.repository.js';
import type { PlatformConnection } from '../../forwarding/platform-client/platform.client.js';

export const ENGINE = 'interviews';

export function engineOf(tenantId: string): DestinationKey {
  return { tenantId, channel: ENGINE, id: 'main' };
}

/**
 * The interview engine of the installation (`INTERVIEW_API_BASE_URL`), for tenants without one of their own. Its
 * address and key stay in the settings: the destination of such a tenant has no key, and a tenant's own engine always
 * has one.
 */
@Injectable()
export class InstallationEngine {
  /** Null when the operator has set no engine. */
  readonly connection: PlatformConnection | null;

  constructor(
    { interviewEngine }: Config,
    private readonly destinations: DestinationsRepository,
  ) {
    const { paths } = DEFAULT_SETTINGS;
    this.connection =
      interviewEngine === null
        ? null
        : { baseUrl: interviewEngine.baseUrl, key: interviewEngine.apiKey, paths, owner: null, trusted: true };
  }

  /** Returns how a tenant without an engine of its own calls the engine; null: its own engine is called, or there is none. */
  connectionFor(destination: Destination | null): PlatformConnection | null {
    return ownEngine(destination) === null ? this.connection : null;
  }

  async demandDestination(tx: SqlRunner, tenantId: string, known: Destination | null): Promise<void> {
    const isThere = known !== null && known.stateReason !== REMOVED;
    if (this.connection === null || isThere) return;
    await this.destinations.save(tx, engineOf(tenantId), { baseUrl: this.connection.baseUrl, key: null });
  }
}

/** Returns the engine that the tenant has set; null when there is none. */
export function ownEngine(destination: Destination | null): Destination | null {
  return destination === null || destination.stateReason === REMOVED || destination.keyHint === null
    ? null
    : destination;
}
