-- Candidates, job openings, interviews. Values have no checks: one statement writes the rows of a table, and PostgreSQL reads a
-- check from its text at every execution. In each index of a filter the id follows, because lists are in the order of ids.

-- A candidate. `sequence` counts the events of the record.
create table candidates (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  first_name text not null,
  last_name text not null,
  job_title text,
  -- Whether the title was written; else it follows the opening.
  job_title_set boolean not null,
  -- Unchanged text of the request. `job_opening_id` and `ats_priority` are read from it when it is written.
  metadata json not null,
  job_opening_id text collate "C",
  ats_priority text collate "C",
  -- The connection whose ATS has the candidate, and its stage and status there.
  ats_connection_id text collate "C",
  ats_keys text[],
  stage text collate "C",
  ats_status text collate "C",
  sequence int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create unique index candidates_external_id on candidates (tenant_id, external_id);
create index candidates_email on candidates (tenant_id, email_key, id);
create index candidates_updated on candidates (tenant_id, updated_at);
create index candidates_first_name on candidates (tenant_id, (lower(first_name) collate "C"), id);
create index candidates_last_name on candidates (tenant_id, (lower(last_name) collate "C"), id);
create index candidates_opening on candidates (tenant_id, job_opening_id, id) where job_opening_id is not null;
-- Those whose title follows an opening.
create index candidates_titled_by on candidates (tenant_id, job_opening_id, id)
  where job_opening_id is not null and not job_title_set;
create index candidates_priority on candidates (tenant_id, ats_priority, id) where ats_priority is not null;
create index candidates_connection on candidates (tenant_id, ats_connection_id, id) where ats_connection_id is not null;
create index candidates_stage on candidates (tenant_id, stage, id) where stage is not null;
create index candidates_ats_status on candidates (tenant_id, ats_status, id) where ats_status is not null;

-- What is left of a candidate that was deleted, or merged into another one.
create table candidate_tombstones (
  tenant_id text collate "C" not null,
  candidate_id text collate "C" not null,
  external_id text collate "C" not null,
  merged_into text collate "C",
  sequence int not null,
  gone_at timestamptz not null,
  primary key (tenant_id, candidate_id)
);
create index candidate_tombstones_external_id on candidate_tombstones (tenant_id, external_id, gone_at);

-- A job opening. `ats` and `ats_connection_id` say which ATS has it.
create table job_openings (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C" not null,
  ats text collate "C",
  ats_connection_id text collate "C",
  title text not null,
  status text not null,
  department text,
  location text,
  employment_type text,
  url text,
  opened_at timestamptz,
  closed_at timestamptz,
  sequence int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create unique index job_openings_external_id on job_openings (tenant_id, external_id);
create index job_openings_status on job_openings (tenant_id, status, id);
create index job_openings_ats on job_openings (tenant_id, ats, id) where ats is not null;
create index job_openings_updated on job_openings (tenant_id, updated_at);

-- The title that a candidate takes from an opening. It waits for a rename that is being written, and holds off the next one
-- until the candidate is committed. It is volatile, so that it reads with a new snapshot after it has waited.
create function opening_title(p_tenant text, p_name text) returns text language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(p_tenant || ' opening ' || p_name, 0));
  return coalesce(
    (select o.title from job_openings o where o.tenant_id = p_tenant and o.external_id = p_name),
    (select o.title from job_openings o where o.tenant_id = p_tenant and o.id = p_name));
end $$;

-- An interview of a candidate.
create table interviews (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  candidate_id text collate "C" not null,
  job_id text collate "C",
  state text collate "C" not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  time_zone text,
  interviewers text[] not null,
  -- The meeting link, where it comes from, and how far that is.
  meeting_url text,
  meeting_source text,
  meeting_state text not null default 'none',
  meeting_detail text,
  -- Whether the interview engine has the interview.
  at_engine boolean not null default false,
  sequence int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create index interviews_candidate on interviews (tenant_id, candidate_id, id);
create index interviews_state on interviews (tenant_id, state, id);
create index interviews_job on interviews (tenant_id, job_id, id) where job_id is not null;
create index interviews_updated on interviews (tenant_id, updated_at);
create index interviews_not_taken on interviews (tenant_id)
  where state = 'scheduled' and meeting_detail is not null and meeting_state <> 'waiting';

-- A version of an interview's scorecard. `content` is read and written as a whole.
create table scorecards (
  tenant_id text collate "C" not null,
  interview_id text collate "C" not null,
  version int not null,
  content json not null,
  created_at timestamptz not null,
  primary key (tenant_id, interview_id, version)
);
