import { codeIn } from '../../api/ats-answer.rules.js';
import { AtsFailure, type AtsAnswer, type AtsApi } from '../../api/ats-api.js';
import { listOf, objectOf, objectsIn, textOf, unexpected, type RemoteObject, allRows } from '../remote-json.js';

export const ZOHO = 'Zoho Recruit';

const LIMIT = 200;

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

interface ZohoPage {
  rows: readonly unknown[];
  next: string | null;
}

/**
 * Zoho answers a missing scope with 401, and a failed row with a 2xx: each row has its own code. An unknown id is
 * `INVALID_DATA` in a row or in the whole answer.
 */
export function judgeZohoAnswer({ status, json }: AtsAnswer): void {
  const body = objectOf(json);
  if (status === 401 && body?.['code'] === 'OAUTH_SCOPE_MISMATCH') {
    throw new AtsFailure('forbidden', 'OAUTH_SCOPE_MISMATCH', `${ZOHO} refuses the call: the grant lacks its scope.`);
  }
  const rows = status < 300 ? [...objectsIn(body?.['data']), ...objectsIn(body?.['watch'])] : [];
  const failed = rows.find((row) => row['status'] === 'error') ?? (status === 400 ? body : null);
  if (failed == null) return;
  const code = codeIn(failed) ?? 'refused_by_ats';
  const message = `${ZOHO} refuses the call (${code}).`;
  throw new AtsFailure(isUnknownId(failed) ? 'not_found' : 'rejected', code, message);
}

/** The cursor is the number of the page. @param since only records changed since; null means all */
export async function zohoPage(
  api: AtsApi,
  path: string,
  cursor: string | null,
  { since = null, query = {} }: { since?: Date | null; query?: Readonly<Record<string, string>> } = {},
): Promise<ZohoPage> {
  const answer = await api.call({
    method: 'GET',
    path,
    query: { page: cursor ?? '1', per_page: String(LIMIT), ...query },
    ...(since === null ? {} : { headers: { 'if-modified-since': timeText(since) } }),
    accepts: [NOT_MODIFIED],
  });
  if (answer.status === NO_CONTENT || answer.status === NOT_MODIFIED) return { rows: [], next: null };
  const body = objectOf(answer.json);
  if (body === null || !Array.isArray(body['data'])) throw unexpected(ZOHO, 'list of records');
  const info = objectOf(body['info']);
  if (info?.['more_records'] !== true) return { rows: listOf(body['data']), next: null };
  const page = Number(info['page']);
  if (!Number.isSafeInteger(page) || page < 1) throw unexpected(ZOHO, 'number of the page');
  return { rows: listOf(body['data']), next: String(page + 1) };
}

/** Reads one record; null when Zoho has none. */
export async function zohoRecord(api: AtsApi, path: string, list = 'data'): Promise<RemoteObject | null> {
  try {
    const { status, json } = await api.call({ method: 'GET', path });
    if (status === NO_CONTENT) return null;
    const [record] = objectsIn(objectOf(json)?.[list]);
    if (record === undefined) throw unexpected(ZOHO, 'record');
    return record;
  } catch (error) {
    if (error instanceof AtsFailure && error.kind === 'not_found') return null;
    throw error;
  }
}

export function zohoRows(api: AtsApi, path: string): Promise<unknown[]> {
  return allRows(ZOHO, (cursor) => zohoPage(api, path, cursor));
}

/** Returns a time in Zoho's form: with seconds and an offset, without fractions. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19)}+00:00`;
}

function isUnknownId(row: RemoteObject): boolean {
  if (codeIn(row) !== 'INVALID_DATA') return false;
  const field = textOf(objectOf(row['details'])?.['api_name']);
  return field === 'id' || field === 'Parent_Id' || /\bid given\b/.test(textOf(row['message']) ?? '');
}
