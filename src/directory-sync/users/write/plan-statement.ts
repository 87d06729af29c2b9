import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import type { SqlRunner } from '../../../base/database/database.js';
import { WriteStatement, type Part } from '../../../base/database/write-statement.js';
import type { EventName } from '../../../engine/events/catalogue.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import type { EventReceiver } from '../../../engine/events/event-source.js';
import { ForwardingService } from '../../../forwarding/forwarding.service.js';
import { SeatsService } from '../../../seats/seats.service.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { userEventOf, type UserEventName } from '../../../tenancy/identity/user-change.rules.js';
import { SessionEvents } from '../../../tenancy/sessions/session.js';
import {
  dropUnprovenIdentities,
  endFormerLinks,
  endPersonCredentials,
  endPersonIdentities,
  endPersonSessions,
} from '../../../tenancy/sessions/user-credentials.sql.js';
import { ApiKeysService } from '../../../tenancy/tenants/api-keys.service.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { forgetMemberships, keepLeftMembership } from '../groups/memberships.sql.js';
import { GuardService } from '../guard/guard.service.js';
import type { IdentityStep, RightStep } from '../role.rules.js';
import type { Ending } from './consequences.rules.js';
import { addNote } from './side-rows.sql.js';
import { insertUser, holdRemoval, removeUser, updateUser } from './user-rows.sql.js';
import type { WriteContext } from './write-case.js';
import type { WritePlan } from './write-plan.rules.js';

interface Guards {
  seat: (statement: WriteStatement) => Part | null;
  departure: (statement: WriteStatement) => Part | null;
  checkNames: boolean;
}

export const NO_GUARDS: Guards = { seat: () => null, departure: () => null, checkNames: false };

@Injectable()
export class PlanStatement {
  constructor(
    private readonly seats: SeatsService,
    private readonly forwarding: ForwardingService,
    private readonly events: EventRecorder,
    private readonly sessions: SessionEvents,
    private readonly guard: GuardService,
    private readonly config: Config,
    private readonly audit: AuditService,
    private readonly keys: ApiKeysService,
  ) {}

  async of(plan: WritePlan, ctx: WriteContext, guards: Guards, db?: SqlRunner): Promise<WriteStatement> {
    const receivers = plan.consequences === null ? [] : await this.events.receiversOf(ctx.tenantId, db);
    const statement = new WriteStatement();
    this.addSubject(statement, plan, ctx, guards);
    const { consequences, note } = plan;
    if (consequences !== null) await this.addConsequences(statement, plan, ctx, { receivers, db });
    if (plan.rights.length > 0) {
      const { tenantId, source } = ctx;
      const remains = plan.subject.kind === 'update' && plan.subject.write.decision.inForce.status === 'active';
      const about = { tenantId, userId: userIdOf(plan), steps: plan.rights, source, remains };
      await this.addConsoleRights(statement, about, db);
    }
    if (note !== null) addNote(statement, ctx.tenantId, note, ctx.source);
    const { memberships } = plan;
    if (memberships === 'forget') forgetMemberships(statement, ctx.tenantId);
    else if (memberships !== undefined) keepLeftMembership(statement, ctx.tenantId, memberships.keep);
    if (plan.guarded !== null) this.guard.addTo(statement, ctx.tenantId, plan.guarded, ctx.source);
    return statement;
  }

  /** Returns whether the platform receives the write; never where this service is itself the record. */
  forwards({ consequences }: WritePlan): boolean {
    return (consequences?.forward ?? false) && this.config.platform.forwarding;
  }

  private addSubject(
    statement: WriteStatement,
    { subject }: WritePlan,
    { tenantId, directory, source }: WriteContext,
    guards: Guards,
  ): void {
    switch (subject.kind) {
      case 'insert': {
        const seat = guards.seat(statement);
        const unlinked = guards.checkNames && directory !== null ? directory : false;
        return insertUser(statement, tenantId, subject.write, { seat, unlinked });
      }
      case 'update': {
        const seat = guards.seat(statement);
        const clashes = guards.checkNames && subject.clashes;
        const departure = guards.departure(statement);
        return updateUser(statement, tenantId, subject.before, subject.write, { parts: [seat, departure], clashes });
      }
      case 'remove':
        return removeUser(statement, tenantId, subject.before, subject.person, source);
      case 'hold_removal':
        return holdRemoval(statement, tenantId, subject.before, subject.reason);
    }
  }

