import { Injectable } from '@nestjs/common';
import { ByteMap, byteSize } from '../../../base/byte-map.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { isDeparture } from '../../../tenancy/tenants/storage/storage.rules.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { consoleOf } from '../role.rules.js';
import { type UserRow, DocumentTooLarge, isAside } from '../user.row.js';
import { type UserWithGroups, UsersRepository } from '../users.repository.js';
import { keptPart, type KeptPart } from './authority.rules.js';
import { isKeptFor, KeptWrites } from './kept-writes.js';
import { stillReleased } from './state.rules.js';
import { newStamp, type Edit, type WriteCase, type WriteContext } from './write-case.js';
import { WriteRunner, type CompletedWrite } from './write-runner.js';

const MAX_ROWS = 5000;
const MAX_BYTES = 24 * 1024 * 1024;
/** A larger row is not kept: reading it costs little beside writing it. */
const MAX_ROW_BYTES = 64 * 1024;

/**
 * The rows that this process wrote last. The version of such a row guards the write: it writes nothing if another
 * process has changed the user.
 */
export class RecentRows {
  private readonly rows = new ByteMap<UserWithGroups>({ entries: MAX_ROWS, bytes: MAX_BYTES });

  get bytes(): number {
    return this.rows.bytes;
  }

  put(tenantId: string, row: UserWithGroups): void {
    const key = `${tenantId} ${row.id}`;
    const bytes = bytesOf(row);
    if (bytes <= MAX_ROW_BYTES) this.rows.set(key, row, bytes);
    else this.rows.delete(key);
  }

  /** Returns the row and drops it: the following write puts the next version back. */
  take(tenantId: string, id: string): UserWithGroups | undefined {
    const key = `${tenantId} ${id}`;
    const row = this.rows.get(key);
    if (row) this.rows.delete(key);
    return row;
  }
}

const OTHER_BYTES = 1024;

/** Estimates as `byteSize` does, without a list of all fields. */
function bytesOf(row: UserWithGroups): number {
  let bytes = OTHER_BYTES + byteSize(row.groups) + byteSize(row.manager);
  for (const name of TEXTS) bytes += 2 * (row[name]?.length ?? 0);
  return bytes;
}

/** Callers decide the length of these fields. */
const TEXTS = [
  'doc',
  'user_name',
  'user_name_key',
  'email',
  'first_name',
  'last_name',
  'external_id',
  'person_external_id',
  'cost_center',
] as const;

function releasedIn(about: WriteCase & { row: UserWithGroups }, edit: Edit): WriteCase['released'] {
  if (edit.kind === 'discard') return edit.released;
  return (edit.kind === 'reconsider' ? edit.released : undefined) ?? stillReleased(about);
}

@Injectable()
export class UserEditing {
  private readonly rows = new RecentRows();

  constructor(
    private readonly db: Database,
    private readonly runner: WriteRunner,
    private readonly storage: TenantStorage,
    private readonly repository: UsersRepository,
    readonly kept: KeptWrites,
  ) {}

  remember(tenantId: string, row: UserWithGroups): void {
    this.rows.put(tenantId, row);
  }

