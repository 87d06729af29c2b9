import { Injectable, Optional } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import type { WriteStatement } from '../base/database/write-statement.js';
import { CALL_OUT, CREATE_OUT, STATE_WITHOUT_ANSWER } from '../delivery/call.sql.js';
import { DeliveryWorker } from '../delivery/delivery.worker.js';
import type { UserChange } from '../identity/person.js';
import { endsSessions } from '../identity/user-change.rules.js';
import type { ChangeSource } from '../identity/source.js';
import { personText } from './platform-user.mapping.js';

/** Writes down what the platform has to be told, in the statement that makes it true. */
@Injectable()
export class ForwardingService {
  private readonly off: boolean;

  constructor(
    @Optional() private readonly worker?: DeliveryWorker,
    @Optional() config?: Config,
  ) {
    this.off = config?.platform.forwarding === false;
  }

  /**
   * Adds a change to the write statement, for the user whose id the subject returns: the change itself and, if it is to
   * be forwarded, the user's lane. The lane's row is locked from here to the commit, so that the sequences of one user
   * follow the order of the commits. A newer change replaces one that waits, and takes the place of one that is parked.
   * Where this service is itself the record (PLATFORM_FORWARDING=off) changes are recorded only.
   */
  enqueue(
    statement: WriteStatement,
    tenantId: string,
    change: UserChange,
    source: ChangeSource,
    receivedAt: Date,
    forward: boolean,
  ): void {
    const person = personText(change.person);
    const forwarded = forward && !this.off;
    // Sessions end in this very statement, so the change knows when they did.
    const [column, moment] = endsSessions(change) ? [', sessions_ended_at', ', clock_timestamp()'] : ['', ''];
    const written = statement.add(
      (p) => `insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at${column})
        select ${p.add(tenantId, 'text')}, subject.id, ${p.add(change.kind, 'text')}, ${p.add(forwarded, 'boolean')},
          ${p.add(change.changed, 'text[]')}, ${p.add(person, 'jsonb')}, ${p.add(JSON.stringify(source), 'jsonb')},
          ${p.add(receivedAt, 'timestamptz')}${moment}
        from subject returning tenant_id, user_id, sequence, occurred_at`,
    );
    if (!forwarded) return;
    statement.add(
      (p) => `insert into lanes as l
          (tenant_id, user_id, target_state, target_person, rank, first_pending, last_pending, pending_since)
        select c.tenant_id, c.user_id, ${p.add(change.status, 'text')}, ${p.add(person, 'text')},
          ${p.add(change.status === 'active' ? 1 : 0, 'smallint')}, c.sequence, c.sequence, c.occurred_at
        from ${written.name} c
        on conflict (tenant_id, user_id) do update set ${SUPERSEDE}
        where excluded.last_pending > l.last_pending`,
    );
  }

  /** After the commit: there is something to send, and no need to wait for the next poll. */
  wake(tenantId: string): void {
    this.worker?.wake(tenantId);
  }
}

// A call that is parked was not understood by the platform, or never answered: the newer change does not wait for it.
// It may have taken effect all the same: an account that it created has to be looked for first, and what is there is not
// known any more.
const SUPERSEDE = `
  target_state = excluded.target_state,
  target_person = excluded.target_person,
  rank = excluded.rank,
  first_pending = coalesce(l.first_pending, excluded.first_pending),
  last_pending = excluded.last_pending,
  pending_since = coalesce(l.pending_since, excluded.pending_since),
  calling = l.calling and l.parked is null,
  call = case when l.parked is null then ${CALL_OUT} end,
  lookup = case when l.parked is not null and ${CREATE_OUT} then '{"why":"lost"}'::jsonb else l.lookup end,
  confirmed_state = case when l.parked is not null then ${STATE_WITHOUT_ANSWER} else l.confirmed_state end,
  attempts = 0,
  next_at = '-infinity',
  parked = null,
  parked_detail = null,
  parked_at = null`;
