/**
 * The entity tag of a version (RFC 7644 §3.14); weak, since the same resource may be written in several ways.
 *
 * @param version the number of the stored resource's version
 * @param related a short hash of what the resource shows of other resources; '' when it shows nothing of them
 */
export function etagOf(version: number, related = ''): string {
  return related === '' ? `W/"${version}"` : `W/"${version}-${related}"`;
}

/** Whether `If-Match` lets the request pass (RFC 9110 §13.1.1). No header: it does. */
export function matchesIfMatch(header: string | undefined, etag: string): boolean {
  return header === undefined || names(header, etag);
}

/** Whether `If-None-Match` names the current version: 304 for a read, 412 for a write (RFC 9110 §13.1.2). */
export function matchesIfNoneMatch(header: string | undefined, etag: string): boolean {
  return header !== undefined && names(header, etag);
}

/** `*` names every version; else a list of tags. Compared weakly: our tags are weak, clients may drop the `W/`. */
function names(header: string, etag: string): boolean {
  const text = header.trim();
  if (text === '*') return true;
  const opaque = etag.slice(etag.indexOf('"'));
  // A tag holds no quotes, so every second piece between quotes is a tag.
  const pieces = text.split('"');
  for (let i = 1; i < pieces.length - 1; i += 2) {
    if (`"${pieces[i]}"` === opaque) return true;
  }
  return false;
}
