export const ATS_STATUSES = ['active', 'rejected', 'hired', 'archived'] as const;

/** One of {@link ATS_STATUSES}. */
export type AtsStatus = (typeof ATS_STATUSES)[number];

/** A candidate as it is stored. */
export interface CandidateRow {
  id: string;
  external_id: string;
  email: string;
  first_name: string;
  last_name: string;
  job_title: string | null;
  /** The caller has set the title; else it is that of the opening. */
  job_title_set: boolean;
  metadata: string;
  /** The opening that the metadata names, by its `external_id` or id. */
  job_opening_id: string | null;
  /** `ats_priority` of the metadata, if it is text. */
  ats_priority: string | null;
  /** The ATS connection that owns the identity fields; null when the API owns them. */
  ats_connection_id: string | null;
  /** The keys of the metadata that the ATS owns; null when there are none. */
  ats_keys: readonly string[] | null;
  /** The stage in the ATS, by name; null when there is none, or no ATS owns the candidate. */
  stage: string | null;
  /** Null when no ATS owns the candidate. */
  ats_status: AtsStatus | null;
  sequence: number;
  created_at: Date;
  updated_at: Date;
}

export interface Metadata {
  text: string;
  openingId: string | null;
  priority: string | null;
}

type Sent = Pick<CandidateRow, 'email' | 'first_name' | 'last_name' | 'external_id'>;

/** The fields of a candidate that a caller sends. Absent: unchanged. A null title: that of the opening. */
export type CandidateChange = Partial<Sent & Pick<CandidateRow, 'job_title'>> & { metadata?: Metadata };

export type CandidateFields = CandidateChange & Sent;
