import type { Database } from '../../base/database/database.js';
import type { TargetState } from '../../engine/delivery/outcome.js';
import type { DestinationKey } from '../../engine/delivery/destination.js';

const BATCH = 500;

/** What a destination should know of a subject. */
export interface Expected {
  readonly subject: string;
  readonly state: TargetState;
  readonly body: string;
}

const COLUMNS = `l.subject, l.target_state as state, l.target_body as body`;

/** Returns the subjects that are bound to these accounts at this address, by the id of the account. */
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

/** Returns those of these subjects that are bound to no account at this address. */
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

/**
 * Returns the next subjects in their order.
 *
 * @returns `next` is null after the last batch
 */
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
