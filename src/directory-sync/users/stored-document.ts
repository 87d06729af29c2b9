import { DomainError } from '../../base/errors/domain-error.js';

/** The largest stored document of a user or a group, in bytes of UTF-8 JSON. The members of a group are rows and do not count. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;

/** A document in the form in which it is stored. */
export interface StoredDocument {
  /** JSON text. */
  readonly text: string;
  /** Its length in bytes of UTF-8. */
  readonly bytes: number;
}

/** A write that would store a document over the limit: 422 in the API, 400 `invalidValue` in SCIM (RFC 7644 §3.12). */
export class DocumentTooLarge extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'document_too_large';
  constructor(bytes: number) {
    super(
      `The record would have ${bytes} bytes as JSON after this write, and a stored record has at most ` +
        `${MAX_DOCUMENT_BYTES}. Nothing was changed. Send shorter or fewer values.`,
      { members: { limit: MAX_DOCUMENT_BYTES, bytes } },
    );
  }
}

/**
 * Makes the stored form of a document. Every write of a user or a group passes here, so that none goes over the limit.
 *
 * @param document the document without `id`, `meta`, `groups` and `members`
 * @param before the stored text that it replaces; null: there is none. A document that is over the limit already may
 *   shrink or stay as it is, else its record could not even be deactivated.
 * @throws {DocumentTooLarge} when the document is over the limit and larger than before
 */
export function storedDocument(document: object, before: string | null): StoredDocument {
  const text = JSON.stringify(document);
  const bytes = Buffer.byteLength(text);
  const measured = bytes + roomForActive(document);
  if (measured > MAX_DOCUMENT_BYTES && measured > sizeBefore(before)) throw new DocumentTooLarge(measured);
  return { text, bytes };
}

/** The size of a stored text in the form in which it would be written now: the database adds blanks to it. */
function sizeBefore(before: string | null): number {
  if (before === null) return 0;
  const document = JSON.parse(before) as object;
  return Buffer.byteLength(JSON.stringify(document)) + roomForActive(document);
}

/** What `"active":false` would add. It is counted in advance: a full document must not keep a leaver from going. */
function roomForActive({ active }: { active?: unknown }): number {
  if (active === undefined) return ',"active":false'.length;
  return active === true ? 1 : 0;
}
