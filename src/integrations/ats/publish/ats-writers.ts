import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import type { AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';

/** For so long an active user is not asked for again. */
const KNOWN_MS = 120_000;
const MOST_KNOWN = 10_000;

/** The user of the ATS as whom is written, or why there is none. */
export type Writer = { id: string | null } | { missing: 'no_writer' | 'writer_gone' };

/** Knows as which user of the ATS is written. Active users are remembered for two minutes. */
@Injectable()
export class AtsWriters {
  private readonly known = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Returns as whom is written. Where the vendor needs a user, the user has to be active. */
  async of(connection: AtsConnection, connector: Connector, api: AtsApi): Promise<Writer> {
    const id = connection.writes.as_user ?? connection.approvedBy;
    if (!connector.writes.needsUser) return { id };
    if (id === null) return { missing: 'no_writer' };
    const key = `${connection.tenantId} ${connection.id} ${id}`;
    const now = this.clock.now().getTime();
    if ((this.known.get(key) ?? 0) > now) return { id };
    const user = await connector.user(api, id);
    if (user?.active !== true) return { missing: 'writer_gone' };
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(key, now + KNOWN_MS);
    return { id };
  }

  /** Asks for the users of a connection anew. */
  forget({ tenantId, id }: Pick<AtsConnection, 'tenantId' | 'id'>): void {
    for (const key of this.known.keys()) if (key.startsWith(`${tenantId} ${id} `)) this.known.delete(key);
  }
}