  /**
   * Writes an edit in one statement; null when an assumption does not hold.
   *
   * @throws {StorageExhausted} when the edit adds data of a tenant whose storage is exhausted
   */
  async optimistic(
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<CompletedWrite | null> {
    this.demandRoom(tenant, row, edit);
    // A write that waits for an administrator, or ends such a wait, needs the lock of the user.
    if (isKeptFor(ctx, row) && isDirectorys(edit)) return null;
    const about = await this.caseOf(this.db, ctx, tenant, row, edit);
    if (keptPart(about, edit) !== null) return null;
    return this.runner.optimistic({ kind: 'edit', about, edit }, ctx, newStamp(), edit);
  }

  async locked(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<CompletedWrite> {
    this.demandRoom(tenant, row, edit);
    const about = await this.caseOf(tx, ctx, tenant, row, edit);
    const part = keptPart(about, edit);
    if (part !== null) return this.keep(tx, ctx, about, edit, part);
    if (!isKeptFor(ctx, row) || !isDirectorys(edit)) {
      return this.runner.pessimistic(tx, { kind: 'edit', about, edit }, ctx, newStamp(), edit);
    }
    // The directory's new write may take effect as a whole: no part waits any more.
    await this.kept.drop(tx, ctx.tenantId, row);
    const ended = { ...edit, keptFor: null };
    const now = { ...about, keptFor: null };
    return this.runner.pessimistic(tx, { kind: 'edit', about: now, edit: ended }, ctx, newStamp(), ended);
  }

  private async keep(
    tx: SqlRunner,
    ctx: WriteContext,
    about: WriteCase & { row: UserWithGroups },
    edit: Edit,
    { fields, rest }: KeptPart,
  ): Promise<CompletedWrite> {
    const { row } = about;
    let done: CompletedWrite = { row, outcome: 'unchanged', edit: null, forwarded: false, told: [], freed: false };
    if (rest === null) await this.kept.mark(tx, ctx, row);
    else {
      const held = { keptFor: ctx.directory!.id, draft: rest };
      const command = { kind: 'edit', about: { ...about, ...held }, edit: { ...edit, ...held } } as const;
      done = await this.runner.pessimistic(tx, command, ctx, newStamp(), edit);
    }
    await this.kept.keep(tx, ctx, row, { draft: edit.draft, by: edit.kind === 'link' ? edit.by : 'id', fields });
    const now = (await this.repository.read(ctx.tenantId, row.id, tx))!;
    return { ...done, row: await this.kept.asWritten(ctx, now, tx) };
  }

  /** Admits departures, the loss of a right of administration, and decisions about stored data. */
  private demandRoom(tenant: TenantView, row: UserRow, edit: Edit): void {
    if (!this.storage.isExhausted(tenant.id) || (edit.kind !== 'change' && edit.kind !== 'link')) return;
    const losesRight =
      edit.kind === 'change' &&
      edit.roleSet !== undefined &&
      consoleOf(tenant.roles, row.role) !== 'none' &&
      consoleOf(tenant.roles, edit.roleSet) === 'none';
    if (!losesRight && !isDeparture(row, edit.draft)) this.storage.demandRoom(tenant.id);
  }

  /**
   * Changes a row that this process wrote lately, without reading it. The write requires the stored version. A refusal,
   * or no change, is decided again on the stored row.
   */
  async recent(
    ctx: WriteContext,
    tenant: TenantView,
    id: string,
    visible: (row: UserRow) => boolean,
    edit: (row: UserWithGroups) => Edit | null,
  ): Promise<CompletedWrite | null> {
    const known = this.rows.take(ctx.tenantId, id);
    if (!known || !visible(known) || known.kept_for !== null) return null;
    let wanted: Edit | null;
    try {
      wanted = edit(known);
    } catch {
      return null; // Decided again on the stored row, where the refusal is final.
    }
    if (wanted === null || wanted.kind === 'reconsider') return null;
    try {
      return await this.optimistic(ctx, tenant, known, wanted);
    } catch (error) {
      if (error instanceof DocumentTooLarge) return null; // Another process may have made the document smaller.
      throw error;
    }
  }

  async caseOf(
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
      keptFor: edit.keptFor === undefined ? row.kept_for : edit.keptFor,
      named,
    };
    const discarding = edit.kind === 'discard' ? { discardedRole: edit.discardedRole } : {};
    return { ...about, ...discarding, released: releasedIn(about, edit) };
  }
}

/** Returns whether a directory wrote the edit, in contrast to a decision about stored data. */
function isDirectorys({ kind }: Edit): boolean {
  return kind === 'change' || kind === 'link';
}
