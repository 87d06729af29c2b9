import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { WriteStatement } from '../../base/database/write-statement.js';
import { ForwardingService } from '../../forwarding/forwarding.service.js';
import type { InForce, UserChange } from '../../identity/person.js';
import { changeBetween, endsSessions, mustForward } from '../../identity/user-change.rules.js';
import type { HolderFacts } from '../../seats/seat.rules.js';
import { SeatsService } from '../../seats/seats.service.js';
import {
  dropUnprovenIdentities,
  endFormerLinks,
  endPersonCredentials,
  endPersonIdentities,
  endPersonSessions,
} from '../../sessions/user-endings.js';
import { emailKey } from '../user.mapping.js';
import { personOfRow, type UserRow } from '../user.row.js';
import { type UserWrite } from './subject.sql.js';
import type { WriteContext } from './write-context.js';

/** What follows from a change of a person, put into the very statement that makes it. */
@Injectable()
export class UserConsequences {
  constructor(
    private readonly seats: SeatsService,
    private readonly forwarding: ForwardingService,
    private readonly config: Config,
  ) {}

  /** False where this service is itself the record (`PLATFORM_FORWARDING=off`): changes are written down, and no more. */
  private get forwards(): boolean {
    return this.config.platform.forwarding;
  }

  /** Adds the ledger's line, the user change and what we owe. Answers whether the platform is to hear of it. */
  ofWrite(statement: WriteStatement, ctx: WriteContext, row: UserRow | null, write: UserWrite): boolean {
    const after = write.decision.inForce;
    this.seats.settle(statement, ctx.tenantId, row?.seat ?? 'none', write.decision.seat, {
      role: after.role ?? row?.role ?? null,
      directoryId: write.directoryId,
      costCenter: write.costCenter,
      known: row && holderFacts(row),
      reason: row === null ? 'created' : row.status !== after.status ? after.status : reasonOf(row, write),
      source: ctx.source,
    });
    if (row?.source === 'sign-in' && row.directory_id === null && write.directoryId !== null) {
      const { email } = write.draft;
      const proven = email !== null && row.email !== null && emailKey(email) === emailKey(row.email);
      dropUnprovenIdentities(statement, ctx.tenantId, proven);
    }
    if (row !== null)
      this.leaveNames(statement, ctx.tenantId, row, { user_name: write.draft.userName, email: after.email });
    const change = changeBetween(row && inForceOf(row), after, row?.ever_active ?? false);
    if (change === null) {
      // The resource changed, the person did not: recorded, and nobody is told.
      const noted: UserChange = { kind: 'updated', person: personOfRow(row!), status: row!.status, changed: [] };
      this.forwarding.enqueue(statement, ctx.tenantId, noted, ctx.source, ctx.receivedAt, false);
      return false;
    }
    if (change.kind === 'deactivated') endPersonCredentials(statement, ctx.tenantId, 'deactivated');
    else if (row !== null && endsSessions(change)) endPersonSessions(statement, ctx.tenantId, 'role_changed');
    const forward = this.forwards && mustForward(change, write.everActive);
    this.forwarding.enqueue(statement, ctx.tenantId, change, ctx.source, ctx.receivedAt, forward);
    return forward;
  }

  /** What IdPs may call a person by, as far as it is no longer theirs. */
  private leaveNames(
    statement: WriteStatement,
    tenantId: string,
    row: UserRow,
    now: { user_name: string | null; email: string | null },
  ): void {
    for (const kind of ['user_name', 'email'] as const) {
      const [before, after] = [row[kind], now[kind]];
      if (before !== null && before.toLowerCase() !== after?.toLowerCase())
        endFormerLinks(statement, tenantId, kind, before);
    }
  }

  /** The same for a person who is removed. */
  ofRemoval(statement: WriteStatement, ctx: WriteContext, row: UserRow): void {
    this.seats.settle(statement, ctx.tenantId, row.seat, 'none', {
      ...holderFacts(row),
      reason: 'deleted',
      source: ctx.source,
    });
    endPersonCredentials(statement, ctx.tenantId, 'deleted');
    endPersonIdentities(statement, ctx.tenantId);
    this.leaveNames(statement, ctx.tenantId, row, { user_name: null, email: null });
    const change = changeBetween(inForceOf(row), { ...personOfRow(row), status: 'deleted' }, row.ever_active)!;
    const forward = this.forwards && mustForward(change, row.ever_active);
    this.forwarding.enqueue(statement, ctx.tenantId, change, ctx.source, ctx.receivedAt, forward);
  }
}

function inForceOf(row: UserRow): InForce {
  return { ...personOfRow(row), status: row.status };
}

function holderFacts(row: UserRow): HolderFacts {
  return { role: row.role, directoryId: row.directory_id, costCenter: row.cost_center };
}

/** What of a holder a write changes, for the ledger. */
function reasonOf(row: UserRow, { directoryId, costCenter, decision }: UserWrite): string {
  if (decision.inForce.role !== row.role || decision.seat !== row.seat) return 'role';
  if (directoryId !== row.directory_id) return 'directory';
  return costCenter === row.cost_center ? 'role' : 'cost_center';
}
