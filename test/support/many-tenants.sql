-- Fills tenants with users and what users bring along, as the service would have written it and at rest: every lane is
-- delivered, every line sealed. Reads a temporary table `seeded` (tenant_id, directory_id, tag, users).
set session_replication_role = replica; -- foreign keys hold by construction
insert into tenants (id, name) select tenant_id, tag from seeded on conflict do nothing;
insert into roles (tenant_id, name, takes_seat)
  select tenant_id, r.name, r.seat from seeded, (values ('User', true), ('Admin', true), ('Observer', false)) r (name, seat)
  on conflict do nothing;
insert into seat_limits (tenant_id) select tenant_id from seeded on conflict do nothing;
insert into chain_heads (tenant_id, chain, hash)
  select tenant_id, chain, decode(repeat('00', 32), 'hex') from seeded, (values ('seats'), ('audit')) c (chain)
  on conflict do nothing;
insert into directories (tenant_id, id, name, profile, guard)
  select tenant_id, directory_id, tag, 'tolerant', '{"off": true}' from seeded on conflict do nothing;
insert into destinations (tenant_id, base_url, last_success_at)
  select tenant_id, 'http://127.0.0.1:9', now() from seeded on conflict do nothing;
insert into connections (tenant_id, id, slug, name, type, enabled, settings)
  select tenant_id, 'con_' || tag, tag, tag, 'oidc', true, jsonb_build_object('issuer', 'https://' || tag || '.example.com', 'client_id', 'c', 'token_auth', 'none',
      'scopes', '["openid"]'::jsonb, 'id_token_alg', null, 'user_info', 'never', 'max_age_seconds', null,
      'acr_values', '[]'::jsonb, 'link_claim', null, 'claim_map', '{}'::jsonb, 'role_map', '[]'::jsonb, 'jit', false,
      'default_role', 'User', 'return_origins', '[]'::jsonb)
  from seeded;
insert into connection_slugs (slug, tenant_id, connection_id) select tag, tenant_id, 'con_' || tag from seeded;

create temporary table people as
  select tenant_id, directory_id, tag, i, 'usr_' || tag || lpad(i::text, 8, '0') as id, tag || '-' || i as key,
    tag || '-' || i || '@example.com' as name
  from seeded, generate_series(0, users - 1) i;

insert into users (tenant_id, id, directory_id, source, doc, doc_bytes, user_name, user_name_key, external_id, active,
    email, email_key, first_name, last_name, role, person_external_id, status, seat, ever_active, created_at, updated_at)
  select tenant_id, id, directory_id, 'scim',
    jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User'),
      'userName', name, 'externalId', key, 'active', true, 'displayName', 'G F ' || i,
      'name', jsonb_build_object('givenName', 'G' || i, 'familyName', 'F' || i),
      'emails', jsonb_build_array(jsonb_build_object('value', name, 'type', 'work', 'primary', true))),
    400, name, name, key, true, name, name, 'G' || i, 'F' || i, 'User', key, 'active', 'held', true,
    now() - (100000 - i) * interval '1 second', now() - (100000 - i) * interval '1 second'
  from people;
insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key) select tenant_id, id, 1, name, 'work' from people;
insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
  select tenant_id, id, 'created', true, array['email'], jsonb_build_object('email', name), '{}', now() from people;
insert into lanes (tenant_id, subject, target_state, target_body, rank, last_pending, epoch, platform_id, confirmed_state,
    confirmed_at, state, account)
  select tenant_id, user_id, 'active', '{}', 1, sequence, 1, 'p-' || user_id, 'active', now(), 'idle', 'bound' from changes
  where tenant_id in (select tenant_id from seeded)
  on conflict do nothing;
insert into seat_entries (tenant_id, kind, user_id, delta, role, directory_id, reason, source, sequence, count_after,
    effective_at, previous_hash, hash)
  select tenant_id, 'claim', id, 1, 'User', directory_id, 'created', '{}', 1000 + i, i + 1,
    now() - (100000 - i) * interval '1 second', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
  from people;
insert into audit_entries (tenant_id, actor, action, target_type, target_id, sequence, previous_hash, hash)
  select tenant_id, '{"kind": "system", "name": "seed"}', 'user.read', 'user', id, 1000 + i,
    decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
  from people where i % 10 = 0;
update chain_heads h set sequence = 1000 + s.users, count = case chain when 'seats' then s.users else 0 end,
    sealed_through = now()
  from seeded s where s.tenant_id = h.tenant_id;
insert into population (tenant_id, owner, n)
  select tenant_id, directory_id, users from seeded where users > 0
  on conflict (tenant_id, owner) do update set n = population.n + excluded.n;

insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of)
  select tenant_id, 'con_' || tag, key, id, 'claim', key from people where i % 2 = 0;
insert into sessions (tenant_id, id, hash, user_id, connection_id, subject, idle_seconds, expires_at)
  select tenant_id, 'ses_' || tag || i, sha256(key::bytea), id, 'con_' || tag, key, 3600, now() + interval '1 hour'
  from people where i % 2 = 0;
insert into attempts (tenant_id, n, subject, delivery_id, first_sequence, last_sequence, method, path, status, outcome,
    duration_ms, sent_at)
  select tenant_id, 1, user_id, 'dlv', sequence, sequence, 'POST', '/users', 201, 'delivered', 5, now() from changes
  where tenant_id in (select tenant_id from seeded);
insert into sign_ins (tenant_id, id, kind, connection_id, outcome, account, subject, user_id, request_id)
  select tenant_id, 'sin_' || tag || i, 'sign-in', 'con_' || tag, 'success', name, key, id, 'req' from people where i % 2 = 0;
insert into events (tenant_id, event, data) select tenant_id, 'change.parked', '{"user_id": "usr_1", "change_id": "1", "reason": "refused"}' from people
  where i % 10 = 0;
insert into tasks (tenant_id, id, kind, state, payload, created_by, finished_at)
  select tenant_id, 'tsk_' || tag || i, 'reconsider', 'done', '{}', '{}', now() from people where i % 50 = 0;

-- A group for each ten users, and one with all of them.
insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key)
  select tenant_id, 'grp_' || tag || lpad(g::text, 8, '0'), directory_id,
    jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:Group'),
      'displayName', 'Group ' || g),
    'Group ' || g, 'group ' || g
  from seeded, generate_series(0, users / 10) g;
insert into group_members (tenant_id, group_id, member_id, kind)
  select tenant_id, 'grp_' || tag || lpad(g::text, 8, '0'), id, 'User'
  from people join seeded using (tenant_id, directory_id, tag), lateral (values (0), (1 + i / 10)) m (g) where g <= users / 10;
insert into pending_members (tenant_id, group_id, member_id)
  select tenant_id, 'grp_' || tag || '00000000', 'usr_later' || i from people where i % 20 = 0;
insert into group_rules (tenant_id, directory_id, position, group_id, role)
  select tenant_id, directory_id, 1, 'grp_' || tag || '00000001', 'User' from seeded where users > 0;
insert into scim_tokens (tenant_id, id, directory_id, name, prefix, hash, created_by)
  select tenant_id, 'sct_' || tag || i, directory_id, 'seed', 'tbs', sha256((tag || i)::bytea), '{}'
  from seeded, generate_series(1, 3) i;
insert into api_keys (tenant_id, id, name, prefix, hash, scopes, owner_kind, created_by)
  select tenant_id, 'key_' || tag || i, 'seed', 'tbk', sha256((tag || i)::bytea), '{}', 'service', '{}'
  from seeded, generate_series(1, 3) i;
insert into domains (tenant_id, domain, challenge, verified_by, verified_at, checked_at)
  select tenant_id, tag || '.example.com', 'c', 'operator', now(), now() from seeded;
insert into verified_domains (domain, tenant_id) select tag || '.example.com', tenant_id from seeded;
insert into deleted_users (tenant_id, id, directory_id, user_name, external_id, person, deleted_by)
  select tenant_id, 'usr_gone' || tag || i, directory_id, 'gone-' || name, 'gone-' || key,
    jsonb_build_object('email', 'gone-' || name), '{}' from people where i % 10 = 0;
insert into user_aliases (tenant_id, external_id, user_id) select tenant_id, 'old-' || key, id from people where i % 20 = 0;
insert into user_notes (tenant_id, user_id, kind, detail, source) select tenant_id, id, 'held', '{}', '{}' from people
  where i % 20 = 0;
insert into preview_writes (tenant_id, directory_id, user_id, linked_by, source, user_name_key)
  select tenant_id, directory_id, id, 'email', '{}', 'preview-' || name from people where i % 20 = 1;
insert into session_tokens (tenant_id, hash, session_id, kind, audience, expires_at)
  select tenant_id, sha256(('t' || key)::bytea), 'ses_' || tag || i, 'refresh', 'app', now() + interval '1 hour' from people
  where i % 20 = 0;
insert into closed_days (tenant_id, chain, day, sequence, count, hash, previous, key_id, signature)
  select tenant_id, chain, current_date - d, 1000, 0, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), 'k', ''
  from seeded, generate_series(2, 9) d, (values ('seats'), ('audit')) c (chain);
drop table people;
set session_replication_role = origin;
