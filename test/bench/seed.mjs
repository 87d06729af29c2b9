/** Puts users straight into the tables, as the service would have written them. Answers their ids, in order. */
export async function seedUsers(db, tenant, directory, count, tag) {
  const { rows } = await db.query(
    `with made as (
       insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active, email,
         email_key, first_name, last_name, role, person_external_id, status, seat, ever_active, doc_bytes)
       select $1, 'usr_' || $4 || lpad(i::text, 8, '0'), $2, 'scim', doc,
         $4 || '-' || i || '@example.com', $4 || '-' || i || '@example.com', $4 || '-' || i, true,
         $4 || '-' || i || '@example.com', $4 || '-' || i || '@example.com', 'G' || i, 'F' || i, 'User', $4 || '-' || i,
         'active', 'held', true, octet_length(doc::text)
       from generate_series(0, $3::int - 1) i, lateral (select
         jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User'),
           'userName', $4 || '-' || i || '@example.com', 'externalId', $4 || '-' || i, 'active', true,
           'name', jsonb_build_object('givenName', 'G' || i, 'familyName', 'F' || i), 'displayName', 'G F ' || i,
           'emails', jsonb_build_array(jsonb_build_object('value', $4 || '-' || i || '@example.com', 'type', 'work', 'primary', true))) as doc) d
       returning id, user_name),
     mails as (insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key)
       select $1, id, 1, user_name, 'work' from made),
     counted as (insert into population_steps (tenant_id, owner, step) select $1, $2, count(*) from made)
     select id from made order by id`,
    [tenant, directory, count, tag],
  );
  return rows.map((row) => row.id);
}

/** Groups of the given sizes; answers their ids by size. */
export async function seedGroups(db, tenant, directory, userIds, sizes) {
  const groups = new Map();
  for (const size of sizes) {
    const id = `grp_bench${size}`;
    await db.query(
      `insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key)
       values ($1, $2, $3, jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:Group'),
         'displayName', $2::text), $2, $2)`,
      [tenant, id, directory],
    );
    await db.query(
      `insert into group_members (tenant_id, group_id, member_id, kind) select $1, $2, unnest($3::text[]), 'User'`,
      [tenant, id, userIds.slice(0, size)],
    );
    groups.set(size, id);
  }
  return groups;
}

/** The same users and groups in the tables of the lean program. Answers the ids of the users, in order. */
export async function seedLean(db, count, sizes) {
  await db.query(
    `insert into users (tenant, id, doc, name_key, external_id, active)
     select 'lean', 'seed' || lpad(i::text, 12, '0'), jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User'),
       'userName', 'deep-' || i || '@example.com', 'externalId', 'deep-' || i, 'active', true,
       'name', jsonb_build_object('givenName', 'G' || i, 'familyName', 'F' || i), 'displayName', 'G F ' || i,
       'emails', jsonb_build_array(jsonb_build_object('value', 'deep-' || i || '@example.com', 'type', 'work', 'primary', true)))::text,
       'deep-' || i || '@example.com', 'deep-' || i, true
     from generate_series(0, $1::int - 1) i`,
    [count],
  );
  const { rows } = await db.query(`select id from users where id like 'seed%' order by id`);
  const ids = rows.map((row) => row.id);
  for (const size of sizes) {
    const doc = JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: `g${size}` });
    await db.query(`insert into groups values ('lean', $1, $2, $1)`, [`g${size}`, doc]);
    await db.query(`insert into members select 'lean', $1, unnest($2::text[])`, [`g${size}`, ids.slice(0, size)]);
  }
  await db.query('analyze');
  return ids;
}
