import { isLongerThan } from '../../base/characters.js';
import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import type { AuditBy } from './audit/audit.service.js';
import type { Caller } from './caller.js';
import { OperatorTokenNeeded, TenantEntered } from './tenants.errors.js';
import { REASON } from './tenants.dto.js';

const MOST_MS = 3_600_000;

const WHILE_ENTERED = Symbol('whether a session of the operator that reads a tenant may do this');

/** The route is open to a session of the operator that has entered a tenant. */
export const WhileEntered = (): MethodDecorator => SetMetadata(WHILE_ENTERED, true);

/** @throws {TenantEntered} for a write in a session of the operator that reads a tenant */
export function demandNothingEntered(context: ExecutionContext, method: string, { console }: Caller): void {
  if (console === undefined || console.tenantId === '' || method === 'GET' || method === 'HEAD') return;
  if (Reflect.getMetadata(WHILE_ENTERED, context.getHandler()) !== true) throw new TenantEntered();
}

/** @throws {OperatorTokenNeeded} for a session of the console: the act has no end of its own */
export function demandOperatorToken({ console }: Caller, act: string): void {
  if (console !== undefined) throw new OperatorTokenNeeded(act);
}

/** @throws {InvalidFields} for a text that a body could not have */
export function queriedReason(text: string | undefined): string | undefined {
  if (text !== undefined && (text.trim() === '' || isLongerThan(text, REASON.max))) {
    throw new InvalidFields([{ field: 'reason', message: `must have 1 to ${REASON.max} characters` }]);
  }
  return text;
}

interface Grounds {
  readonly reason?: string | undefined;
  /** The end of what the act makes; undefined when that is always within an hour. */
  readonly ends?: { readonly field: string; readonly at: Date | null };
}

/**
 * Demands of a session of the operator a reason and an end within an hour. The operator's token needs neither.
 *
 * @returns who acts, for the audit log of the tenant
 * @throws {InvalidFields} naming the missing fields
 */
export function operatorActOf(
  { actor, requestId, console }: Caller,
  { reason, ends }: Grounds,
  now: Date,
): Pick<AuditBy, 'actor' | 'requestId' | 'reason'> {
  const errors: FieldError[] = [];
  if (console !== undefined && reason === undefined) {
    errors.push({
      field: 'reason',
      message: 'is required of a session of the console: the audit log of the tenant has it',
    });
  }
  if (
    console !== undefined &&
    ends !== undefined &&
    (ends.at === null || ends.at.getTime() > now.getTime() + MOST_MS)
  ) {
    errors.push({ field: ends.field, message: 'must be within an hour, for a session of the console' });
  }
  if (errors.length > 0) throw new InvalidFields(errors);
  return { actor, requestId, ...(reason === undefined ? {} : { reason }) };
}
