import { LIST_RESPONSE_URN } from '../urns.js';

/** The values of a ListResponse message (RFC 7644 §3.4.2). */
export interface ListResponse {
  /** All matches, not only those of this page. May be left out with cursors (RFC 9865 §2). */
  readonly totalResults?: number;
  /** Left out for pages by cursor. */
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  /** The resources as JSON texts: the database gives them as text, and they are not parsed. */
  readonly resources: readonly string[];
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** Returns the body of a list answer (RFC 7644 §3.4.2) as JSON text. `Resources` is present even when empty. */
export function listResponseText(list: ListResponse): string {
  let text = `{"schemas":["${LIST_RESPONSE_URN}"]`;
  if (list.totalResults !== undefined) text += `,"totalResults":${list.totalResults}`;
  if (list.startIndex !== undefined) text += `,"startIndex":${list.startIndex}`;
  text += `,"itemsPerPage":${list.itemsPerPage}`;
  if (list.nextCursor !== undefined) text += `,"nextCursor":${JSON.stringify(list.nextCursor)}`;
  if (list.previousCursor !== undefined) text += `,"previousCursor":${JSON.stringify(list.previousCursor)}`;
  const { resources } = list;
  if (resources.length === 0) return `${text},"Resources":[]}`;
  // One call joins all, so that the engine copies each resource once. Text around it would make it copy the whole again.
  const parts = [...resources];
  parts[0] = `${text},"Resources":[${parts[0]}`;
  parts[parts.length - 1] += ']}';
  return parts.join(',');
}
