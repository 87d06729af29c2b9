import type { Database } from '../../../base/database/database.js';
import { isOfOneRow, tooManyGathered } from '../../../base/database/database.errors.js';
import { LOCK_SECONDS } from '../../../base/database/shares.js';
import { LOCK_PATIENCE } from '../../../base/database/statement-batches.js';
import { textArray } from '../../../base/database/params.js';
import { Gatherer, WorkAlone } from '../../../base/gatherer.js';
import type { Member } from '../../../protocols/scim/patch/group-plan.js';
import type { GroupDraft } from './group-draft.js';
import type { GroupRow } from './group.row.js';
import { isGroupId } from './group-locks.js';
import { INSERT_GROUPS } from './new-groups.sql.js';

/** A group that is to be made. */
export interface NewGroup {
  tenantId: string;
  directoryId: string;
  /** The directories whose users are seen. */
  owners: readonly string[];
  id: string;
  draft: GroupDraft;
  /** An id may come twice. */
  members: readonly Member[];
  /** When it is made, by the clock of this process. */
  at: Date;
}

/** What a member counts beside its name: two thousand members fill a statement. */
const MEMBER_BYTES = 512;

/**
 * Makes groups. Those of concurrent requests to one directory are made by one statement. A group with groups as members
 * is made alone: it waits for their locks.
 */
export class GroupCreations {
  private readonly gatherer: Gatherer<NewGroup, GroupRow | undefined>;

  constructor(private readonly db: Database) {
    this.gatherer = new Gatherer<NewGroup, GroupRow | undefined>({
      alone: (group) => this.alone(group),
      together: (groups) => this.together(groups),
      // Two groups of one name never share a statement: each needs an answer of its own.
      keyOf: ({ draft }) => draft.displayNameKey,
      bytesOf: ({ draft, members }) =>
        members.reduce((sum, { display }) => sum + MEMBER_BYTES + (display?.length ?? 0), draft.document.bytes),
      busy: tooManyGathered,
    });
  }

  /** Makes a group; undefined: another group of the directory has its name. */
  make(group: NewGroup): Promise<GroupRow | undefined> {
    const { tenantId, directoryId, owners, members } = group;
    if (members.some(({ value }) => isGroupId(value))) return this.alone(group);
    return this.gatherer.run(JSON.stringify([tenantId, directoryId, owners]), group);
  }

  private async alone(group: NewGroup): Promise<GroupRow | undefined> {
    return (await this.db.query<GroupRow>(INSERT_GROUPS, valuesOf([group], `${LOCK_SECONDS}s`))).rows[0];
  }

  private async together(groups: readonly NewGroup[]): Promise<(GroupRow | undefined)[]> {
    try {
      const { rows } = await this.db.queryOnce<GroupRow>(INSERT_GROUPS, valuesOf(groups, LOCK_PATIENCE));
      const made = new Map(rows.map((row) => [row.id, row]));
      return groups.map(({ id }) => made.get(id));
    } catch (error) {
      if (isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
  }
}

function valuesOf(groups: readonly NewGroup[], patience: string): unknown[] {
  const { tenantId, directoryId, owners } = groups[0]!;
  const members = groups.flatMap((group, i) =>
    group.members.map(({ value, display }) => ({ n: i + 1, value, display })),
  );
  return [
    tenantId,
    directoryId,
    textArray(owners),
    textArray(groups.map(({ id }) => id)),
    textArray(groups.map(({ draft }) => draft.document.text)),
    textArray(groups.map(({ draft }) => draft.displayName)),
    textArray(groups.map(({ draft }) => draft.displayNameKey)),
    textArray(groups.map(({ draft }) => draft.externalId)),
    groups.map(({ at }) => at),
    groups.map(({ draft }) => draft.document.bytes),
    members.map(({ n }) => n),
    textArray(members.map(({ value }) => value)),
    textArray(members.map(({ display }) => display ?? null)),
    patience,
  ];
}
