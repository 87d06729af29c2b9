import { Injectable } from '@nestjs/common';
import { InvalidFields, NotFound } from '../base/errors/domain-error.js';
import { sourceOf, type Caller } from '../tenants/caller.js';
import { TenantStore } from '../tenants/tenant.store.js';
import { roleNames } from '../identity/role.rules.js';
import type { CreateUser, ChangeUser } from './user.dto.js';
import { documentOf, draftOf, withFields, type UserDocument, type UserDraft } from './user.mapping.js';
import type { UserRow } from './user.row.js';
import { UserDirectoryRepository, type NamedUser } from './user-directory.repository.js';
import { ManagedByDirectory } from './users.errors.js';
import { UsersService, type Edit } from './users.service.js';
import { WritingDirectories } from './writing-directories.js';
import type { WriteContext, WritingDirectory } from './write-context.js';

const IDENTITY = ['email', 'first_name', 'last_name', 'external_id', 'status'] as const;

/** The users API's way to people: plain fields in, one writer per field (contract §3). */
@Injectable()
export class PeopleService {
  constructor(
    private readonly users: UsersService,
    private readonly repository: UserDirectoryRepository,
    private readonly directories: WritingDirectories,
    private readonly tenants: TenantStore,
  ) {}

  async get(tenantId: string, id: string): Promise<NamedUser> {
    const row = await this.repository.one(tenantId, id);
    if (!row) throw new NotFound('user');
    return row;
  }

  /** Throws `InvalidFields` for an unknown role, `Taken` for an e-mail or key that is somebody else's. */
  async create(caller: Caller, body: CreateUser, receivedAt: Date): Promise<NamedUser> {
    await this.requireRole(caller.tenantId, body.role);
    const doc = documentOf({
      userName: body.email,
      email: body.email,
      first_name: body.first_name,
      last_name: body.last_name,
      external_id: body.external_id ?? null,
      active: body.status !== 'inactive',
    });
    const { row } = await this.users.create(contextOf(caller, null, receivedAt), draftOf(doc), body.role ?? 'User');
    return this.get(caller.tenantId, row.id);
  }

  /** Changes what is named; naming a field as it is already changes nothing and is always allowed. */
  async change(caller: Caller, id: string, body: ChangeUser, receivedAt: Date): Promise<NamedUser> {
    const before = await this.get(caller.tenantId, id);
    await this.requireRole(caller.tenantId, body.role);
    const directory = await this.directoryOf(caller.tenantId, before);
    const mayWrite = directory === null || (await this.apiMayWrite(caller.tenantId));
    await this.users.change(
      contextOf(caller, directory, receivedAt),
      id,
      () => true,
      (row) => {
        const edit = editOf(row, body, directory);
        if (edit !== null && !mayWrite) refuseManaged(edit.fields, row, directory);
        return edit;
      },
    );
    return this.get(caller.tenantId, id);
  }

  /** Creates or updates by the caller's own key. Answers whether it was created. */
  async put(
    caller: Caller,
    externalId: string,
    body: CreateUser,
    receivedAt: Date,
  ): Promise<{ row: NamedUser; created: boolean }> {
    if (body.external_id !== undefined && body.external_id !== externalId) {
      throw new InvalidFields([{ field: 'external_id', message: 'must be the one in the address' }]);
    }
    const known = await this.repository.byExternalId(caller.tenantId, externalId);
    if (!known) {
      return { row: await this.create(caller, { ...body, external_id: externalId }, receivedAt), created: true };
    }
    // An alias finds the person, and does not become their key again.
    const { external_id: _, ...rest } = body;
    return { row: await this.change(caller, known.id, rest, receivedAt), created: false };
  }

  async remove(caller: Caller, id: string, receivedAt: Date): Promise<void> {
    const row = await this.get(caller.tenantId, id);
    const directory = await this.directoryOf(caller.tenantId, row);
    const context = contextOf(caller, directory, receivedAt);
    if (directory !== null && !(await this.apiMayWrite(caller.tenantId))) {
      throw new ManagedByDirectory({ id: directory.id, name: row.directory_name ?? '' }, ['status']);
    }
    await this.users.remove(context, id, () => true);
  }

  private async directoryOf(tenantId: string, row: UserRow): Promise<WritingDirectory | null> {
    return row.directory_id === null ? null : this.directories.get(tenantId, row.directory_id);
  }

  private async apiMayWrite(tenantId: string): Promise<boolean> {
    return (await this.tenants.get(tenantId)).apiMayWriteDirectoryUsers;
  }

  private async requireRole(tenantId: string, role: string | undefined): Promise<void> {
    if (role === undefined) return;
    const { roles } = await this.tenants.get(tenantId);
    if (roles.has(role)) return;
    const known = [...roles.keys()].sort().join(', ');
    throw new InvalidFields([{ field: 'role', message: `must be one of: ${known}` }]);
  }
}

function editOf(
  row: UserRow,
  body: ChangeUser,
  directory: WritingDirectory | null,
): (Edit & { fields: string[] }) | null {
  const fields = changedFields(row, body);
  if (fields.length === 0) return null;
  const draft = draftOf(withFields(JSON.parse(row.doc) as UserDocument, body), directory?.attributeMap);
  if (directory === null) keepUnnamed(draft, row, body);
  return { fields, draft, ...(body.role === undefined ? {} : { roleSet: body.role }) };
}

/**
 * A merge patch leaves alone what it does not name. What is in force need not be what the resource alone would give:
 * a directory that is gone may have taken the names from elsewhere.
 */
function keepUnnamed(draft: UserDraft, row: UserRow, body: ChangeUser): void {
  if (body.email === undefined) draft.email = row.email;
  if (body.external_id === undefined) draft.key = row.person_external_id;
  if (body.first_name === undefined) draft.firstName = row.first_name;
  if (body.last_name === undefined) draft.lastName = row.last_name;
}

/** One writer per field: the role is the directory's only where its rules or `roles` give one. */
function refuseManaged(fields: string[], row: UserRow, directory: WritingDirectory): void {
  const doc = JSON.parse(row.doc) as UserDocument;
  const givesRoles = roleNames(doc['roles'] as { value?: unknown }[] | undefined).length > 0 || directory.hasRules;
  const theirs = fields.filter((field) => field !== 'role' || givesRoles);
  if (theirs.length > 0) throw new ManagedByDirectory({ id: directory.id, name: directory.name }, theirs);
}

function changedFields(row: UserRow, body: ChangeUser): string[] {
  const now: Record<string, unknown> = {
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    external_id: row.person_external_id,
    status: row.status,
    role: row.role,
  };
  const sent = body as Record<string, unknown>;
  return [...IDENTITY, 'role'].filter((field) => sent[field] !== undefined && sent[field] !== now[field]);
}

function contextOf(caller: Caller, directory: WritingDirectory | null, receivedAt: Date): WriteContext {
  return { tenantId: caller.tenantId, door: 'api', directory, source: sourceOf(caller), receivedAt };
}
