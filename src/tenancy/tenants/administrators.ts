import { Injectable } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Database } from '../../base/database/database.js';
import { Conflict } from '../../base/errors/domain-error.js';
import { Choice, Flag, Text, Whole } from '../../base/http/fields.js';
import { ChangeType, ShownType } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';

/** What users with a role may do in the administration of their tenant. */
export const CONSOLE_ACCESS = ['admin', 'auditor', 'none'] as const;

/** A right of {@link CONSOLE_ACCESS}. */
export type ConsoleAccess = (typeof CONSOLE_ACCESS)[number];

@ServerSet('created_at', 'users')
export class CreateRole {
  @Text({ max: 100, example: 'Recruiter' })
  name!: string;

  @Flag({ description: 'Whether an active user with this role takes a seat.' })
  takes_seat!: boolean;

  @Choice(CONSOLE_ACCESS, {
    optional: true,
    description:
      'What users with this role may do in the console: `admin` everything of the tenant, `auditor` read. `none` unless set; of the role `Admin`, `admin`.',
  })
  console?: ConsoleAccess;
}

@ServerSet('name', 'created_at', 'users')
export class ChangeRole extends ChangeType(OmitType(CreateRole, ['name'])) {
  @ExpectedAdministrators(
    'How many users have the role, where `console` takes a right from them. `GET /roles` has it as `users`.',
  )
  administrators?: number;
}

export class RoleBody extends ShownType(CreateRole, ['name', 'takes_seat', 'console']) {
  @ApiProperty({ description: 'How many users hold it.' })
  users!: number;
  @ApiProperty()
  created_at!: Date;
}

interface RoleHolder {
  tenant_id: string;
  user_id: string;
  role: string | null;
}

/**
 * Returns SQL for the right of a user: `admin`, `auditor` or `none`. The owner always has `admin`; every other user has
 * that of the role. All arguments are SQL.
 */
export function consoleRight(tenantId: string, userId: string, role: string): string {
  return `(case when exists (select 1 from tenants w where w.id = ${tenantId} and w.owner_user_id = ${userId}) then 'admin'
    else coalesce((select r.console from roles r where r.tenant_id = ${tenantId} and r.name = ${role}), 'none') end)`;
}

/** Who administers a tenant: its owner, and users whose role of the catalogue has `console: admin`. */
@Injectable()
export class Administrators {
  constructor(private readonly db: Database) {}

  async rightOf({ tenant_id: tenantId, user_id: userId, role }: RoleHolder): Promise<ConsoleAccess> {
    const { rows } = await this.db.query<{ console: ConsoleAccess }>(
      `select ${consoleRight('$1::text', '$2::text', '$3::text')} as console`,
      [tenantId, userId, role],
    );
    return rows[0]!.console;
  }

  async has(holder: RoleHolder): Promise<boolean> {
    return (await this.rightOf(holder)) === 'admin';
  }
}

/** Declares a number that the caller has to send where it is not 0. `what` names the number and its source. */
export function ExpectedAdministrators(what: string): PropertyDecorator {
  return Whole({
    min: 0,
    max: 100_000_000,
    optional: true,
    description: `${what} Demanded where it is not 0 (409 \`administrators_unconfirmed\`).`,
  });
}

/**
 * Refuses an act that takes the console from administrators until the caller has sent their number.
 *
 * @param expected the number that the caller sent
 * @param effect the effect of the act, after the number
 * @throws {Conflict} `administrators_unconfirmed`
 */
export function demandAdministrators(
  count: number,
  expected: number | undefined,
  effect = 'would lose the console, or the right to write there',
): void {
  if (count === 0 || count === expected) return;
  const who = count === 1 ? '1 administrator' : `${count} administrators`;
  throw new Conflict(
    'administrators_unconfirmed',
    `${who} ${effect}. Nothing was done. Send "administrators": ${count} to confirm it.`,
    { members: { administrators: count } },
  );
}
