import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { newId } from '../../base/ids.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { judge } from '../../engine/delivery/retry.rules.js';
import { Connections } from '../connections.js';
import { PlatformClient } from '../platform-client/platform.client.js';
import { platformOf } from '../platform-destination.js';
import { findingOf, KEY_UNREADABLE } from './platform-test.rules.js';
import type { PlatformTestBody } from './platform.dto.js';
import { noPlatform } from './platform.service.js';

/** Tries the platform without a write. */
@Injectable()
export class PlatformLookUp {
  constructor(
    private readonly destinations: DestinationsRepository,
    private readonly connections: Connections,
    private readonly client: PlatformClient,
    private readonly clock: Clock,
  ) {}

  /** Asks the platform about a user that does not exist, and says what came of it. Changes nothing. */
  async test(tenantId: string): Promise<PlatformTestBody> {
    const destination = await this.destinations.read(platformOf(tenantId));
    if (destination === null) throw noPlatform();
    if (destination.keyUnreadable) return { ok: false, message: KEY_UNREADABLE, status: null, duration_ms: 0 };
    const { resolve } = destination.settings.paths;
    const answer = await this.client.send(this.connections.of(destination), {
      method: 'GET',
      path: resolve,
      query: { type: 'user', external_id: newId('req') },
      timeoutMs: destination.settings.timeout_ms,
    });
    const verdict = judge(answer, this.clock.now());
    const status = verdict.status;
    return { ...findingOf(verdict, destination.baseUrl, resolve), status, duration_ms: answer.ms };
  }
}
