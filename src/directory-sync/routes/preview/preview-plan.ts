import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import type { Decision } from '../../../tenancy/identity/held.rules.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { Directory } from '../../directories/directory.js';
import type { RuleRole } from '../../users/role.rules.js';
import { draftOf, emailKeyOf, type UserDocument } from '../../users/user.mapping.js';
import { currentOf, USER_COLUMNS, type UserRow } from '../../users/user.row.js';
import { UsersRepository } from '../../users/users.repository.js';
import { isBeyond } from '../../users/write/authority.rules.js';
import { writtenIn, decide } from '../../users/write/state.rules.js';
import { NO_CONFLICTS, type WriteCase, type WritingDirectory } from '../../users/write/write-case.js';
import { stepsOf } from '../effect-steps.rules.js';
import { noTotals, withEffects, type PlanTotals, effectOf, type SteppedEffect } from './preview.rules.js';

export interface PlannedUser extends SteppedEffect {
  id: string;
}

export interface PlannedBatch {
  users: PlannedUser[];
  /** The user after which the next batch begins; null for the last batch. */
  next: string | null;
  seen: number;
}

/** A user that the directory in preview has written to, with the overlay if the user has another owner. */
interface Row extends UserRow {
  overlaid: boolean;
  overlay: string | null;
}

const BATCH = 1_000;
/** Users that are computed before other requests have their turn: some milliseconds. */
const SLICE = 50;

/** SQL of the ids of users that a directory in preview (`$2`) has written to, of those after `$3`. */
const WRITTEN = (limit: string): string => `(
  (select h.id from users h where h.tenant_id = $1 and h.directory_id = $2 and h.held = 'preview' and h.id > $3
   order by h.id limit ${limit})
  union
  (select w.user_id from preview_writes w where w.tenant_id = $1 and w.directory_id = $2 and w.user_id > $3
   order by w.user_id limit ${limit})
  order by 1 limit ${limit})`;

/** Computes the effects of going live now, in batches. Changes nothing. */
@Injectable()
export class PreviewPlan {
  constructor(
    private readonly db: Database,
    private readonly tenants: TenantStore,
    private readonly users: UsersRepository,
  ) {}

  /** `after` is '' for the first batch. */
  async batch(directory: Directory, after: string): Promise<PlannedBatch> {
    const { tenantId } = directory;
    const tenant = await this.tenants.get(tenantId);
    const live: WritingDirectory = { ...directory, state: 'live', superseded: false };
    const rows = await this.rows(tenantId, directory.id, after);
    const users = await this.plan(tenantId, tenant, live, rows);
    return { users, next: rows.length < BATCH ? null : rows.at(-1)!.id, seen: rows.length };
  }

  async totals(directory: Directory): Promise<PlanTotals> {
    let totals = noTotals();
    for (let after: string | null = ''; after !== null;) {
      const { users, next } = await this.batch(directory, after);
      totals = withEffects(totals, users);
      after = next;
    }
    return totals;
  }

  async count(tenantId: string, directoryId: string, most: number): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(`select count(*)::int as n from ${WRITTEN('$4')} w`, [
      tenantId,
      directoryId,
      '',
      most,
    ]);
    return rows[0]!.n;
  }

  private async plan(
    tenantId: string,
    tenant: TenantView,
    live: WritingDirectory,
    rows: Row[],
  ): Promise<PlannedUser[]> {
    const ids = rows.map(({ id }) => id);
    const roles = live.hasRules ? await this.users.rolesOfUsers(tenantId, live.id, ids) : new Map<string, RuleRole[]>();
    const cases = await inSlices(rows, (row): WriteCase => ({
      ctx: { tenantId, channel: 'scim', directory: live, receivedAt: new Date() },
      tenant,
      row,
      draft: draftOf(JSON.parse(row.overlay ?? row.doc) as UserDocument, live.attributeMap),
      roleSet: row.role_set,
      fromRules: roles.get(row.id) ?? [],
      released: row.released,
    }));
    const written = await inSlices(cases, writtenIn);
    const taken = await this.taken(tenantId, written.map(({ person }) => person), rows); // prettier-ignore
    const planned = await inSlices(rows, (row, i) => {
      // A link with a user whose right the directory may not give waits for an administrator, and so does the removal.
      const waits = row.overlaid && isBeyond(tenant, row, live);
      const removed = !waits && (row.gone || (row.overlaid && row.overlay === null));
      const would = waits
        ? unchanged(row)
        : removed
          ? null
          : decide(cases[i]!, written[i]!, { ...NO_CONFLICTS, ...taken(i) });
      const owner = row.directory_id === live.id ? 'own' : row.directory_id === null ? 'unmanaged' : 'replaced';
      const current = currentOf(row);
      const effect = effectOf({ owner, removed, current, would });
      if (effect.kinds.length === 0) return [];
      return [{ id: row.id, ...effect, steps: stepsOf(tenant, row.id, current, would) }];
    });
    return planned.flat();
  }

  private async rows(tenantId: string, directoryId: string, after: string): Promise<Row[]> {
    const { rows } = await this.db.query<Row>(
      `select ${USER_COLUMNS}, o.user_id is not null as overlaid, o.doc::text as overlay
       from ${WRITTEN(String(BATCH))} w join users u on u.tenant_id = $1 and u.id = w.id
         left join preview_writes o on o.tenant_id = $1 and o.directory_id = $2 and o.user_id = u.id
       order by u.id`,
      [tenantId, directoryId, after],
    );
    return rows;
  }

  private async taken(
    tenantId: string,
    people: { email: string | null; external_id: string | null }[],
    rows: Row[],
  ): Promise<(i: number) => { emailTaken: boolean; externalIdTaken: boolean }> {
    const emails = people.map(({ email }) => emailKeyOf(email));
    const { rows: holders } = await this.db.query<{ id: string; email_key: string | null; key: string | null }>(
      `select id, email_key, null as key from users where tenant_id = $1 and email_key = any($2::text[]) and status = 'active'
       union all select id, null, person_external_id from users
       where tenant_id = $1 and person_external_id = any($3::text[]) and status = 'active'`,
      [tenantId, emails.filter((key) => key !== null), people.map((person) => person.external_id).filter((key) => key !== null)],
    ); // prettier-ignore
    const byEmail = new Map(holders.map((holder) => [holder.email_key, holder.id]));
    const byKey = new Map(holders.map((holder) => [holder.key, holder.id]));
    const isOthers = (holder: string | undefined, row: Row): boolean => holder !== undefined && holder !== row.id;
    return (i) => ({
      emailTaken: emails[i] != null && isOthers(byEmail.get(emails[i]), rows[i]!),
      externalIdTaken: people[i]!.external_id !== null && isOthers(byKey.get(people[i]!.external_id), rows[i]!),
    });
  }
}

/** The decision about a user whose write waits for an administrator. */
function unchanged(row: UserRow): Decision {
  const { person, status, seat } = currentOf(row);
  return { inForce: { ...person, status }, seat, held: 'needs_admin' };
}

async function inSlices<From, To>(list: readonly From[], map: (one: From, place: number) => To): Promise<To[]> {
  const mapped: To[] = [];
  for (const [place, one] of list.entries()) {
    if (place % SLICE === SLICE - 1) await turn();
    mapped.push(map(one, place));
  }
  return mapped;
}
