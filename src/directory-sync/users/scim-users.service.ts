import { ENTERPRISE_URN } from '../../scim/urns.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { AnswerShare } from '../../base/http/answer-budget.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { LinkedBy } from '../../identity/adoption.rules.js';
import { applyPatch, type PatchOperation } from '../../scim/patch/apply.js';
import { readResource } from '../../scim/resource/coerce.js';
import { sameJson } from '../../scim/resource/equal.js';
import { matchesIfMatch } from '../../scim/resource/etag.js';
import { parseProjection, projectionNeeds } from '../../scim/resource/project.js';
import { USER_TYPE } from '../../scim/schema/resource-types.js';
import { draftOf, type UserDocument } from '../../users/user.mapping.js';
import { RESOURCE_FACTS, type UserRow } from '../../users/user.row.js';
import { RELATIONS, type Relations } from '../../users/user-relations.js';
import { UsersService, type AfterWrite, type Edit } from '../../users/users.service.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';
import { joinAwaited } from '../../users/groups/pending-members.js';
import { PageMarks } from '../page-marks.js';
import type { ListColumns } from '../page-sql.js';
import { PreviewEditing } from '../preview/preview-editing.js';
import { previewTable } from '../preview/preview-table.js';
import { listText, type ListAsk, type ListTable } from '../resource-list.js';
import { MembershipReview, type Review } from '../roles/membership-review.js';
import { PreconditionFailed } from '../scim.refusals.js';
import { USER_COLUMN_MAP, USER_KEYS } from './user.columns.js';
import { UnknownRoles } from './unknown-roles.js';
import { userTag, type StoredUser, type View } from './user-resource.js';

/** What of a request, beside its body, a write has to know. */
export interface RequestFacts {
  requestId: string;
  receivedAt: Date;
  ifMatch: string | undefined;
  /** What the answer may hold. */
  share: AnswerShare;
  /** Notes in the request log that the write linked a user, and by what. */
  linked?: (by: LinkedBy) => void;
  /** Of a group: does the answer show its members? */
  withMembers?: boolean;
}

const COLUMNS = `u.id, u.doc::text as doc, extract(epoch from u.created_at)::float8 * 1000 as created_at, ${RESOURCE_FACTS}`;

const listColumns = (relations: string): ListColumns => ({
  found: `u.id, u.doc, coalesce(u.doc_bytes, octet_length(u.doc::text)) as doc_bytes,
    extract(epoch from u.created_at)::float8 * 1000 as created_at, ${RESOURCE_FACTS}, ${relations}`,
  bytes: 'a.doc_bytes + coalesce(octet_length(a.groups), 0)',
  shown: `c.id, case when c.fits then c.doc::text end as doc, c.revision, c.created_at, c.modified_at,
    case when c.fits then c.groups end as groups, c.manager`,
});

const TABLE: ListTable = {
  type: USER_TYPE,
  map: USER_COLUMN_MAP,
  from: 'users u',
  id: 'u.id',
  // `case` keeps the planner from believing that hardly anybody is visible: it would then read all of the tenant and
  // sort, where walking along the key gives the page at once.
  visible: `u.tenant_id = $1 and case when u.gone_at is null then coalesce(u.directory_id, '') = any($2) else false end`,
  total: `(select (coalesce((select sum(n) from population p where p.tenant_id = $1 and p.owner = any($2)), 0)
    + coalesce((select sum(step) from population_steps s where s.tenant_id = $1 and s.owner = any($2)), 0))::int)`,
  keys: USER_KEYS,
};

const PREVIEW_TABLE = previewTable(TABLE);

function tableFor({ writing }: CurrentDirectory): ListTable {
  return writing.state === 'preview' ? PREVIEW_TABLE : TABLE;
}

/** What belongs to the write by which somebody comes into a directory, and what it came to. */
interface Arrival {
  afterWrite: AfterWrite;
  joined: string[];
  review: Review | null;
}

