import type { Member, MemberEdit } from '../../../protocols/scim/patch/group-plan.js';
import type { Resource } from '../../../protocols/scim/schema/resource-types.js';
import { uniqueness } from '../../../protocols/scim/scim.errors.js';
import { foldCase } from '../../../protocols/scim/text.js';
import { storedDocument } from '../../users/stored-document.js';
import type { GroupDraft } from '../../users/groups/group-draft.js';

/**
 * Splits a group resource into its document and its members.
 *
 * @param before the stored document that the new one replaces; null: the group is new
 * @throws {DocumentTooLarge} when its attributes are over the limit and larger than before
 */
export function splitGroup(resource: Resource, before: string | null): { draft: GroupDraft; members: Member[] } {
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

/** Returns the refusal for a `displayName` that another group of the directory has (409). */
export function nameTaken(draft: GroupDraft) {
  return uniqueness(`Another group of this directory has the name "${draft.displayName.slice(0, 200)}".`);
}

/** Returns the ids of members. */
export function idsOf(members: readonly Member[]): string[] {
  return members.map((member) => member.value);
}

/** Returns the ids that an edit adds as members. */
export function addedBy(edit: MemberEdit): string[] {
  return edit.kind === 'add' || edit.kind === 'replace' ? idsOf(edit.members) : [];
}
