import type { CutRows } from '../../base/database/byte-cut.js';
import { csvLine } from '../../base/http/export.js';
import type { PageRequest } from '../../base/http/page.js';
import type { InterviewBody } from './interview.dto.js';
import type { InterviewRow } from './interview.js';
import { interviewBody } from './interview.mapping.js';

const PAGE = 200;
const COLUMNS = [
  'id',
  'candidate_id',
  'job_id',
  'state',
  'starts_at',
  'ends_at',
  'time_zone',
  'interviewers',
  'meeting_url',
  'meeting_source',
  'meeting_state',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof InterviewBody)[];

/** Returns all interviews of a list as CSV, newest first, a page at a time. @param pages reads one page */
export async function* interviewsCsv(
  pages: (page: PageRequest) => Promise<CutRows<InterviewRow>>,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let after: string | null = null; ;) {
    const { rows } = await pages({ list: 'interviews', after, limit: PAGE });
    const page: InterviewRow[] = rows.slice(0, PAGE);
    if (page.length === 0) return;
    yield page.map((row) => csvLine(cellsOf(interviewBody(row)))).join('');
    after = page.at(-1)!.id;
  }
}

function cellsOf(body: InterviewBody): unknown[] {
  return COLUMNS.map((name) => (name === 'interviewers' ? body.interviewers.join('; ') : body[name]));
}
