import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { isAside } from '../held-name.js';
import { UsersRepository, type UserWithGroups } from '../users.repository.js';
import { stillReleased } from './effective-state.rules.js';
import type { Edit, WriteCase } from './write-case.js';
import type { WriteContext } from './write-context.js';

/** Gathers what the decision about an edit depends on. */
@Injectable()
export class CaseReader {
  constructor(private readonly repository: UsersRepository) {}

  /** Returns the case of an edit of a user. */
  async of(
    db: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<WriteCase & { row: UserWithGroups }> {
    const fromRules = ctx.directory?.hasRules
      ? await this.repository.rolesFromRules(ctx.tenantId, ctx.directory.id, row.id, db)
      : [];
    // A name that was given away stays so until another one is written.
    const isKept = isAside(row.user_name_key) && !row.gone && edit.draft.userName === row.user_name;
    const draft = isKept ? { ...edit.draft, userNameKey: row.user_name_key } : edit.draft;
    const roleSet = edit.kind === 'change' && edit.roleSet !== undefined ? edit.roleSet : row.role_set;
    const roleOrigin = edit.kind === 'change' ? edit.roleOrigin : undefined;
    const named = edit.kind === 'change' ? edit.fields : undefined;
    const about = {
      ctx,
      tenant,
      row,
      draft,
      roleSet,
      roleOrigin,
      fromRules,
      released: row.released,
      named,
    };
    return { ...about, released: releasedIn(about, edit) };
  }
}

function releasedIn(about: WriteCase & { row: UserWithGroups }, edit: Edit): WriteCase['released'] {
  if (edit.kind === 'discard') return edit.released;
  return (edit.kind === 'reconsider' ? edit.released : undefined) ?? stillReleased(about);
}
