import type { StoredDocument } from '../stored-document.js';

/** A group as a write wants it, without its members. */
export interface GroupDraft {
  document: StoredDocument;
  displayName: string;
  displayNameKey: string;
  externalId: string | null;
}
