import { NotAcceptable } from './http.errors.js';

/** The media type of SCIM messages (RFC 7644 §3.1). */
const SCIM_MEDIA_TYPE = 'application/scim+json';

/**
 * Refuses a caller whose Accept header allows none of the media types of an address.
 *
 * @throws {NotAcceptable} 406
 */
export function demandAcceptable(accept: string | undefined, ...types: readonly string[]): void {
  if (accept === undefined || accept === '' || accept.includes('*/*')) return;
  const ranges = rangesOf(accept);
  if (!types.some((type) => weightOf(ranges, type) > 0)) throw new NotAcceptable(types.join(' or '));
}

/**
 * Returns the media type of a SCIM answer: `application/json` for a client that prefers it, else
 * `application/scim+json` (RFC 7644 §3.8). Neither has a charset parameter.
 */
export function scimMediaType(accept: string | undefined): string {
  if (!accept?.toLowerCase().includes('application/json')) return SCIM_MEDIA_TYPE;
  const ranges = rangesOf(accept);
  return weightOf(ranges, 'application/json') > weightOf(ranges, SCIM_MEDIA_TYPE)
    ? 'application/json'
    : SCIM_MEDIA_TYPE;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function rangesOf(accept: string): Range[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}

/** Returns the weight of a type: that of the most precise range that covers it (RFC 9110 §12.5.1); 0: not accepted. */
function weightOf(ranges: readonly Range[], type: string): number {
  for (const range of [type, `${type.split('/')[0]!}/*`, '*/*']) {
    const found = ranges.find((each) => each.type === range);
    if (found !== undefined) return found.weight;
  }
  return 0;
}
