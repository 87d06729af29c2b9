import { present } from '../../base/present.js';

export const JOB_STATUSES = ['open', 'closed', 'draft'] as const;

/** The state of a job opening. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A job opening as it is stored. */
export interface JobRow {
  id: string;
  external_id: string;
  /** The ATS that the opening comes from, by name; null when the caller named none. */
  ats: string | null;
  ats_connection_id: string | null;
  title: string;
  status: JobStatus;
  department: string | null;
  location: string | null;
  employment_type: string | null;
  url: string | null;
  opened_at: Date | null;
  closed_at: Date | null;
  sequence: number;
  created_at: Date;
  updated_at: Date;
}

type Kept = 'id' | 'external_id' | 'title' | 'sequence' | 'created_at' | 'updated_at';

/** The fields that a caller sends, and the connection that only a sync names. Absent: unchanged; null: without. */
export type JobFields = Pick<JobRow, 'title'> & Partial<Omit<JobRow, Kept>>;

export function newJob(externalId: string, fields: JobFields, id: string, at: Date): JobRow {
  const status = fields.status ?? 'open';
  return {
    id,
    external_id: externalId,
    ats: fields.ats ?? null,
    ats_connection_id: fields.ats_connection_id ?? null,
    title: fields.title,
    status,
    department: fields.department ?? null,
    location: fields.location ?? null,
    employment_type: fields.employment_type ?? null,
    url: fields.url ?? null,
    opened_at: fields.opened_at ?? (status === 'open' ? at : null),
    closed_at: closedAt(status, fields.closed_at ?? null, at),
    sequence: 1,
    created_at: at,
    updated_at: at,
  };
}

export function changedJob(before: JobRow, fields: Partial<JobFields>, at: Date): JobRow | null {
  const status = fields.status ?? before.status;
  const after: JobRow = {
    ...before,
    ...present(fields),
    status,
    closed_at: closedAt(status, fields.closed_at ?? before.closed_at, at),
    sequence: before.sequence + 1,
    updated_at: at,
  };
  if (after.opened_at === null && fields.opened_at === undefined && status === 'open' && before.status !== 'open') {
    after.opened_at = at;
  }
  return sameJob(before, after) ? null : after;
}

/** Only a closed opening has the time of its closing. */
function closedAt(status: JobStatus, known: Date | null, at: Date): Date | null {
  return status === 'closed' ? (known ?? at) : null;
}

const COMPARED = ['ats', 'title', 'status', 'department', 'location', 'employment_type', 'url'] as const;

const TIMES = ['opened_at', 'closed_at'] as const;

export function differingFields(a: JobRow, b: JobRow): string[] {
  return [
    ...COMPARED.filter((name) => a[name] !== b[name]),
    ...TIMES.filter((name) => a[name]?.getTime() !== b[name]?.getTime()),
  ];
}

function sameJob(a: JobRow, b: JobRow): boolean {
  return a.ats_connection_id === b.ats_connection_id && differingFields(a, b).length === 0;
}