/** SCIM Users: what the protocol asks, in terms of the one record that every door changes. */
@Injectable()
export class ScimUsersService {
  private readonly marks = new PageMarks();

  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly review: MembershipReview,
    private readonly previews: PreviewEditing,
    private readonly unknownRoles: UnknownRoles,
  ) {}

  /** How the people of a list or an answer look to a directory. */
  viewOf(directory: CurrentDirectory): View {
    return { baseUrl: directory.scimBase, directoryId: directory.id };
  }

  /** The entity tag of a user as the directory sees it. */
  tagFor(directory: CurrentDirectory, row: Pick<StoredUser, 'revision'> & Relations): string {
    return userTag(row, { directoryId: directory.id });
  }

  /** 201 also where the draft was linked with somebody who was there: the id stays (contract §3). */
  async create(directory: CurrentDirectory, body: unknown, request: RequestFacts): Promise<StoredUser> {
    const doc = readResource(USER_TYPE, body, directory.dialect);
    doc['active'] ??= true;
    const draft = draftOf(doc, directory.writing.attributeMap);
    const context = writeContext(directory, request.requestId, request.receivedAt);
    const arrival = this.arrivalIn(directory);
    const { row, outcome, linkedBy } = await this.users.create(context, draft, null, {
      afterLink: arrival.afterWrite,
      inPreview: (tx, userId, by) =>
        this.previews.keepMatch(directory, draft, { tx, userId, by, source: context.source }),
    });
    this.unknownRoles.look(directory, row.id, draft.roles);
    if (outcome === 'previewed') return this.read(directory, row.id);
    if (linkedBy !== undefined) request.linked?.(linkedBy);
    return outcome === 'linked' ? this.arrived(directory, row, arrival, request) : row;
  }

  /** PUT: the whole resource (RFC 7644 §3.5.1). What the client leaves out is unassigned; `active` stays as it was. */
  async replace(directory: CurrentDirectory, id: string, body: unknown, request: RequestFacts): Promise<StoredUser> {
    const doc = readResource(USER_TYPE, body, directory.dialect);
    return this.edit(directory, id, request, (before) => ({
      ...doc,
      active: doc['active'] ?? before['active'] ?? true,
    }));
  }

  /** PATCH (RFC 7644 §3.5.2): all operations, or none. */
  async patch(
    directory: CurrentDirectory,
    id: string,
    operations: PatchOperation[],
    request: RequestFacts,
  ): Promise<StoredUser> {
    return this.edit(directory, id, request, (before) => {
      const { resource, changed } = applyPatch(USER_TYPE, before, operations, directory.dialect);
      return changed ? resource : null;
    });
  }

  private async edit(
    directory: CurrentDirectory,
    id: string,
    request: RequestFacts,
    next: (before: UserDocument) => UserDocument | null,
  ): Promise<StoredUser> {
    const { requestId } = request;
    const check = this.versionCheck(directory, request);
    if (await this.previews.edit(directory, id, { requestId, check, next })) return this.read(directory, id);
    const context = writeContext(directory, requestId, request.receivedAt);
    const arrival = this.arrivalIn(directory);
    let [comesIn, roles]: [boolean, readonly string[]] = [false, []];
    const { row, outcome } = await this.users.change(
      context,
      id,
      this.visibleTo(directory),
      (row): Edit | null => {
        check(row);
        const before = JSON.parse(row.doc) as UserDocument;
        const after = next({ id: row.id, ...before });
        if (after === null) return null;
        delete after['id'];
        const mine = row.directory_id === directory.id;
        if (mine && sameJson(before, after)) return null;
        if (directory.writing.superseded) return null; // answered, and without effect (contract §4)
        comesIn = !mine;
        const draft = draftOf(after, directory.writing.attributeMap);
        ({ roles } = draft);
        if (mine) return { kind: 'change', draft };
        return { kind: 'link', draft, directoryId: directory.id, by: 'id', afterWrite: arrival.afterWrite };
      },
      request.ifMatch !== undefined,
    );
    this.unknownRoles.look(directory, id, roles);
    if (comesIn && outcome === 'changed') request.linked?.('id');
    return comesIn && outcome === 'changed' ? this.arrived(directory, row, arrival, request) : row;
  }

  /** Somebody who was there becomes this directory's, and in the same write joins the groups that waited for them. */
  private arrivalIn(directory: CurrentDirectory): Arrival {
    const arrival: Arrival = {
      joined: [],
      review: null,
      afterWrite: async (tx, id) => {
        arrival.review = null;
        // Written now, and no longer only kept.
        await this.previews.forget(directory, id, tx);
        arrival.joined = await joinAwaited(tx, directory.tenantId, directory.id, id);
        for (const group of arrival.joined) arrival.review ??= await this.review.note(tx, directory, group, [id]);
      },
    };
    return arrival;
  }

  private async arrived(
    directory: CurrentDirectory,
    row: StoredUser,
    { joined, review }: Arrival,
    request: RequestFacts,
  ): Promise<StoredUser> {
    if (joined.length === 0) return row;
    await this.review.now(directory, review, request.requestId);
    return this.read(directory, row.id);
  }

  /** 204; 404 the second time. */
  async remove(directory: CurrentDirectory, id: string, request: RequestFacts): Promise<void> {
    if (directory.writing.superseded) {
      requireVersion(this.tagFor(directory, await this.read(directory, id)), request.ifMatch);
      return; // answered, and without effect (contract §4)
    }
    const check = this.versionCheck(directory, request);
    if (await this.previews.remove(directory, id, { requestId: request.requestId, check })) return;
    const context = writeContext(directory, request.requestId, request.receivedAt);
    await this.users.remove(context, id, { visible: this.visibleTo(directory), check });
  }

  async read(directory: CurrentDirectory, id: string): Promise<StoredUser> {
    const { rows } = await this.db.query<StoredUser>(
      `select ${COLUMNS}, ${RELATIONS} from ${tableFor(directory).from}
       where ${TABLE.visible} and u.id = $3`,
      [directory.tenantId, directory.owners, id],
    );
    if (!rows[0]) throw new NotFound('user');
    return rows[0];
  }

  /** A ListResponse as text (RFC 7644 §3.4.2). `render` writes one resource. */
  async list(ask: ListAsk, render: (row: StoredUser) => string): Promise<string> {
    const { query } = ask;
    const projection = parseProjection(USER_TYPE, query.attributes, query.excludedAttributes);
    const needed = ['groups', 'meta', ENTERPRISE_URN].some((name) => projectionNeeds(projection, name));
    const relations = needed ? RELATIONS : 'null::text as groups, null::text as manager';
    return listText(this.db, tableFor(ask.directory), ask, this.marks, { columns: listColumns(relations), render });
  }

  /** Refuses a user whose version is not the one that the client saw (RFC 7644 §3.14). */
  private versionCheck(directory: CurrentDirectory, { ifMatch }: RequestFacts) {
    return (row: Pick<StoredUser, 'revision'> & Relations) => requireVersion(this.tagFor(directory, row), ifMatch);
  }

  private visibleTo(directory: CurrentDirectory): (row: UserRow) => boolean {
    return (row) => directory.owners.includes(row.directory_id ?? '');
  }
}

/** `If-Match` (RFC 7644 §3.14): 412 unless the client saw the version that is stored. */
export function requireVersion(tag: string, ifMatch: string | undefined): void {
  if (!matchesIfMatch(ifMatch, tag)) throw new PreconditionFailed();
}
