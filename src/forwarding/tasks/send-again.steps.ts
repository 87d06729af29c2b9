import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { CALL_OUT } from '../../delivery/call.sql.js';
import type { Batch, Task } from '../../tasks/task.js';

const BATCH = 500;

/** Marks lanes to be sent again, behind everything that is new (rank 2). */
@Injectable()
export class SendAgainSteps {
  constructor(private readonly db: Database) {}

  /**
   * After a change of address: what was bound at the old one is forgotten, and every active person goes to the new
   * one. Lanes that the workers have already met at the new address are left alone.
   */
  async reforward({ tenantId, payload }: Task): Promise<Batch> {
    const { rows } = await this.db.query<{ last: string | null; n: number; marked: number }>(
      `with batch as (
         select user_id from lanes where tenant_id = $1 and user_id > $2 order by user_id limit ${BATCH}
       ), marked as (
         update lanes l set
           platform_id = null, confirmed_state = null, confirmed_person = null, adopted = null, calling = false, call = null,
           lookup = null, lease_until = null, lease_token = null, epoch = $3, round = l.round + 1,
           attempts = 0, tries = 0, failed_at = null, next_at = '-infinity',
           parked = null, parked_detail = null, parked_at = null,
           rank = case when l.first_pending is null then 2 else l.rank end,
           pending_since = coalesce(l.pending_since, now()),
           first_pending = case when l.target_state = 'active' or l.first_pending is not null
                                then coalesce(l.first_pending, l.last_pending) end
         from batch b where l.tenant_id = $1 and l.user_id = b.user_id and l.epoch < $3
         returning 1
       )
       select max(user_id) as last, count(*)::int as n, (select count(*)::int from marked) as marked from batch`,
      [tenantId, payload['after'] ?? '', payload['epoch']],
    );
    const { last, n, marked } = rows[0]!;
    return { done: marked, next: n < BATCH ? null : { ...payload, after: last } };
  }

  /** Everybody who changed since then, as they are now; those with several changes once. */
  async resend({ tenantId, payload }: Task): Promise<Batch> {
    const { rows } = await this.db.query<{ last: string | null; n: number; marked: number }>(
      `with batch as (
         select c.sequence, c.user_id from changes c
         where c.tenant_id = $1 and c.sequence > $2 and c.occurred_at >= $3 and c.forwarded
         order by c.sequence limit ${BATCH}
       ), latest as (
         select b.user_id from batch b where not exists (
           select 1 from changes n where n.tenant_id = $1 and n.user_id = b.user_id and n.sequence > b.sequence
             and n.forwarded)
       ), marked as (
         update lanes l set
           call = ${CALL_OUT},
           confirmed_person = null,
           confirmed_state = case when l.platform_id is null then l.confirmed_state end,
           round = l.round + 1,
           attempts = 0, next_at = '-infinity', parked = null, parked_detail = null, parked_at = null,
           rank = case when l.first_pending is null then 2 else l.rank end,
           pending_since = coalesce(l.pending_since, now()),
           first_pending = coalesce(l.first_pending, l.last_pending)
         from latest where l.tenant_id = $1 and l.user_id = latest.user_id
         returning 1
       )
       select max(sequence)::text as last, count(*)::int as n, (select count(*)::int from marked) as marked from batch`,
      [tenantId, payload['after'] ?? '0', payload['since']],
    );
    const { last, n, marked } = rows[0]!;
    return { done: marked, next: n < BATCH ? null : { ...payload, after: last } };
  }
}
