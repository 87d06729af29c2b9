import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { Destination } from '../../delivery/destinations/destination.js';
import { judge } from '../../delivery/retry.rules.js';
import { PlatformClient } from '../../platform-client/platform.client.js';
import type { PlatformUser } from '../../platform-client/platform.types.js';
import { Connections } from '../platform/connections.js';
import { KEY_UNREADABLE } from '../platform/platform-test.rules.js';
import { readPlatformUser } from '../platform-user.mapping.js';
import { TaskFailed, TaskInterrupted } from '../../tasks/task.js';

const PAGE = 100;
const PAGE_BYTES = 4 * 1024 * 1024;

/** The platform's own list of accounts, read page by page. */
@Injectable()
export class PlatformList {
  constructor(
    private readonly client: PlatformClient,
    private readonly connections: Connections,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads one page. `next` is the cursor of the page that follows; null: this was the last one.
   *
   * @throws {TaskInterrupted} while the platform is away
   * @throws {TaskFailed} when it does not give its list
   */
  async page(
    destination: Destination,
    cursor: string | undefined,
  ): Promise<{ accounts: ListedAccount[]; next: string | null }> {
    if (destination.keyUnreadable) throw new TaskFailed(KEY_UNREADABLE);
    const answer = await this.client.send(this.connections.of(destination), {
      method: 'GET',
      path: destination.settings.paths.users,
      query: { limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) },
      timeoutMs: Math.max(destination.settings.timeout_ms, 30_000),
      maxBytes: PAGE_BYTES,
    });
    const verdict = judge(answer, this.clock.now());
    if (verdict.kind === 'unavailable') throw new TaskInterrupted(`the platform is away: ${verdict.reason}`);
    if (verdict.kind !== 'ok') throw new TaskFailed(`The platform refused its list: ${verdict.words}`);
    const { accounts, next } = pageIn(verdict.body, cursor ?? '');
    // A cursor that does not move would lead in circles.
    return { accounts, next: next === cursor || accounts.length === 0 ? null : next };
  }
}

/** An entry of the platform's list. */
export interface ListedAccount {
  /** Null: no account can be read from it. */
  user: PlatformUser | null;
  /** Its place in the list. */
  place: string;
}

/** Whether the account may work on the platform; one that does not say so may. */
export function isActive({ status }: PlatformUser): boolean {
  return status === null || status === 'active';
}

/** How a report shows an entry. */
export function shownOf({ user, place }: ListedAccount): { id: string; item: object } {
  if (user === null) return { id: place, item: { place } };
  const { id, email, external_id, status } = user;
  return { id, item: { id, email, external_id, status } };
}

function pageIn(body: unknown, cursor: string): { accounts: ListedAccount[]; next: string | null } {
  const list = Array.isArray(body) ? (body as unknown[]) : (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) throw new TaskFailed('The platform answered, but not with a list of users.');
  const following = (body as { next_cursor?: unknown }).next_cursor;
  const accounts = list.map((entry, i) => ({
    user: readPlatformUser(entry),
    place: `page ${cursor.slice(0, 200)}, entry ${i + 1}`,
  }));
  return { accounts, next: typeof following === 'string' && following !== '' ? following : null };
}
