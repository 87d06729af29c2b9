import { Injectable } from '@nestjs/common';
import { Logger } from '../../../base/log/logger.js';
import { Background } from '../../../base/loop.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsCredentials } from '../connections/ats-credentials.js';
import { AtsStates } from '../connections/ats-states.js';
import { RenewalsRepository } from '../connections/renewals.repository.js';

const EVERY_MS = 60_000;
/** Grants of one look. */
const MOST = 20;

/** Renews grants that nothing uses, before their refresh tokens end: of paused connections, and of vendors with short ones. */
@Injectable()
export class GrantKeepAlive extends Background {
  constructor(
    private readonly renewals: RenewalsRepository,
    private readonly store: AtsConnectionStore,
    private readonly credentials: AtsCredentials,
    private readonly states: AtsStates,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'ats.keep_alive', logger);
  }

  override async run(): Promise<void> {
    for (const { tenant_id: tenantId, id } of await this.renewals.due(MOST)) {
      const connection = await this.store.fresh(tenantId, id);
      if (connection === undefined) continue;
      try {
        await this.credentials.keepAlive(connection);
      } catch (error) {
        if (!(error instanceof AtsFailure)) throw error;
        // One that is away is asked again within the hour.
        if (error.kind === 'refused') await this.states.problem(connection, 'grant', error.reason);
        this.logger.warn('ats.keep_alive_failed', { tenant_id: tenantId, ats_connection_id: id, reason: error.reason });
      }
    }
  }
}
