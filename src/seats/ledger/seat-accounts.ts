import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { SeatHolders } from './seat-holders.js';
import { Account, type AccountLine } from './account.rules.js';

/** `userId` is null for the lines about limit and policy. */
interface UserAccount {
  readonly userId: string | null;
  readonly account: Account;
  lines: number;
}

export interface Difference {
  user_id: string;
  in_force: boolean;
  net: number;
}

interface AccountRow extends AccountLine {
  user_id: string | null;
}

const BATCH = 2_000;

const COLUMNS = `user_id, seat_entries.sequence::int as sequence, entry_id::float8 as entry_id, delta,
  case when kind = 'correction' then coalesce((details ->> 'holds')::boolean, false) end as holds`;

/** Reads the ledger by user. Sealed lines never change, so the pages of one reading are consistent. */
@Injectable()
export class SeatAccounts {
  constructor(
    private readonly db: Database,
    private readonly holders: SeatHolders,
  ) {}

  /** Reads the accounts of users after `after`, in the order of their ids, up to the line `through`. */
  async *all(tenantId: string, after: string, through: number): AsyncGenerator<UserAccount> {
    let place = { user: after, sequence: Number.MAX_SAFE_INTEGER };
    let current: UserAccount | null = null;
    for (let more = true; more;) {
      const { rows }: { rows: AccountRow[] } = await this.db.query<AccountRow>(
        `select ${COLUMNS} from seat_entries
         where tenant_id = $1 and (user_id, sequence) > ($2::text, $3::bigint) and sequence <= $4
         order by seat_entries.user_id, seat_entries.sequence limit ${BATCH}`,
        [tenantId, place.user, place.sequence, through],
      );
      for (const row of rows) {
        if (current?.userId !== row.user_id) {
          if (current !== null) yield current;
          current = newAccount(row.user_id);
        }
        takeLine(current, row);
      }
      more = rows.length === BATCH;
      if (more) place = { user: rows.at(-1)!.user_id!, sequence: rows.at(-1)!.sequence! };
    }
    if (current !== null) yield current;
  }

  async limits(db: SqlRunner, tenantId: string): Promise<UserAccount> {
    const { rows } = await db.query<AccountRow>(
      `select ${COLUMNS} from seat_entries where tenant_id = $1 and user_id is null
       order by seat_entries.sequence nulls last, seat_entries.entry_id`,
      [tenantId],
    );
    const limits = newAccount(null);
    for (const row of rows) takeLine(limits, row);
    return limits;
  }

  /** Reads accounts with unsealed lines. null in `userIds`: the lines about limit and policy. */
  async of(db: SqlRunner, tenantId: string, userIds: readonly (string | null)[]): Promise<UserAccount[]> {
    const users = userIds.filter((id) => id !== null);
    const { rows } = await db.query<AccountRow>(
      `select ${COLUMNS} from seat_entries where tenant_id = $1 and user_id = any($2::text[])
       order by seat_entries.user_id, seat_entries.sequence nulls last, seat_entries.entry_id`,
      [tenantId, users],
    );
    const own = new Map(users.map((userId) => [userId, newAccount(userId)]));
    for (const row of rows) takeLine(own.get(row.user_id!)!, row);
    const accounts = [...own.values()];
    return users.length === userIds.length ? accounts : [...accounts, await this.limits(db, tenantId)];
  }

  /** Returns users whose lines, sealed or not, contradict the table of users, in one snapshot. */
  async differences(tenantId: string, limit: number): Promise<Difference[]> {
    const { rows } = await this.db.query<Difference>(
      `select coalesce(u.id, l.user_id) as user_id, u.id is not null as in_force,
         coalesce(l.net, 0)::int as net
       from (${this.holders.heldQuery('$1')}) u
       full join (select user_id, sum(delta) as net,
           coalesce((array_agg(coalesce((details ->> 'holds')::boolean, delta > 0)
             order by sequence desc nulls first, entry_id desc) filter (where delta <> 0 or kind = 'correction'))[1], false) as holds
         from seat_entries where tenant_id = $1 and user_id is not null group by user_id) l on l.user_id = u.id
       where (u.id is not null)::int <> coalesce(l.net, 0) or (u.id is not null) <> coalesce(l.holds, false)
       order by coalesce(u.id, l.user_id) limit $2`,
      [tenantId, limit],
    );
    return rows;
  }
}

function newAccount(userId: string | null): UserAccount {
  return { userId, account: new Account(), lines: 0 };
}

function takeLine(own: UserAccount, line: AccountLine): void {
  own.account.take(line);
  own.lines++;
}
