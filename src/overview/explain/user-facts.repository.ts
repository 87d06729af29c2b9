import { Injectable } from '@nestjs/common';
import { SignInLog } from '../../auth/sign-in/log/sign-in-log.js';
import { Database } from '../../base/database/database.js';
import { ChangesService } from '../../forwarding/changes/changes.service.js';
import { changeId } from '../../forwarding/changes/changes.dto.js';
import type { RoleOrigin } from '../../tenancy/identity/cause.rules.js';
import { RequestsRepository } from '../requests/requests.repository.js';
import type { UserFacts } from './sentences.rules.js';

interface Moments {
  active_since: Date | null;
  role_at: Date | null;
  role_origin: RoleOrigin | null;
  seat_since: Date | null;
}

/** The last forwarded change is searched among this number of changes. */
const FEW = 20;

@Injectable()
export class UserFactsRepository {
  constructor(
    private readonly db: Database,
    private readonly changes: ChangesService,
    private readonly requests: RequestsRepository,
    private readonly signIns: SignInLog,
  ) {}

  /**
   * @param directoryId the directory that manages the user: the writes of other directories do not concern its
   * connection
   */
  async read(tenantId: string, userId: string, directoryId: string | null): Promise<UserFacts> {
    const [moments, request, change, signIn] = await Promise.all([
      this.moments(tenantId, userId),
      directoryId === null ? null : this.lastWrite(tenantId, userId, directoryId),
      this.lastForwarded(tenantId, userId),
      this.lastSignIn(tenantId, userId),
    ]);
    const { active_since, role_at, role_origin, seat_since } = moments;
    return {
      activeSince: active_since?.toISOString() ?? null,
      role: role_at === null ? null : { at: role_at.toISOString(), origin: role_origin! },
      seatSince: seat_since?.toISOString() ?? null,
      request,
      change,
      signIn,
    };
  }

  private async moments(tenantId: string, userId: string): Promise<Moments> {
    const { rows } = await this.db.query<Moments>(
      `select
         (select c.occurred_at from changes c where c.tenant_id = $1 and c.user_id = $2
            and c.kind in ('created', 'reactivated') order by c.sequence desc limit 1) as active_since,
         r.occurred_at as role_at, r.cause -> 'role' as role_origin,
         (select max(e.occurred_at) from seat_entries e where e.tenant_id = $1 and e.user_id = $2 and e.delta <> 0) as seat_since
       from (select 1) one left join lateral (
         select c.occurred_at, c.cause from changes c where c.tenant_id = $1 and c.user_id = $2
           and c.cause -> 'role' is not null order by c.sequence desc limit 1) r on true`,
      [tenantId, userId],
    );
    return rows[0]!;
  }

  private async lastWrite(tenantId: string, user: string, directory: string): Promise<UserFacts['request']> {
    const [last] = await this.requests.list(
      tenantId,
      { user: { ids: [user], name: null }, directory, writes: true },
      { limit: 1, after: null },
    );
    if (last === undefined) return null;
    const { at, method, status, outcome, code, detail } = last;
    return { at: at.toISOString(), method, status, outcome, code, detail };
  }

  private async lastForwarded(tenantId: string, userId: string): Promise<UserFacts['change']> {
    const { rows } = await this.changes.list(tenantId, { user_id: userId }, { limit: FEW, after: null });
    const last = rows.find(({ state }) => state !== 'recorded');
    if (last === undefined) return null;
    const { sequence, state, confirmed_at, occurred_at, parked, parked_detail } = last;
    const since = (confirmed_at ?? occurred_at).toISOString();
    const error = parked === null ? null : [parked, parked_detail].filter((part) => part !== null).join(': ');
    return { id: changeId(sequence), state, since, error };
  }

  private async lastSignIn(tenantId: string, userId: string): Promise<UserFacts['signIn']> {
    const filter = { user_id: userId, kind: 'sign-in' };
    const [last] = await this.signIns.list(tenantId, filter, { limit: 1, after: null });
    if (last === undefined) return null;
    const { at, connection, reason, detail } = last;
    return { at: at.toISOString(), connection, reason, detail };
  }
}
