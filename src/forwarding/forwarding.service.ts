import { Injectable, Optional } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import type { Part, WriteStatement } from '../base/database/write-statement.js';
import { LaneWakeups } from '../engine/delivery/lane-state.js';
import { enqueue } from '../engine/delivery/lanes/enqueue.js';
import type { ExplainedChange } from '../tenancy/identity/cause.rules.js';
import type { ChangeSource, Person } from '../tenancy/identity/person.js';
import { endsSessions, type AccountRefusal } from '../tenancy/identity/user-change.rules.js';
import { platformOf } from './connections.js';
import { personText } from './platform-user.mapping.js';

/** Why an account of the platform is left out of an import. */
export type AccountLeftOutReason =
  AccountRefusal | 'email_of_another_user' | 'user_has_another_account' | 'nameless' | 'unreadable' | 'contended';

/** What became of an account that the platform has. */
export type Intake =
  { kind: 'created' | 'known'; userId: string } | { kind: 'left_out'; reason: AccountLeftOutReason; detail: string };

/** Takes accounts of the platform in as users. The room that keeps the users implements it. */
export interface PeopleIntake {
  /**
   * Takes an account in as an unmanaged user, or finds its user by `external_id`, else by e-mail and the adoption
   * rule. Nothing is forwarded.
   */
  importUnmanaged(
    tenantId: string,
    person: Person,
    status: 'active' | 'inactive',
    platformId: string,
    source: ChangeSource,
  ): Promise<Intake>;
}

/** Records user changes and the calls to the platform, in the statement that makes them. */
@Injectable()
export class ForwardingService {
  private readonly off: boolean;
  private intake: PeopleIntake | null = null;

  constructor(
    @Optional() private readonly wakeups?: LaneWakeups,
    @Optional() config?: Config,
  ) {
    this.off = config?.platform.forwarding === false;
  }

  /**
   * Adds a change, and the user's lane if the change is forwarded, to the write statement. Where this service is
   * itself the record (`PLATFORM_FORWARDING=off`), changes are recorded only.
   *
   * @param linked the write made an existing user a directory's own
   * @returns the part whose row has `record`, the user's id, and `sequence` and `occurred_at` of the change
   */
  enqueue(
    statement: WriteStatement,
    tenantId: string,
    change: ExplainedChange,
    source: ChangeSource,
    receivedAt: Date,
    forward: boolean,
    linked = false,
  ): Part {
    const person = personText(change.person);
    const forwarded = forward && !this.off;
    const cause = change.cause === undefined ? null : JSON.stringify(change.cause);
    // Sessions end in this very statement, so the change knows when they did.
    const [column, moment] = endsSessions(change) ? [', sessions_ended_at', ', clock_timestamp()'] : ['', ''];
    const [link, isLink] = linked ? [', linked', ', true'] : ['', ''];
    const written = statement.add(
      (
        p,
      ) => `insert into changes (tenant_id, user_id, kind, forwarded, changed, person, status, source, received_at, cause${column}${link})
        select ${p.shared(tenantId)}, subject.id, ${p.add(change.kind, 'text')}, ${p.add(forwarded, 'boolean')},
          ${p.add(change.changed, 'text[]')}, ${p.add(person, 'jsonb')}, ${p.add(change.status)},
          ${p.add(JSON.stringify(source), 'jsonb')}, ${p.add(receivedAt, 'timestamptz')}, ${p.add(cause, 'jsonb')}${moment}${isLink}
        from subject returning user_id as subject, user_id as record, sequence, occurred_at`,
      { each: true },
    );
    if (!forwarded) return written;
    enqueue(statement, platformOf(tenantId), { state: change.status, body: person, change: written });
    return written;
  }

  /** Wakes the delivery after the commit. */
  wake(tenantId: string): void {
    this.wakeups?.wake(platformOf(tenantId));
  }

  connect(intake: PeopleIntake): void {
    this.intake = intake;
  }

  /** The connected room; null in a process without one. */
  get connected(): PeopleIntake | null {
    return this.intake;
  }
}
