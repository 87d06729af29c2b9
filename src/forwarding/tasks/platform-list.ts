import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import type { Destination, DestinationKey } from '../../engine/delivery/destination.js';
import type { TargetState } from '../../engine/delivery/outcome.js';
import { judge } from '../../engine/delivery/retry.rules.js';
import { TaskFailed, TaskInterrupted } from '../../engine/work/task.js';
import { Connections } from '../connections.js';
import { PlatformClient, type PlatformUser } from '../platform-client/platform.client.js';
import { readPlatformUser } from '../platform-user.mapping.js';
import { KEY_UNREADABLE } from '../platform/platform.rules.js';

const PAGE = 100;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Where platforms give the length of a list: a header, or a field of the answer (RFC 7644 §3.4.2: `totalResults`). */
const TOTAL_HEADER = 'x-total-count';
const TOTAL_FIELDS = ['total', 'total_count', 'totalResults', 'count'];

interface ListedPage {
  accounts: ListedAccount[];
  /** The cursor of the next page; null on the last page. */
  next: string | null;
  /** The entries of the list; null when the platform does not state it, until the last page. */
  total: number | null;
}

export interface ListedAccount {
  user: PlatformUser | null;
  place: string;
}

/** Returns whether the account may work on the platform; an account without a status may. */
export function isActive({ status }: PlatformUser): boolean {
  return status === null || status === 'active';
}

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

/** A number below the entries read so far is ignored: `count` is the size of the page for some platforms. */
export function totalIn(
  body: unknown,
  header: string | undefined,
  { read, isLast }: { read: number; isLast: boolean },
): number | null {
  if (isLast) return read;
  const fields = (body ?? {}) as Record<string, unknown>;
  const said = [header === undefined ? null : Number(header), ...TOTAL_FIELDS.map((name) => fields[name])];
  const total = said.find((one) => Number.isSafeInteger(one) && (one as number) > read);
  return (total as number | undefined) ?? null;
}

/** The platform's own list of accounts, page by page, and the ids that a task has seen. */
@Injectable()
export class PlatformList {
  constructor(
    private readonly client: PlatformClient,
    private readonly connections: Connections,
    private readonly clock: Clock,
    private readonly db: Database,
  ) {}

  /**
   * @param before entries of the pages before
   * @throws {TaskInterrupted} while the platform is unreachable
   * @throws {TaskFailed} when it does not give its list
   */
  async page(destination: Destination, cursor: string | undefined, before: number): Promise<ListedPage> {
    if (destination.keyUnreadable) throw new TaskFailed(KEY_UNREADABLE);
    const answer = await this.client.send(this.connections.of(destination), {
      method: 'GET',
      path: destination.settings.paths.users,
      query: { limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) },
      timeoutMs: Math.max(destination.settings.timeout_ms, 30_000),
      maxBytes: PAGE_BYTES,
      keptHeaders: [TOTAL_HEADER],
    });
    const verdict = judge(answer, this.clock.now());
    if (verdict.kind === 'unavailable') {
      throw new TaskInterrupted(`the platform is away: ${verdict.reason}`, verdict.retryAfterMs);
    }
    if (verdict.kind !== 'ok') throw new TaskFailed(`The platform refused its list: ${verdict.words}`);
    const page = pageIn(verdict.body, cursor ?? '');
    const { accounts } = page;
    // A cursor that does not move would lead in circles.
    const next = page.next === cursor || accounts.length === 0 ? null : page.next;
    const header = answer.kind === 'answer' ? answer.kept?.[TOTAL_HEADER] : undefined;
    return {
      accounts,
      next,
      total: totalIn(verdict.body, header, { read: before + accounts.length, isLast: next === null }),
    };
  }

  async noteSeen(tenantId: string, taskId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.db.query(
      `insert into task_seen (tenant_id, task_id, user_id) select $1, $2, unnest($3::text[]) on conflict do nothing`,
      [tenantId, taskId, ids],
    );
  }

  async seenAmong(tenantId: string, taskId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { rows } = await this.db.query<{ id: string }>(
      `select user_id as id from task_seen where tenant_id = $1 and task_id = $2 and user_id = any($3::text[])`,
      [tenantId, taskId, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async forgetSeen(tenantId: string, taskId: string): Promise<void> {
    await this.db.query(`delete from task_seen where tenant_id = $1 and task_id = $2`, [tenantId, taskId]);
  }
}

const BATCH = 500;

export interface Expected {
  readonly subject: string;
  readonly state: TargetState;
  readonly body: string;
}

const COLUMNS = `l.subject, l.target_state as state, l.target_body as body`;

export async function expectedByAccount(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  epoch: number,
  accountIds: readonly string[],
): Promise<Map<string, Expected>> {
  const { rows } = await db.query<Expected & { account: string }>(
    `select l.platform_id as account, ${COLUMNS} from lanes l
     where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.platform_id = any($4::text[]) and l.epoch = $5`,
    [tenantId, channel, id, accountIds, epoch],
  );
  return new Map(rows.map(({ account, ...expected }) => [account, expected]));
}

export async function expectedUnbound(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  epoch: number,
  subjects: readonly string[],
): Promise<Expected[]> {
  const { rows } = await db.query<Expected>(
    `select ${COLUMNS} from lanes l
     where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.subject = any($4::text[])
       and (l.platform_id is null or l.epoch < $5)`,
    [tenantId, channel, id, subjects, epoch],
  );
  return rows;
}

export async function expectedAfter(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  after: string,
): Promise<{ subjects: Expected[]; next: string | null }> {
  const { rows } = await db.query<Expected>(
    `select ${COLUMNS} from lanes l
     where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.subject > $4
     order by l.subject limit ${BATCH}`,
    [tenantId, channel, id, after],
  );
  return { subjects: rows, next: rows.length < BATCH ? null : rows.at(-1)!.subject };
}
