// What requests have left in the database.

// Users are not in it: a held user comes into force automatically, when the e-mail of another one becomes free. Each
// write of a user leaves a change with the id of its request, which is looked for at the end. States of connections to ATSs
// and their candidates change by background work as well.
const STATE = `select md5(concat_ws('|',
  (select string_agg(concat_ws(',', id, version, doc::text), ';' order by id) from groups where tenant_id = $1),
  (select string_agg(concat_ws(',', group_id, member_id), ';' order by group_id, member_id) from group_members where tenant_id = $1),
  (select string_agg(concat_ws(',', group_id, member_id), ';' order by group_id, member_id) from pending_members where tenant_id = $1),
  (select count(*) from users where tenant_id = $1),
  (select max(entry_id) from audit_entries where tenant_id = $1),
  (select count(*) from tasks where tenant_id = $1 and kind <> all('{ats.release,ats.remove,ats.connect}')),
  (select string_agg(concat_ws(',', id, name, marker, paused, takes::text, writes::text), ';' order by id) from ats_connections where tenant_id = $1),
  (select string_agg(id, ';' order by id) from ats_tokens where tenant_id = $1 and not made),
  (select string_agg(concat_ws(',', id, revoked_at), ';' order by id) from ats_connect_links where tenant_id = $1),
  (select count(*) from ats_events e where tenant_id = $1 and exists (select 1 from ats_connections c where c.tenant_id = $1 and c.id = e.connection_id)),
  (select count(*) from candidates where tenant_id = $1 and external_id like 'own%'),
  (select string_agg(concat_ws(',', id, sequence, state), ';' order by id) from interviews where tenant_id = $1),
  (select count(*) from scorecards where tenant_id = $1),
  (select string_agg(concat_ws(',', id, updated_at), ';' order by id) from connections where tenant_id = $1),
  (select string_agg(concat_ws(',', id, name, state), ';' order by id) from directories where tenant_id = $1),
  (select concat_ws(',', seat_limit, directory_policy, api_policy) from seat_limits where tenant_id = $1),
  (select concat_ws(',', name, time_zone, owner_user_id, break_glass) from tenants where id = $1))) as state`;

/** A hash over what requests of a tenant can change. */
export async function digestOf(client, tenantId) {
  const { rows } = await client.query(STATE, [tenantId]);
  return rows[0].state;
}

/** The ids of all requests that left a change, a ledger line, an audit line or a removal. */
export async function requestIdsIn(client) {
  const { rows } = await client.query(`
    select source ->> 'request_id' as id from changes union select source ->> 'request_id' from seat_entries
    union select request_id from audit_entries union select deleted_by ->> 'request_id' from deleted_users`);
  return rows.map(({ id }) => id).filter((id) => id !== null);
}
