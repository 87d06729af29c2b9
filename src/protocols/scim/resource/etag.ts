/**
 * Returns the entity tag of a version (RFC 7644 §3.14). The tag is weak, since a resource has several JSON forms.
 *
 * @param version the version number of the stored resource
 * @param related a short hash of the parts that come from other resources; '' when there are none
 */
export function etagOf(version: number, related = ''): string {
  return related === '' ? `W/"${version}"` : `W/"${version}-${related}"`;
}

/** Returns whether `If-Match` allows the request (RFC 9110 §13.1.1). Without the header it does. */
export function matchesIfMatch(header: string | undefined, etag: string): boolean {
  return header === undefined || names(header, etag);
}

/** Returns whether `If-None-Match` names the current version: 304 for a read, 412 for a write (RFC 9110 §13.1.2). */
export function matchesIfNoneMatch(header: string | undefined, etag: string): boolean {
  return header !== undefined && names(header, etag);
}

/**
 * Returns whether a header names a tag: `*`, or a list of tags. The comparison is weak: our tags are weak, and clients
 * may drop the `W/`.
 */
function names(header: string, etag: string): boolean {
  const text = header.trim();
  if (text === '*') return true;
  const opaque = etag.slice(etag.indexOf('"'));
  // A tag contains no quotes, so every second part between quotes is a tag.
  const pieces = text.split('"');
  for (let i = 1; i < pieces.length - 1; i += 2) {
    if (`"${pieces[i]}"` === opaque) return true;
  }
  return false;
}
