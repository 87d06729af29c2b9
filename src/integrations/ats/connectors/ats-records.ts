import type { AtsStatus } from '../../../hiring/candidates/candidate.js';
import type { JobStatus } from '../../../hiring/jobs/job.js';

/** What a connector reads, as kinds of records. */
export type AtsRecordKind = 'job' | 'candidate';

/** A job opening as an ATS shows it. Ids of an ATS are text here. */
export interface AtsJob {
  remoteId: string;
  title: string;
  status: JobStatus;
  department?: string | null;
  location?: string | null;
  employmentType?: string | null;
  url?: string | null;
  openedAt?: Date | null;
  closedAt?: Date | null;
  /** The ATS's own time of the last change; null: it does not say. */
  changedAt: Date | null;
}

/** A candidate as an ATS shows it. What is left out was not said, and stays as it is. */
export interface AtsCandidate {
  remoteId: string;
  firstName: string;
  /** Empty for a person with one name. */
  lastName: string;
  /** The e-mail that comes first; null: the ATS has none. */
  email: string | null;
  /** The opening of the newest application; null: none. */
  jobRemoteId?: string | null;
  /** The opening itself, where the answer or the event holds it. */
  job?: AtsJob;
  /** The state of the application that counts. */
  status?: AtsStatus;
  stage?: { id: string; name: string | null } | null;
  /** Further keys of the metadata, such as `ats_source`, `referrer`, `application_id`; null: none in the ATS. */
  metadata?: Readonly<Record<string, string | null>>;
  changedAt: Date | null;
}

/** A record that the ATS has no more. */
export interface AtsGone {
  kind: AtsRecordKind;
  remoteId: string;
  at: Date | null;
  /** The record that it was merged into; null: it was deleted. */
  survivorId: string | null;
}

/** One page of a list. */
export interface AtsPage<R> {
  records: readonly R[];
  /** The cursor of the next page; null: this is the last one. */
  next: string | null;
  /** With the last page, where the ATS gives one: what the next pass begins with (Ashby's `syncToken`). */
  syncToken?: string | null;
  /** Rows that cannot be understood, each with its reason: they are counted and shown, and stop nothing. */
  leftOut?: readonly { remoteId: string | null; reason: string }[];
}

/** Where a page of a list begins. */
export interface AtsPageFrom {
  /** Only what has changed since; null: everything. */
  since: Date | null;
  /** The token of the last pass; null: there is none, or everything is read. */
  syncToken: string | null;
  /** The cursor of the last page; null: the first page. */
  cursor: string | null;
}
