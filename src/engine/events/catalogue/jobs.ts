import { count, kinds, object, record, text, textOrNull, time, timeOrNull, words } from './kind.js';

/** The events about job openings. */
export const JOB_EVENTS = kinds({
  'job.synced': {
    severity: 'info',
    runbook: 'No action: a job opening was added, has changed or is closed; `data` is its present state.',
    schema: record(
      object({
        id: text,
        external_id: textOrNull,
        ats: textOrNull,
        ats_connection_id: textOrNull,
        title: text,
        status: words('open', 'closed', 'draft'),
        department: textOrNull,
        location: textOrNull,
        employment_type: textOrNull,
        url: textOrNull,
        opened_at: timeOrNull,
        closed_at: timeOrNull,
        created_at: time,
        updated_at: time,
        sequence: count,
      }),
    ),
    example: {
      id: 'job_01k0000000abcdefghjkmnpqrs',
      external_id: 'gh_127817',
      ats: 'greenhouse',
      ats_connection_id: 'ats_01k0000000abcdefghjkmnpqrs',
      title: 'Backend Engineer',
      status: 'open',
      department: 'Engineering',
      location: 'Zürich',
      employment_type: 'full_time',
      url: 'https://jobs.example.com/127817',
      opened_at: '2026-02-01T08:00:00.000Z',
      closed_at: null,
      created_at: '2026-02-01T08:05:00.000Z',
      updated_at: '2026-02-01T08:05:00.000Z',
      sequence: 1,
    },
  },
});
