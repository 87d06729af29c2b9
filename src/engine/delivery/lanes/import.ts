import type { Database } from '../../../base/database/database.js';
import { digestOf, type TargetState } from '../call.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

/** An account that the destination already has, and the subject to whom it belongs. */
export interface ImportedAccount {
  subject: string;
  epoch: number;
  accountId: string;
  state: TargetState;
  body: string;
}

/** Binds an account to its subject. A lane with an open call finds its account on its own. */
export async function importAccount(db: Database, key: DestinationKey, account: ImportedAccount): Promise<void> {
  const { subject, epoch, accountId, state, body } = account;
  const digest = digestOf(body);
  const { rowCount } = await db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, last_pending,
       epoch, platform_id, account, confirmed_state, confirmed_digest, confirmed_at)
     values ($1, $2, $3, $4, 'idle', $5, $6, 1, 0, $7, $8, 'bound', $5, $9, now())
     on conflict (tenant_id, channel, destination, subject) do nothing`,
    [key.tenantId, key.channel, key.id, subject, state, body, epoch, accountId, digest],
  );
  if (rowCount === 1) return;
  await db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.subject = $4', [subject]);
    await apply(tx, key, locked, () => ({ kind: 'imported', epoch, accountId, state, digest }));
  });
}
