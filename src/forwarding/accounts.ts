import type { Database } from '../base/database/database.js';
import type { StandInNames, TargetState } from '../engine/delivery/outcome.js';
import type { DestinationKey } from '../engine/delivery/destination.js';
import { apply, lock } from '../engine/delivery/lanes/write.js';
import type { NamedUsers } from './connections.js';

interface AccountNames {
  external_id: string | null;
  email: string | null;
}

export interface Bound {
  subject: string;
  target_state: TargetState;
  pending: boolean;
  parked: boolean;
  waiting?: boolean;
}

const BOUND = `l.subject, l.target_state, l.first_pending is not null as pending, l.state = 'parked' as parked,
  coalesce(l.lookup ? 'waited', false) as waiting`;
const AT_PRESENT_ADDRESS = `join destinations d on d.tenant_id = $1 and d.channel = $2 and d.id = $3 and d.epoch = l.epoch`;
const OF_DESTINATION = `l.tenant_id = $1 and l.channel = $2 and l.destination = $3`;
/** The lane of an account that is being created: the frozen call is for an active user without an account. */
const CREATES = `l.call ->> 'state' = 'active' and l.account in ('none', 'unnamed')`;

export async function boundTo(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  accountId: string,
  exceptSubject: string,
): Promise<Bound | null> {
  const { rows } = await db.query<Bound>(
    `select ${BOUND} from lanes l ${AT_PRESENT_ADDRESS}
     where ${OF_DESTINATION} and l.platform_id = $4 and l.subject <> $5
     order by l.target_state = 'active' desc, pending desc limit 1`,
    [tenantId, channel, id, accountId, exceptSubject],
  );
  return rows[0] ?? null;
}

/**
 * Returns a lane whose account may have these names although it is bound to none: a call that creates it is out while a
 * newer change has other names, or the user who has the names now has an account that is being created or has no known id.
 *
 * @param users finds the users that have the names
 */
export async function creating(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  names: AccountNames,
  exceptSubject: string,
  users: NamedUsers,
): Promise<Bound | null> {
  const { rows } = await db.query<Bound>(
    // Calls that a newer change has outdated are few, and have an index of their own.
    `select ${BOUND} from lanes l ${AT_PRESENT_ADDRESS}
     cross join lateral (select (l.call ->> 'person')::jsonb as person) said
     where ${OF_DESTINATION} and l.subject <> $4 and l.newer_since is not null and ${CREATES}
       and (said.person ->> 'external_id' = $5 or lower(said.person ->> 'email') = lower($6))
     union all
     select ${BOUND} from (${users.namedQuery('$1', '$5', '$7')}) u join lanes l on ${OF_DESTINATION} and l.subject = u.id ${AT_PRESENT_ADDRESS}
     where u.id <> $4 and l.target_state = 'active' and (l.account in ('unnamed', 'lost') or ${CREATES})
     limit 1`,
    [tenantId, channel, id, exceptSubject, names.external_id, names.email, names.email?.toLowerCase() ?? null],
  );
  return rows[0] ?? null;
}

const LONGEST_CIRCLE = 100;

/**
 * Follows the lanes that wait for each other, from one to the next.
 *
 * @param behind lane for which the subject waits
 * @returns the subjects of the circle that leads back to the subject; null when they lead elsewhere
 */
export async function waitingCircle(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  subject: string,
  behind: string,
): Promise<string[] | null> {
  const { rows } = await db.query<{ subject: string }>(
    `with recursive chain(subject, n) as (
       select $5::text, 1
       union all
       select l.lookup ->> 'behind', c.n + 1 from chain c join lanes l on ${OF_DESTINATION} and l.subject = c.subject
       where c.subject <> $4 and c.n < ${LONGEST_CIRCLE} and l.lookup ? 'behind' and l.first_pending is not null
         and l.parked_reason is null)
     select subject from chain order by n`,
    [tenantId, channel, id, subject, behind],
  );
  return rows.at(-1)?.subject === subject ? rows.map((row) => row.subject) : null;
}

/** Frees an account from leavers whose lanes are idle, so that no write of theirs touches it again. */
export async function releaseFromLeavers(
  db: Database,
  key: DestinationKey,
  accountId: string,
  exceptSubject: string,
): Promise<void> {
  await db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.platform_id = $4 and l.subject <> $5', [accountId, exceptSubject]);
    await apply(tx, key, locked, () => ({ kind: 'account_released' }));
  });
}

/**
 * Gives the account of a leaver whose lane is idle stand-in names, which the leaver's lane sends. A needing user whose
 * call a newer change has outdated gets nothing: the user may need the names no longer, or have been deleted.
 */
export async function standLeaverAside(
  db: Database,
  key: DestinationKey,
  { subject, accountId, needing }: { subject: string; accountId: string; needing: string },
  standIn: StandInNames,
): Promise<void> {
  const stillNeeded = `exists (select 1 from lanes n where n.tenant_id = $1 and n.channel = $2 and n.destination = $3
    and n.subject = $6 and n.newer_since is null)`;
  await db.transaction(key.tenantId, async (tx) => {
    const condition = `l.subject = $4 and l.platform_id = $5 and ${stillNeeded}`;
    const locked = await lock(tx, key, condition, [subject, accountId, needing]);
    await apply(tx, key, locked, () => ({ kind: 'names_needed', standIn }));
  });
}

export async function boundAccountOf(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  epoch: number,
  subject: string,
): Promise<string | null> {
  const { rows } = await db.query<{ platform_id: string | null }>(
    `select platform_id from lanes
     where tenant_id = $1 and channel = $2 and destination = $3 and subject = $4 and epoch = $5`,
    [tenantId, channel, id, subject, epoch],
  );
  return rows[0]?.platform_id ?? null;
}

export async function boundAmong(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  epoch: number,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ platform_id: string }>(
    `select platform_id from lanes
     where tenant_id = $1 and channel = $2 and destination = $3 and platform_id = any($4::text[]) and epoch = $5`,
    [tenantId, channel, id, accountIds, epoch],
  );
  return new Set(rows.map((row) => row.platform_id));
}
