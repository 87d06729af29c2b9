import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { expectedAfter, expectedUnbound, type Expected } from './expected.js';
import { NamedUsers } from '../named-users.js';
import { platformOf } from '../platform-destination.js';
import { SeenRepository } from './seen.repository.js';

/** What a comparison with the platform's list reads and notes. */
@Injectable()
export class DriftRepository {
  constructor(
    private readonly db: Database,
    private readonly seen: SeenRepository,
    private readonly users: NamedUsers,
  ) {}

  /** Returns the active users with these keys that are bound to no account yet, by their key. */
  async unboundByKey(tenantId: string, epoch: number, externalIds: string[]): Promise<Map<string, Expected>> {
    const ids = await this.users.byExternalId(tenantId, externalIds);
    const unbound = await expectedUnbound(this.db, platformOf(tenantId), epoch, [...ids.values()]);
    const byId = new Map(unbound.map((expected) => [expected.subject, expected]));
    return new Map([...ids].flatMap(([key, id]) => (byId.has(id) ? [[key, byId.get(id)!] as const] : [])));
  }

  /** Looks through the next users. Returns those that should be active on the platform and are not in its list. */
  async unseen(tenantId: string, taskId: string, after: string): Promise<{ users: string[]; next: string | null }> {
    const { subjects, next } = await expectedAfter(this.db, platformOf(tenantId), after);
    const active = subjects.filter(({ state }) => state === 'active').map(({ subject }) => subject);
    const seen = await this.seen.among(tenantId, taskId, active);
    return { users: active.filter((id) => !seen.has(id)).sort(), next };
  }
}
