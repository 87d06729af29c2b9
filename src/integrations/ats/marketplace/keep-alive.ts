import { Injectable } from '@nestjs/common';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsCredentials, DUE_RENEWALS } from '../connections/ats-credentials.js';
import { AtsStates } from '../connections/ats-states.js';

/** Renews unused grants before their refresh tokens end: of paused connections, and of vendors with short ones. */
@Injectable()
export class GrantKeepAlive extends WorkKind {
  override readonly kind = 'ats.grants';
  override readonly everyMs = 60_000;
  override readonly callsOut = true;

  constructor(
    private readonly renewals: AtsCredentials,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly logger: Logger,
  ) {
    super();
  }

  override due(): string {
    return DUE_RENEWALS;
  }

  /** Renews one grant. An unreachable server is asked again within the hour. */
  override async run({ tenantId, id }: Turn): Promise<TurnOutcome> {
    const connection = await this.store.fresh(tenantId, id);
    try {
      if (connection !== undefined) await this.renewals.keepAlive(connection);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      if (error.kind === 'refused') await this.states.problem(connection!, 'grant', error.reason);
      this.logger.warn('ats.keep_alive_failed', { tenant_id: tenantId, ats_connection_id: id, reason: error.reason });
    }
    await this.renewals.putOff(tenantId, id);
    return DONE;
  }
}
