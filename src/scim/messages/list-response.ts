import { LIST_RESPONSE_URN } from '../urns.js';

export interface ListResponse {
  /** All matches, not just this page. May be left out with cursors (RFC 9865 §2). */
  readonly totalResults?: number;
  /** Left out when the pages are turned by cursor. */
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  /** The resources as JSON texts: they come from the database as text and are not parsed on their way out. */
  readonly resources: readonly string[];
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** The body of a list answer (RFC 7644 §3.4.2) as JSON text. `Resources` is there even when it is empty. */
export function listResponseText(list: ListResponse): string {
  let text = `{"schemas":["${LIST_RESPONSE_URN}"]`;
  if (list.totalResults !== undefined) text += `,"totalResults":${list.totalResults}`;
  if (list.startIndex !== undefined) text += `,"startIndex":${list.startIndex}`;
  text += `,"itemsPerPage":${list.itemsPerPage}`;
  if (list.nextCursor !== undefined) text += `,"nextCursor":${JSON.stringify(list.nextCursor)}`;
  if (list.previousCursor !== undefined) text += `,"previousCursor":${JSON.stringify(list.previousCursor)}`;
  return `${text},"Resources":[${list.resources.join(',')}]}`;
}
