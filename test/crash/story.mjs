/** What happened to one person of the crash test, in the order of time: a line each. In: a client of the database. */
export async function storyOf(db, externalId) {
  const { rows: ids } = await db.query(`select distinct user_id as id from changes where person->>'external_id' = $1`, [
    externalId,
  ]);
  const users = ids.map(({ id }) => id);
  const { rows } = await db.query(
    `select occurred_at as at, 'change' as what,
       concat_ws(' ', user_id, kind, person->>'last_name', array_to_string(changed, ',')) as text
     from changes where user_id = any($1)
     union all
     select at, 'note', concat_ws(' ', user_id, kind, detail::text, source::text)
     from user_notes where user_id = any($1)
     union all
     select sent_at + duration_ms * interval '1 millisecond', 'attempt',
       concat_ws(' ', delivery_id, method, path, status, outcome, detail)
     from attempts where subject = any($1)
     union all
     select at, 'platform',
       concat_ws(' ', idempotency_key, method, path, user_id, status, case when applied then 'applied' end,
         case when replayed then 'replayed' end, fault, body)
     from sandbox_platform.calls
     where external_id = $2 or substring(idempotency_key from 'usr_[0-9a-z]+') = any($1)
     order by at`,
    [users, externalId],
  );
  const { rows: lanes } = await db.query('select l.* from lanes l where subject = any($1) order by subject', [users]);
  return [
    `--- ${externalId}`,
    ...rows.map(({ at, what, text }) => `${at.toISOString()} ${what.padEnd(8)} ${text}`),
    ...lanes.map((lane) => `lane ${JSON.stringify(lane)}`),
  ];
}