  wake(
    tenantId: string,
    { forwarded, told }: { forwarded: boolean; told: readonly (UserEventName | EventName)[] },
  ): void {
    for (const event of told) this.events.wake(tenantId, event);
    if (forwarded) this.forwarding.wake(tenantId);
  }

  private async addConsequences(
    statement: WriteStatement,
    { consequences, note }: WritePlan,
    { tenantId, source, receivedAt }: WriteContext,
    { receivers, db }: { receivers: readonly EventReceiver[]; db: SqlRunner | undefined },
  ): Promise<void> {
    const { seat, endings, change, forward } = consequences!;
    if (seat !== null) this.seats.addLine(statement, tenantId, seat, source);
    for (const ending of endings) {
      const ended = addEnding(statement, tenantId, ending);
      if (ended !== null) await this.sessions.add(statement, tenantId, ended, db);
    }
    if (change === null) return;
    const linked = note?.kind === 'linked';
    const part = this.forwarding.enqueue(statement, tenantId, change, source, receivedAt, forward, linked);
    const event = eventOf({ consequences, note });
    if (event !== null) this.events.addElsewhere(statement, tenantId, receivers, { event, part });
  }

  private async addConsoleRights(
    statement: WriteStatement,
    about: {
      tenantId: string;
      userId: string;
      steps: readonly (RightStep | IdentityStep)[];
      source: ChangeSource;
      remains: boolean;
    },
    db?: SqlRunner,
  ): Promise<void> {
    const { tenantId, userId, source } = about;
    for (const { event, ...step } of about.steps) {
      const isLost = event === 'administrator.removed';
      const goingOn = isLost ? await this.keys.goingOn(tenantId, [userId], about.remains, db) : null;
      const right = { ...step, ...(goingOn === null ? {} : { keys: goingOn.get(userId)! }) };
      this.audit.addTo(statement, {
        tenantId,
        actor: source.actor,
        requestId: source.request_id,
        action: event,
        targetType: 'user',
        targetId: userId,
        ...(isLost ? { before: right, after: null } : { before: null, after: right }),
      });
      const data = JSON.stringify({ user_id: userId, ...right });
      await this.events.addTo(statement, tenantId, { event, record: userId, data }, db);
    }
  }
}

export function userIdOf({ subject }: WritePlan): string {
  return subject.kind === 'insert' || subject.kind === 'update' ? subject.write.id : subject.before.id;
}

export function toldOf(plan: WritePlan): (UserEventName | EventName)[] {
  const event = eventOf(plan);
  return [...(event === null ? [] : [event]), ...plan.rights.map((step) => step.event)];
}

function eventOf({ consequences, note }: Pick<WritePlan, 'consequences' | 'note'>): UserEventName | null {
  const change = consequences?.change ?? null;
  return change === null ? null : userEventOf(change, note?.kind === 'linked');
}

/** Finds the user with an id and a name in lower case; the arguments are SQL. */
function holderOf(column: 'user_name' | 'email', tenantId: string, userId: string, name: string): string {
  return `select 1 from users u where u.tenant_id = ${tenantId} and u.id = ${userId} and lower(u.${column} collate "C") = ${name}`;
}

function addEnding(statement: WriteStatement, tenantId: string, ending: Ending): Part | null {
  switch (ending.kind) {
    case 'credentials':
      return endPersonCredentials(statement, tenantId, ending.why);
    case 'sessions':
      return endPersonSessions(statement, tenantId, ending.why);
    case 'identities':
      endPersonIdentities(statement, tenantId);
      return null;
    case 'bindings':
      return dropUnprovenIdentities(statement, tenantId, false);
    case 'unproven_identities':
      return dropUnprovenIdentities(statement, tenantId, ending.proven);
    case 'former_links':
      endFormerLinks(statement, tenantId, ending, (tenant, userId, name) =>
        holderOf(ending.madeBy, tenant, userId, name),
      );
      return null;
  }
}
