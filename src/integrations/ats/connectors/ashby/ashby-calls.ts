import { codeIn } from '../../api/ats-answer.rules.js';
import { AtsFailure, type AtsAnswer, type AtsApi } from '../../api/ats-api.js';
import { listOf, objectOf, textOf, unexpected, type RemoteObject, allRows } from '../remote-json.js';

export const ASHBY = 'Ashby';

export const LIMIT = 100;

/** Ashby versions its API by this header. */
const HEADERS = { accept: 'application/json; version=1' };

interface AshbyPage {
  rows: readonly unknown[];
  next: string | null;
  syncToken: string | null;
}

/** Ashby answers a failure with status 200 and `success: false`, and a wrong key with 403. */
export function judgeAshbyAnswer({ status, json }: AtsAnswer): void {
  const code = codeOf(json);
  if (status === 403 && code !== 'missing_endpoint_permission') {
    throw new AtsFailure('refused', 'key_refused', 'Ashby refuses the API key.');
  }
  if (status >= 300 || objectOf(json)?.['success'] !== false) return;
  const message = `Ashby refuses the call${code === null ? '' : ` (${code})`}.`;
  if (code === null) throw new AtsFailure('rejected', 'refused_by_ats', message);
  if (/not_found$/.test(code)) throw new AtsFailure('not_found', code, message);
  if (/permission|unauthorized|forbidden/.test(code)) throw new AtsFailure('forbidden', code, message);
  if (/rate_limit|too_many/.test(code)) throw new AtsFailure('away', 'rate_limited', message);
  throw new AtsFailure('rejected', code, message);
}

export async function resultsOf(api: AtsApi, name: string, json: object): Promise<unknown> {
  const answer = await api.call({ method: 'POST', path: `/${name}`, json, headers: HEADERS });
  const body = objectOf(answer.json);
  if (body?.['success'] !== true) throw unexpected(ASHBY, 'word of success');
  return body['results'];
}

/** Reads one record; null when Ashby has none. */
export async function ashbyRecord(api: AtsApi, name: string, json: object): Promise<RemoteObject | null> {
  try {
    const record = objectOf(await resultsOf(api, name, json));
    if (record === null) throw unexpected(ASHBY, 'record');
    return record;
  } catch (error) {
    if (error instanceof AtsFailure && error.kind === 'not_found') return null;
    throw error;
  }
}

/** Reads one page of a list. Without its expired sync token the whole list is read. */
export async function ashbyPage(
  api: AtsApi,
  name: string,
  from: { cursor: string | null; syncToken: string | null },
  more: object = {},
): Promise<AshbyPage> {
  const { cursor, syncToken } = from;
  const json = {
    limit: LIMIT,
    ...more,
    ...(cursor === null ? {} : { cursor }),
    ...(syncToken === null ? {} : { syncToken }),
  };
  try {
    const answer = await api.call({ method: 'POST', path: `/${name}`, json, headers: HEADERS });
    return pageIn(objectOf(answer.json));
  } catch (error) {
    const isExpired = error instanceof AtsFailure && error.kind === 'rejected' && /sync_?token/i.test(error.reason);
    if (syncToken === null || cursor !== null || !isExpired) throw error;
    return ashbyPage(api, name, { cursor, syncToken: null }, more);
  }
}

export function ashbyRows(api: AtsApi, name: string, more: object): Promise<unknown[]> {
  return allRows(ASHBY, (cursor) => ashbyPage(api, name, { cursor, syncToken: null }, more));
}

function pageIn(body: RemoteObject | null): AshbyPage {
  if (body?.['success'] !== true || !Array.isArray(body['results'])) throw unexpected(ASHBY, 'list of records');
  const hasMore = body['moreDataAvailable'] === true;
  const next = textOf(body['nextCursor']);
  if (hasMore && next === null) throw unexpected(ASHBY, 'place of the next page');
  return { rows: listOf(body['results']), next: hasMore ? next : null, syncToken: textOf(body['syncToken']) };
}

function codeOf(json: unknown): string | null {
  return codeIn(objectOf(objectOf(json)?.['errorInfo'])) ?? codeIn(json);
}
