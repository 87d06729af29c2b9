import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { AnswerShare } from '../../../base/http/answer-budget.js';
import { newId } from '../../../base/ids.js';
import { applyPatch, type PatchOperation } from '../../../protocols/scim/patch/apply.js';
import {
  type Member,
  type MemberEdit,
  planGroupPatch,
  type GroupPatchPlan,
} from '../../../protocols/scim/patch/group-plan.js';
import { readResource } from '../../../protocols/scim/resource/coerce.js';
import { sameJson } from '../../../protocols/scim/resource/equal.js';
import { etagOf } from '../../../protocols/scim/resource/etag.js';
import { parseProjection, projectionNeeds } from '../../../protocols/scim/resource/project.js';
import { type Resource, GROUP_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { uniqueness, tooMany } from '../../../protocols/scim/scim.errors.js';
import { foldCase } from '../../../protocols/scim/text.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { isGroupId, lockForRemoval, lockGroup, memberIdsOf } from '../../users/groups/group-locks.js';
import { type GroupDraft, GROUP_COLUMN_MAP, GROUP_KEYS, type GroupRow } from '../../users/groups/group.row.js';
import { GroupsRepository, type MemberMoves } from '../../users/groups/groups.repository.js';
import { memberBytes, membersColumn, type MemberPart, memberPartsOf } from '../../users/groups/memberships.sql.js';
import { storedDocument, millisecondsSql } from '../../users/user.row.js';
import { PageMarks, type ListAsk } from '../page-reader.js';
import type { ListTable, ListColumns } from '../page-sql.js';
import { listText } from '../resource-list.js';
import { MembershipReview, type Review } from '../role-tasks/membership-review.js';
import { type CurrentDirectory, type RequestFacts, requireVersion } from '../scim-request.js';

/**
 * `before` is the stored document; null for a new group.
 *
 * @throws {DocumentTooLarge} when its attributes are over the limit and larger than before
 */
function splitGroup(resource: Resource, before: string | null): { draft: GroupDraft; members: Member[] } {
  const { members, id: _, ...attributes } = resource;
  const displayName = attributes['displayName'] as string;
  return {
    draft: {
      document: storedDocument(attributes, before),
      displayName,
      displayNameKey: foldCase(displayName),
      externalId: (attributes['externalId'] as string | undefined) ?? null,
    },
    members: (members as Member[] | undefined) ?? [],
  };
}

function nameTaken(draft: GroupDraft) {
  return uniqueness(`Another group of this directory has the name "${draft.displayName.slice(0, 200)}".`);
}

export function idsOf(members: readonly Member[]): string[] {
  return members.map((member) => member.value);
}

function addedBy(edit: MemberEdit): string[] {
  return edit.kind === 'add' || edit.kind === 'replace' ? idsOf(edit.members) : [];
}

const GROUP_TABLE: ListTable = {
  type: GROUP_TYPE,
  map: GROUP_COLUMN_MAP,
  from: 'groups g',
  id: 'g.id',
  visible: `g.tenant_id = $1 and g.directory_id = ($2::text[])[1]`,
  visibleById: `g.tenant_id = $1 and coalesce(g.directory_id, '') = ($2::text[])[1]`,
  keys: GROUP_KEYS,
};

/** About 200 000 members. */
const MAX_MEMBERS_BYTES = 32 * 1024 * 1024;

/** `parts` are the attributes that are shown of each member; null when the groups are shown without members. */
function groupColumns(parts: readonly MemberPart[] | null): ListColumns {
  const facts = `g.id, g.doc, coalesce(g.doc_bytes, octet_length(g.doc::text)) as doc_bytes, g.version,
    ${millisecondsSql('g.created_at')} as created_at,
    ${millisecondsSql('g.updated_at')} as updated_at`;
  const shown = `c.id, case when c.fits then c.doc::text end as doc, c.version, c.created_at, c.updated_at`;
  if (parts === null) return { found: facts, bytes: 'a.doc_bytes', shown: `${shown}, null as members` };
  return {
    found: facts,
    bytes: 'a.doc_bytes',
    related: memberBytes('a.id'),
    shown: `${shown}, case when c.fits and not c.large then ${membersColumn('c.id', parts)} end as members`,
  };
}

function tooManyMembers(id: string) {
  return tooMany(
    `The members of group ${id} are more than the ${MAX_MEMBERS_BYTES} bytes that an answer can hold. ` +
      'Use excludedAttributes=members, or search the users with the filter groups.value eq "' +
      `${id}".`,
  );
}

/** SCIM groups. Memberships are rows of their own, so a change of one member does not read the others. */
@Injectable()
export class ScimGroupsService {
  private readonly marks = new PageMarks();

  constructor(
    private readonly db: Database,
    private readonly repository: GroupsRepository,
    private readonly review: MembershipReview,
    private readonly storage: TenantStorage,
  ) {}

  async create(directory: CurrentDirectory, body: unknown, request: RequestFacts): Promise<GroupRow> {
    this.storage.demandRoom(directory.tenantId);
    const { draft, members } = splitGroup(readResource(GROUP_TYPE, body, directory.dialect), null);
    const id = newId('grp');
    const { tenantId, id: directoryId, owners } = directory;
    // No group rule can name a group before it exists, so no role changes.
    const row = await this.repository.insert({ tenantId, directoryId, owners, id, draft, members, at: new Date() });
    if (row === undefined) throw nameTaken(draft);
    request.done?.({ outcome: 'created', groupId: id });
    // An answer with very many members is read again with a share of the memory.
    return row.members_bytes == null ? row : this.stored(directory, id, request);
  }

  /** Replaces name and members (PUT). Without `members` the group is empty afterwards (RFC 7644 §3.5.1). */
  async replace(directory: CurrentDirectory, id: string, body: unknown, request: RequestFacts): Promise<GroupRow> {
    const resource = readResource(GROUP_TYPE, body, directory.dialect);
    const review = await this.db.transaction(directory.tenantId, async (tx) => {
      const row = await this.locked(
        tx,
        directory,
        id,
        request,
        idsOf((resource['members'] as Member[] | undefined) ?? []),
      );
      const { draft, members } = splitGroup(resource, row.doc);
      if (this.storage.isExhausted(directory.tenantId)) {
        const known = new Set(await memberIdsOf(tx, directory.tenantId, id));
        const isLess = members.every(({ value }) => known.has(value)) && draft.document.text.length <= row.doc.length;
        if (!isLess) this.storage.demandRoom(directory.tenantId);
      }
      const isSame = sameJson(JSON.parse(row.doc), JSON.parse(draft.document.text));
      if (!isSame) await this.repository.update(tx, directory.tenantId, directory.id, id, draft);
      const moves = await this.repository.replaceMembers(
        tx,
        directory.tenantId,
        directory.id,
        directory.owners,
        id,
        members,
      );
      return this.review.note(tx, directory, id, moves.moved);
    });
    request.done?.({ outcome: 'changed', groupId: id });
    await this.review.now(directory, review, request.requestId);
    return this.stored(directory, id, request);
  }

  /** Changes a group (PATCH, RFC 7644 §3.5.2). An edit that only adds or only removes members is one statement. */
  async patch(
    directory: CurrentDirectory,
    id: string,
    operations: PatchOperation[],
    request: RequestFacts,
  ): Promise<void> {
    const plan = planGroupPatch(operations, directory.dialect);
    if (!onlyRemoves(plan)) this.storage.demandRoom(directory.tenantId);
    const [edit] = plan.memberEdits;
    const plain = plan.attributeOperations.length === 0 && plan.memberEdits.length === 1;
    if (plain && request.ifMatch === undefined && !directory.writing.hasRules && edit!.kind !== 'removeWhere') {
      // One statement locks the users and the group in order. Members that are groups need locks of their own.
      if (edit!.kind === 'remove' || (edit!.kind === 'add' && !addedBy(edit!).some(isGroupId))) {
        const moves = await this.editMembers(this.db, directory, id, edit!);
        if (moves === null) throw new NotFound('group');
        request.done?.({ outcome: 'changed', groupId: id });
        return;
      }
    }
    const review = await this.db.transaction(directory.tenantId, (tx) =>
      this.patchLocked(tx, directory, id, plan, request),
    );
    request.done?.({ outcome: 'changed', groupId: id });
    await this.review.now(directory, review, request.requestId);
  }

  private async patchLocked(
    tx: SqlRunner,
    directory: CurrentDirectory,
    id: string,
    plan: GroupPatchPlan,
    request: RequestFacts,
  ): Promise<Review | null> {
    const row = await this.locked(tx, directory, id, request, plan.memberEdits.flatMap(addedBy));
    if (plan.attributeOperations.length > 0) {
      const before = { id, ...(JSON.parse(row.doc) as Resource) };
      const { resource, changed } = applyPatch(GROUP_TYPE, before, plan.attributeOperations, directory.dialect);
      const { draft } = splitGroup(resource, row.doc);
      if (changed) await this.repository.update(tx, directory.tenantId, directory.id, id, draft);
    }
    const moved: string[] = [];
    for (const edit of plan.memberEdits) {
      const moves = await this.editMembers(tx, directory, id, edit);
      for (const member of moves?.moved ?? []) moved.push(member);
    }
    return this.review.note(tx, directory, id, moved);
  }

  private editMembers(
    db: SqlRunner,
    directory: CurrentDirectory,
    id: string,
    edit: MemberEdit,
  ): Promise<MemberMoves | null> {
    const { tenantId, owners } = directory;
    switch (edit.kind) {
      case 'add':
        return this.repository.addMembers(tenantId, directory.id, owners, id, edit.members, db);
      case 'remove':
        return this.repository.removeMembers(tenantId, directory.id, id, edit.values, db);
      case 'removeWhere':
        return this.repository.removeWhere(db, tenantId, directory.id, id, edit.bound);
      case 'removeAll':
        return this.repository.replaceMembers(db, tenantId, directory.id, owners, id, []);
      case 'replace':
        return this.repository.replaceMembers(db, tenantId, directory.id, owners, id, edit.members);
    }
  }

  async remove(directory: CurrentDirectory, id: string, request: RequestFacts): Promise<void> {
    await this.db.transaction(directory.tenantId, async (tx) => {
      const row = await lockForRemoval(tx, directory.tenantId, directory.id, id);
      if (!row) throw new NotFound('group');
      requireVersion(etagOf(row.version), request.ifMatch);
      // The members are read while the group and its rules exist: they lose the roles of these rules.
      const members = directory.writing.hasRules ? await memberIdsOf(tx, directory.tenantId, id) : [];
      await this.review.note(tx, directory, id, members, false);
      if ((await this.repository.remove(tx, directory.tenantId, directory.id, id)) === null)
        throw new NotFound('group');
    });
    request.done?.({ outcome: 'deleted', groupId: id });
    this.review.wake();
  }

  /**
   * Returns one group.
   *
   * @param share the memory of the answer, for the members; null when the members are not read
   * @param parts the attributes that are shown of each member
   * @throws {ScimRequestError} `tooMany` when its members are more than an answer can hold
   */
  async read(
    directory: CurrentDirectory,
    id: string,
    share: AnswerShare | null,
    parts: readonly MemberPart[] = memberPartsOf(null),
  ): Promise<GroupRow> {
    const row = await this.repository.read(directory.tenantId, directory.id, id, share === null ? null : parts);
    if (!row) throw new NotFound('group');
    const bytes = row.members_bytes ?? null;
    if (share === null || bytes === null) return row;
    if (bytes > MAX_MEMBERS_BYTES) throw tooManyMembers(id);
    await share.grow(bytes);
    return { ...row, members: await this.repository.members(directory.tenantId, id, parts) };
  }

  /** Returns a ListResponse as text (RFC 7644 §3.4.2). `render` writes one resource. */
  async list(ask: ListAsk, render: (row: GroupRow) => string): Promise<string> {
    const { directory, query, share } = ask;
    const projection = parseProjection(GROUP_TYPE, query.attributes, query.excludedAttributes);
    const parts = memberPartsOf(projection);
    const shape = groupColumns(projectionNeeds(projection, 'members') ? parts : null);
    const columns = { few: shape, many: shape };
    const complete = (row: GroupRow) => this.read(directory, row.id, share, parts);
    // A directory never sees the groups of another directory, not even of one that it takes over.
    const own = { ...directory, owners: [directory.id] };
    return listText(this.db, GROUP_TABLE, { ...ask, directory: own }, this.marks, {
      columns,
      complete,
      renderer: () => render,
    });
  }

  private async locked(
    tx: SqlRunner,
    directory: CurrentDirectory,
    id: string,
    request: RequestFacts,
    memberIds: readonly string[],
  ): Promise<GroupRow> {
    const row = await lockGroup(tx, directory.tenantId, directory.id, id, memberIds);
    if (!row) throw new NotFound('group');
    requireVersion(etagOf(row.version), request.ifMatch);
    return row;
  }

  private stored(directory: CurrentDirectory, id: string, request: RequestFacts): Promise<GroupRow> {
    const share = (request.withMembers ?? true) ? request.share : null;
    return this.read(directory, id, share).catch((error: unknown) => {
      if (share === null || error instanceof NotFound) throw error;
      return this.read(directory, id, null);
    });
  }
}

function onlyRemoves({ attributeOperations, memberEdits }: GroupPatchPlan): boolean {
  return attributeOperations.length === 0 && memberEdits.every(({ kind }) => kind.startsWith('remove'));
}
