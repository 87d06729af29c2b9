/** The states of a job opening. */
export const JOB_STATUSES = ['open', 'closed', 'draft'] as const;

/** The state of a job opening. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A job opening as it is stored. */
export interface JobRow {
  id: string;
  external_id: string;
  /** The ATS that it comes from, by name; null: the caller did not say. */
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
  /** The number of the record's events. */
  sequence: number;
  created_at: Date;
  updated_at: Date;
}
