-- The database of the last version with single migrations (commit 78308dbc): its schema as pg_dump wrote it, one statement a line,
-- without months, and a few rows that later migrations change.
do $$ begin if current_setting('server_version_num')::int >= 170000 then create collation scim_text (provider = builtin, locale = 'C.UTF-8'); else create collation scim_text (provider = libc, locale = 'C.utf8'); end if; end $$;
CREATE FUNCTION analyze_table(p_table text, p_columns text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' SET default_statistics_target TO '20' AS $$
      begin
        perform 1 from pg_class where relnamespace = 'public'::regnamespace and relname = p_table
          and relkind in ('r', 'p');
        if not found then raise exception 'no table %', p_table using errcode = 'undefined_table'; end if;
        execute format('analyze %I (%s)', p_table,
          (select string_agg(format('%I', name), ', ') from unnest(p_columns) as name));
      end $$;
CREATE FUNCTION drop_month(p_table text, p_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $_$
      begin
        perform 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relnamespace = 'public'::regnamespace and p.relname = p_table and c.relname = p_name
          and p_table in ('attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys') and p_name ~ '_\d{4}_\d\d$';
        if not found then
          raise exception '% is no month of %', p_name, p_table using errcode = 'insufficient_privilege';
        end if;
        if to_date(right(p_name, 7), 'YYYY_MM') + interval '1 month' > now() at time zone 'UTC' - interval '1 day' then
          raise exception '% is too young to be dropped', p_name using errcode = 'insufficient_privilege';
        end if;
        execute format('drop table %I', p_name);
      end $_$;
CREATE FUNCTION event_mark(p_known bigint, OUT last bigint, OUT own bigint, OUT oldest bigint, OUT started text) RETURNS record LANGUAGE plpgsql AS $$
      begin
        last := coalesce(pg_sequence_last_value('change_sequence'), 0);
        if last <> p_known then own := pg_current_xact_id()::text::bigint; end if;
        oldest := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
        started := pg_postmaster_start_time()::text;
      end $$;
CREATE TABLE chain_heads (tenant_id text NOT NULL COLLATE pg_catalog."C", chain text NOT NULL, sequence bigint DEFAULT 0 NOT NULL, count integer DEFAULT 0 NOT NULL, hash bytea NOT NULL, effective_at timestamptz, sealed_through timestamptz, signed_sequence bigint, signed_hash bytea, signature bytea, key_id text, unsigned_through bigint DEFAULT 0 NOT NULL, CONSTRAINT chain_heads_chain_check CHECK ((chain = ANY (ARRAY['seats'::text, 'audit'::text]))));
CREATE FUNCTION lock_chain_head(p_tenant text, p_chain text, p_wait boolean) RETURNS SETOF chain_heads LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
      begin
        if p_wait then
          return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
        else
          return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update skip locked;
        end if;
      end $$;
CREATE FUNCTION make_month(p_table text, p_month date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
      declare
        part text := p_table || to_char(p_month, '_YYYY_MM');
        first timestamptz := date_trunc('month', p_month::timestamp) at time zone 'UTC';
        next timestamptz := (date_trunc('month', p_month::timestamp) + interval '1 month') at time zone 'UTC';
      begin
        if p_table not in ('attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys') then
          raise exception '% has no months', p_table using errcode = 'insufficient_privilege';
        end if;
        perform pg_advisory_xact_lock(7234502818);
        if to_regclass(format('public.%I', part)) is not null then return; end if;
        execute format('lock table %I in access exclusive mode', p_table || '_default');
        execute format('create table %I (like %I including defaults including constraints)', part, p_table);
        if p_table = 'ats_events' then execute format('alter table %I set (fillfactor = 50)', part); end if;
        execute format('with moved as (delete from %I where at >= %L and at < %L returning *)
          insert into %I select * from moved', p_table || '_default', first, next, part);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_table, part, first, next);
      end $$;
CREATE FUNCTION measure_rows(p_tenant text, p_table text, p_after text[], p_rows integer) RETURNS TABLE(bytes bigint, last text[]) LANGUAGE plpgsql STABLE AS $_$
      declare
        of_table oid := (select c.oid from pg_class c
          where c.relname = p_table and c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p'));
        keys text;
        beyond text;
        texts text;
        backwards text;
        size text;
      begin
        select string_agg(format('%I', a.attname), ', ' order by k.place),
          format('(%s) > (%s)', string_agg(format('%I', a.attname), ', ' order by k.place),
            string_agg(format('$2[%s]::%s', k.place - 1, format_type(a.atttypid, a.atttypmod)), ', ' order by k.place)),
          string_agg(format('%I::text', a.attname), ', ' order by k.place),
          string_agg(format('%I desc', a.attname), ', ' order by k.place)
        into keys, beyond, texts, backwards
        from pg_index x
        cross join lateral unnest(x.indkey::int2[]) with ordinality k(n, place)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.n
        where x.indrelid = of_table and x.indisprimary and k.place between 2 and x.indnkeyatts;
        select string_agg(format('coalesce(pg_column_size(%I), 0)', a.attname), ' + ') into size
        from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped;
        return query execute format(
          'with piece as (select %s, 28 + %s as size from %I where tenant_id = $1 %s order by %s limit $3)
           select coalesce(sum(size), 0)::bigint,
             case when count(*) = $3 then (select array[%s] from piece order by %s limit 1) end from piece',
          keys, size, p_table, case when p_after is null then '' else 'and ' || beyond end, keys, texts, backwards)
        using p_tenant, p_after, p_rows;
      end $_$;
CREATE FUNCTION note_unsigned() RETURNS trigger LANGUAGE plpgsql AS $$
      begin
        if new.sequence > old.sequence and old.signature is null and new.signature is null
           and current_setting('talent_bridge.sealing', true) is distinct from 'on' then
          new.unsigned_through := new.sequence;
        end if;
        return new;
      end $$;
CREATE FUNCTION oldest_work() RETURNS timestamptz LANGUAGE sql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
        select min(xact_start) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and usename = session_user $$;
CREATE FUNCTION opening_title(p_tenant text, p_name text) RETURNS text LANGUAGE plpgsql AS $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended(p_tenant || ' opening ' || p_name, 0));
        return coalesce(
          (select o.title from job_openings o where o.tenant_id = p_tenant and o.external_id = p_name),
          (select o.title from job_openings o where o.tenant_id = p_tenant and o.id = p_name));
      end $$;
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      begin
        raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op)
          using errcode = 'insufficient_privilege';
      end $$;
CREATE FUNCTION refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
      begin
        if tg_op = 'UPDATE' and old.sequence is null and new.sequence is not null
           and (to_jsonb(new) - array['sequence','previous_hash','hash','count_after','effective_at'])
             = (to_jsonb(old) - array['sequence','previous_hash','hash','count_after','effective_at']) then
          return new;
        end if;
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$;
CREATE FUNCTION seal_chain(p_tenant text, p_chain text, p_ids bigint[], p_hashes bytea[], p_counts integer[], p_effective timestamptz[], p_sealed_through timestamptz, p_signature bytea, p_key_id text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
      declare
        head chain_heads%rowtype;
        wanted int := coalesce(cardinality(p_ids), 0);
        done int := 0;
      begin
        select * into head from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
        if not found then raise exception 'the chain % has no head', p_chain using errcode = 'no_data_found'; end if;
        if p_ids <> array(select id from unnest(p_ids) as u(id) order by u.id) then
          raise exception 'lines are sealed in the order of their ids' using errcode = 'insufficient_privilege';
        end if;
        if wanted > 0 and p_chain = 'seats' then
          update seat_entries e set sequence = head.sequence + s.place, count_after = s.count, effective_at = s.effective,
            previous_hash = s.previous, hash = s.hash
          from (select id, count, effective, hash, place, lag(hash, 1, head.hash) over (order by place) as previous
                from unnest(p_ids, p_counts, p_effective, p_hashes) with ordinality
                  as u(id, count, effective, hash, place)) s
          where e.tenant_id = p_tenant and e.entry_id = s.id and e.sequence is null;
          get diagnostics done = row_count;
        elsif wanted > 0 then
          update audit_entries e set sequence = head.sequence + s.place, previous_hash = s.previous, hash = s.hash
          from (select id, hash, place, lag(hash, 1, head.hash) over (order by place) as previous
                from unnest(p_ids, p_hashes) with ordinality as u(id, hash, place)) s
          where e.tenant_id = p_tenant and e.entry_id = s.id and e.sequence is null;
          get diagnostics done = row_count;
        end if;
        if done <> wanted then
          raise exception 'only unsealed lines can be sealed' using errcode = 'insufficient_privilege';
        end if;
        perform set_config('talent_bridge.sealing', 'on', true);
        update chain_heads h set sequence = head.sequence + wanted,
          hash = coalesce(p_hashes[wanted], head.hash), count = coalesce(p_counts[wanted], head.count),
          effective_at = coalesce(p_effective[wanted], head.effective_at),
          sealed_through = greatest(p_sealed_through, head.sealed_through),
          signed_sequence = case when p_signature is null then head.signed_sequence else head.sequence + wanted end,
          signed_hash = case when p_signature is null then head.signed_hash
            else coalesce(p_hashes[wanted], head.hash) end,
          signature = coalesce(p_signature, head.signature),
          key_id = case when p_signature is null then head.key_id else p_key_id end,
          unsigned_through = case when p_signature is null then head.unsigned_through else 0 end
        where h.tenant_id = p_tenant and h.chain = p_chain;
      end $$;
CREATE FUNCTION signed_out_at_idp(p_tenant text, p_connection text, p_locks text[], p_marks text[], p_exact text[], p_issued timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
      begin
        perform pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest(p_locks) as m;
        return exists (select 1 from idp_logouts l
          where l.tenant_id = p_tenant and l.connection_id = p_connection and l.mark = any (p_marks)
            and (l.ended_at > p_issued or (l.ended_at = p_issued and l.mark = any (p_exact))));
      end $$;
CREATE FUNCTION tell_settings() RETURNS trigger LANGUAGE plpgsql AS $$
      declare
        changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      begin
        perform pg_notify('talent_bridge_settings', concat_ws(' ', tg_table_name,
          coalesce(changed ->> 'tenant_id', changed ->> 'id'), changed ->> 'id'));
        return null;
      end $$;
CREATE TABLE api_keys (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, prefix text NOT NULL, hash bytea NOT NULL, scopes text[] NOT NULL, owner_kind text NOT NULL, owner_user_id text COLLATE pg_catalog."C", created_by jsonb NOT NULL, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz, replaces_id text COLLATE pg_catalog."C", created_at timestamptz DEFAULT now() NOT NULL, CONSTRAINT api_keys_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['service'::text, 'person'::text]))));
CREATE TABLE ats_authorizations (tenant_id text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, provider text NOT NULL, browser_hash bytea NOT NULL, user_id text COLLATE pg_catalog."C", link_id text COLLATE pg_catalog."C", connection_id text COLLATE pg_catalog."C", expires_at timestamptz NOT NULL, used_at timestamptz);
CREATE TABLE ats_connect_links (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, provider text NOT NULL, created_by jsonb NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, expires_at timestamptz NOT NULL, used_at timestamptz, revoked_at timestamptz);
CREATE TABLE ats_connections (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", provider text NOT NULL, name text NOT NULL, region text NOT NULL, base_url text, marker text NOT NULL COLLATE pg_catalog."C", state text NOT NULL, state_reason text, state_since timestamptz DEFAULT now() NOT NULL, paused boolean DEFAULT false NOT NULL, takes json NOT NULL, writes json NOT NULL, approved_by text, credential_sealed text, granted_scopes text[], created_by jsonb NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, renew_at timestamptz);
CREATE TABLE ats_event_keys (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", key bytea NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE ats_event_keys_default (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", key bytea NOT NULL, at timestamptz NOT NULL);
CREATE TABLE ats_events (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", at timestamptz NOT NULL, name text, occurred_at timestamptz, kind text COLLATE pg_catalog."C", remote_id text COLLATE pg_catalog."C", content_type text, headers json, body bytea, state text NOT NULL COLLATE pg_catalog."C", reason text, detail text, tries integer DEFAULT 0 NOT NULL, decided_at timestamptz, signed boolean DEFAULT false NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE ats_events_default (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", at timestamptz NOT NULL, name text, occurred_at timestamptz, kind text COLLATE pg_catalog."C", remote_id text COLLATE pg_catalog."C", content_type text, headers json, body bytea, state text NOT NULL COLLATE pg_catalog."C", reason text, detail text, tries integer DEFAULT 0 NOT NULL, decided_at timestamptz, signed boolean DEFAULT false NOT NULL) WITH (fillfactor='50');
CREATE TABLE ats_inboxes (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", fence bigint DEFAULT 0 NOT NULL, lease_until timestamptz, not_before timestamptz, failures integer DEFAULT 0 NOT NULL) WITH (fillfactor='50');
CREATE TABLE ats_open_events (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", failed boolean NOT NULL, id text NOT NULL COLLATE pg_catalog."C", at timestamptz NOT NULL, bytes integer NOT NULL);
CREATE UNLOGGED TABLE ats_paces (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", arrival timestamptz NOT NULL, paused_until timestamptz) WITH (fillfactor='50');
CREATE TABLE ats_polls (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL COLLATE pg_catalog."C", since timestamptz, sync_token text, full_at timestamptz);
CREATE TABLE ats_problems (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", problem text NOT NULL COLLATE pg_catalog."C", detail text NOT NULL, since timestamptz DEFAULT now() NOT NULL);
CREATE TABLE ats_records (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL COLLATE pg_catalog."C", remote_id text NOT NULL COLLATE pg_catalog."C", record_id text COLLATE pg_catalog."C", state text NOT NULL COLLATE pg_catalog."C", survivor_id text COLLATE pg_catalog."C", changed_at timestamptz NOT NULL, brought_by text NOT NULL, seen_in text COLLATE pg_catalog."C", person_at timestamptz) WITH (fillfactor='85');
CREATE TABLE ats_renewals (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", holder text NOT NULL, until timestamptz NOT NULL);
CREATE TABLE ats_runs (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", reason text NOT NULL, is_full boolean NOT NULL, state text NOT NULL, phase text, counts json NOT NULL, left_out json NOT NULL, error text, started_at timestamptz NOT NULL, finished_at timestamptz) WITH (fillfactor='70');
CREATE TABLE ats_signing_secrets (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", sealed text NOT NULL, remote_id text, event text, created_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE ats_syncs (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", next_at timestamptz NOT NULL, full_at timestamptz NOT NULL, reason text NOT NULL, fence bigint DEFAULT 0 NOT NULL, lease_until timestamptz, failures integer DEFAULT 0 NOT NULL, pass json, missing_told_at timestamptz) WITH (fillfactor='50');
CREATE TABLE ats_tokens (provider text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", hint text NOT NULL, made boolean DEFAULT false NOT NULL, created_at timestamptz DEFAULT now() NOT NULL);
CREATE SEQUENCE change_sequence START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE ats_writes (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", candidate_id text NOT NULL COLLATE pg_catalog."C", interview_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL COLLATE pg_catalog."C", action text NOT NULL COLLATE pg_catalog."C", revision integer NOT NULL, sequence bigint DEFAULT nextval('change_sequence'::regclass) NOT NULL, state text NOT NULL COLLATE pg_catalog."C", target text, marker text NOT NULL, remote_ref text, attempts integer DEFAULT 0 NOT NULL, attempted_at timestamptz, busy_until timestamptz, written_at timestamptz, reason text, detail text, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL) WITH (fillfactor='80');
CREATE TABLE attempts (tenant_id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT now() NOT NULL, n smallint NOT NULL, subject text NOT NULL COLLATE pg_catalog."C", delivery_id text NOT NULL, first_sequence bigint NOT NULL, last_sequence bigint NOT NULL, method text NOT NULL, path text NOT NULL, status integer, outcome text NOT NULL, detail text, answer text, duration_ms integer NOT NULL, sent_at timestamptz NOT NULL, channel text DEFAULT 'platform'::text NOT NULL COLLATE pg_catalog."C", destination text DEFAULT 'main'::text NOT NULL COLLATE pg_catalog."C", address text, fault text) PARTITION BY RANGE (at);
CREATE TABLE attempts_default (tenant_id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT now() NOT NULL, n smallint NOT NULL, subject text NOT NULL COLLATE pg_catalog."C", delivery_id text NOT NULL, first_sequence bigint NOT NULL, last_sequence bigint NOT NULL, method text NOT NULL, path text NOT NULL, status integer, outcome text NOT NULL, detail text, answer text, duration_ms integer NOT NULL, sent_at timestamptz NOT NULL, channel text DEFAULT 'platform'::text NOT NULL COLLATE pg_catalog."C", destination text DEFAULT 'main'::text NOT NULL COLLATE pg_catalog."C", address text, fault text);
CREATE SEQUENCE audit_sequence START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE audit_entries (tenant_id text NOT NULL COLLATE pg_catalog."C", entry_id bigint DEFAULT nextval('audit_sequence'::regclass) NOT NULL, at timestamptz DEFAULT clock_timestamp() NOT NULL, actor jsonb NOT NULL, action text NOT NULL, target_type text NOT NULL, target_id text NOT NULL COLLATE pg_catalog."C", before jsonb, after jsonb, request_id text, sequence bigint, previous_hash bytea, hash bytea);
CREATE TABLE candidate_tombstones (tenant_id text NOT NULL COLLATE pg_catalog."C", candidate_id text NOT NULL COLLATE pg_catalog."C", external_id text NOT NULL COLLATE pg_catalog."C", merged_into text COLLATE pg_catalog."C", sequence integer NOT NULL, gone_at timestamptz NOT NULL);
CREATE TABLE candidates (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", external_id text NOT NULL COLLATE pg_catalog."C", email text NOT NULL, email_key text NOT NULL COLLATE pg_catalog."C", first_name text NOT NULL, last_name text NOT NULL, job_title text, job_title_set boolean NOT NULL, metadata json NOT NULL, job_opening_id text COLLATE pg_catalog."C", ats_priority text COLLATE pg_catalog."C", sequence integer NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, ats_connection_id text COLLATE pg_catalog."C", ats_keys text[], stage text COLLATE pg_catalog."C", ats_status text COLLATE pg_catalog."C") WITH (fillfactor='85');
CREATE TABLE chain_days (tenant_id text NOT NULL COLLATE pg_catalog."C", chain text NOT NULL, day date NOT NULL, sequence bigint NOT NULL, count integer NOT NULL, hash bytea NOT NULL);
CREATE TABLE chain_keys (key_id text NOT NULL COLLATE pg_catalog."C", endorsed_by text NOT NULL COLLATE pg_catalog."C", public_key bytea NOT NULL, endorsement bytea NOT NULL, created_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE changes (tenant_id text NOT NULL COLLATE pg_catalog."C", sequence bigint DEFAULT CASE WHEN (pg_current_xact_id() IS NOT NULL) THEN nextval('change_sequence'::regclass) ELSE NULL::bigint END NOT NULL, user_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL, forwarded boolean NOT NULL, changed text[] NOT NULL, person jsonb NOT NULL, source jsonb NOT NULL, received_at timestamptz NOT NULL, occurred_at timestamptz DEFAULT clock_timestamp() NOT NULL, sessions_ended_at timestamptz, dismissed jsonb, linked boolean DEFAULT false NOT NULL, status text, cause jsonb);
ALTER TABLE ONLY changes ALTER COLUMN tenant_id SET (n_distinct=10);
CREATE TABLE closed_days (tenant_id text NOT NULL COLLATE pg_catalog."C", chain text NOT NULL, day date NOT NULL, sequence bigint NOT NULL, count integer NOT NULL, hash bytea NOT NULL, previous bytea NOT NULL, key_id text NOT NULL COLLATE pg_catalog."C", signature bytea NOT NULL, closed_at timestamptz DEFAULT now() NOT NULL, CONSTRAINT closed_days_chain_check CHECK ((chain = ANY (ARRAY['seats'::text, 'audit'::text]))));
CREATE TABLE connection_slugs (slug text NOT NULL COLLATE pg_catalog."C", tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text COLLATE pg_catalog."C");
CREATE TABLE connections (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", slug text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, type text NOT NULL, enabled boolean NOT NULL, version integer DEFAULT 1 NOT NULL, directory_id text COLLATE pg_catalog."C", settings jsonb NOT NULL, client_secret_sealed text, private_key_sealed text, metadata_checked_at timestamptz, metadata_problem text, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, deleted_at timestamptz, tested_at timestamptz, doubted_at timestamptz, doubt_ended_at timestamptz, earlier_doubts timestamptz[], CONSTRAINT connections_type_check CHECK ((type = ANY (ARRAY['oidc'::text, 'saml'::text]))));
CREATE TABLE deleted_users (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", directory_id text COLLATE pg_catalog."C", user_name text NOT NULL, external_id text COLLATE pg_catalog."C", person jsonb NOT NULL, deleted_at timestamptz DEFAULT now() NOT NULL, deleted_by jsonb NOT NULL);
CREATE TABLE destinations (tenant_id text NOT NULL COLLATE pg_catalog."C", base_url text NOT NULL, key_sealed text, key_hint text, settings jsonb DEFAULT '{}'::jsonb NOT NULL, version integer DEFAULT 1 NOT NULL, epoch integer DEFAULT 1 NOT NULL, state text DEFAULT 'ok'::text NOT NULL, state_reason text, state_detail text, state_since timestamptz DEFAULT now() NOT NULL, probes integer DEFAULT 0 NOT NULL, next_probe_at timestamptz, refusals jsonb DEFAULT '[]'::jsonb NOT NULL, last_success_at timestamptz, updated_at timestamptz DEFAULT now() NOT NULL, operator_origin text, channel text DEFAULT 'platform'::text NOT NULL COLLATE pg_catalog."C", id text DEFAULT 'main'::text NOT NULL COLLATE pg_catalog."C", failing_since timestamptz, failing_stage smallint DEFAULT 0 NOT NULL, CONSTRAINT destinations_state_check CHECK ((state = ANY (ARRAY['ok'::text, 'open'::text, 'paused'::text]))));
CREATE TABLE directories (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, profile text NOT NULL, state text DEFAULT 'live'::text NOT NULL, default_role text, attribute_map jsonb DEFAULT '{}'::jsonb NOT NULL, on_match text DEFAULT 'link'::text NOT NULL, takes_over text COLLATE pg_catalog."C", replace_creates_missing boolean DEFAULT false NOT NULL, guard jsonb DEFAULT '{}'::jsonb NOT NULL, last_request_at timestamptz, last_refusal jsonb, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, deleted_at timestamptz, last_unknown_role jsonb, usual_pause_seconds integer, pauses integer DEFAULT 0 NOT NULL, told_quiet_since timestamptz, may_grant_console boolean DEFAULT false NOT NULL, first_day_from timestamptz DEFAULT now() NOT NULL, CONSTRAINT directories_on_match_check CHECK ((on_match = ANY (ARRAY['link'::text, 'refuse'::text]))), CONSTRAINT directories_profile_check CHECK ((profile = ANY (ARRAY['tolerant'::text, 'entra'::text, 'okta'::text, 'strict'::text, 'ipsie'::text]))), CONSTRAINT directories_state_check CHECK ((state = ANY (ARRAY['live'::text, 'preview'::text]))));
CREATE TABLE domains (tenant_id text NOT NULL COLLATE pg_catalog."C", domain text NOT NULL COLLATE pg_catalog."C", connection_id text COLLATE pg_catalog."C", challenge text NOT NULL, verified_by text, verified_at timestamptz, checked_at timestamptz, problem text, lost_at timestamptz, created_at timestamptz DEFAULT now() NOT NULL, CONSTRAINT domains_verified_by_check CHECK ((verified_by = ANY (ARRAY['dns'::text, 'operator'::text]))));
CREATE TABLE event_floors (tenant_id text NOT NULL COLLATE pg_catalog."C", sequence bigint NOT NULL);
CREATE TABLE event_thresholds (tenant_id text NOT NULL COLLATE pg_catalog."C", threshold text NOT NULL COLLATE pg_catalog."C", passed_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE events (tenant_id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT now() NOT NULL, event text NOT NULL, data json NOT NULL, sequence bigint DEFAULT CASE WHEN (pg_current_xact_id() IS NOT NULL) THEN nextval('change_sequence'::regclass) ELSE NULL::bigint END NOT NULL, record text COLLATE pg_catalog."C") PARTITION BY RANGE (at);
CREATE TABLE events_default (tenant_id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT now() NOT NULL, event text NOT NULL, data json NOT NULL, sequence bigint DEFAULT CASE WHEN (pg_current_xact_id() IS NOT NULL) THEN nextval('change_sequence'::regclass) ELSE NULL::bigint END NOT NULL, record text COLLATE pg_catalog."C");
CREATE TABLE group_members (tenant_id text NOT NULL COLLATE pg_catalog."C", group_id text NOT NULL COLLATE pg_catalog."C", member_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL, display text, added_at timestamptz DEFAULT now() NOT NULL, CONSTRAINT group_members_kind_check CHECK ((kind = ANY (ARRAY['User'::text, 'Group'::text]))));
ALTER TABLE ONLY group_members ALTER COLUMN tenant_id SET (n_distinct=10);
ALTER TABLE ONLY group_members ALTER COLUMN group_id SET (n_distinct=10);
CREATE TABLE group_rules (tenant_id text NOT NULL COLLATE pg_catalog."C", directory_id text NOT NULL COLLATE pg_catalog."C", "position" integer NOT NULL, group_id text NOT NULL COLLATE pg_catalog."C", role text NOT NULL);
CREATE TABLE groups (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", directory_id text NOT NULL COLLATE pg_catalog."C", doc jsonb NOT NULL, display_name text NOT NULL, display_name_key text NOT NULL COLLATE pg_catalog."C", external_id text COLLATE pg_catalog."C", version integer DEFAULT 1 NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, doc_bytes integer, name_twin text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C") WITH (fillfactor='50');
ALTER TABLE ONLY groups ALTER COLUMN tenant_id SET (n_distinct=10);
ALTER TABLE ONLY groups ALTER COLUMN directory_id SET (n_distinct=10);
CREATE TABLE idempotency_keys (tenant_id text NOT NULL COLLATE pg_catalog."C", credential_id text NOT NULL COLLATE pg_catalog."C", key text NOT NULL, request_hash bytea NOT NULL, status integer, content_type text, response text, location text, created_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE identities (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", subject text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C", made_by text NOT NULL, made_of text NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, last_sign_in_at timestamptz DEFAULT now() NOT NULL, ended_at timestamptz, end_reason text, CONSTRAINT identities_end_reason_check CHECK ((end_reason = ANY (ARRAY['deleted'::text, 'connection_changed'::text, 'connection_deleted'::text, 'pairing_changed'::text, 'released'::text]))), CONSTRAINT identities_made_by_check CHECK ((made_by = ANY (ARRAY['claim'::text, 'user_name'::text, 'email'::text, 'created'::text]))));
CREATE TABLE idp_logouts (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", mark text NOT NULL COLLATE pg_catalog."C", ended_at timestamptz NOT NULL, until timestamptz NOT NULL);
CREATE TABLE installation (one boolean DEFAULT true NOT NULL, id uuid DEFAULT gen_random_uuid() NOT NULL, generation bigint DEFAULT 0 NOT NULL, last_sequence bigint DEFAULT 0 NOT NULL, restored_at timestamptz, CONSTRAINT installation_one_check CHECK (one));
CREATE TABLE installation_audit (entry_id bigint NOT NULL, at timestamptz DEFAULT clock_timestamp() NOT NULL, actor jsonb NOT NULL, action text NOT NULL, target_type text NOT NULL, target_id text NOT NULL, after jsonb, request_id text);
ALTER TABLE installation_audit ALTER COLUMN entry_id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME installation_audit_entry_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1);
CREATE TABLE interviews (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", candidate_id text NOT NULL COLLATE pg_catalog."C", job_id text COLLATE pg_catalog."C", state text NOT NULL COLLATE pg_catalog."C", starts_at timestamptz NOT NULL, ends_at timestamptz NOT NULL, time_zone text, interviewers text[] NOT NULL, meeting_url text, sequence integer NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, meeting_source text, meeting_state text DEFAULT 'none'::text NOT NULL, meeting_detail text, at_engine boolean DEFAULT false NOT NULL) WITH (fillfactor='85');
CREATE TABLE job_openings (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", external_id text NOT NULL COLLATE pg_catalog."C", ats text COLLATE pg_catalog."C", ats_connection_id text COLLATE pg_catalog."C", title text NOT NULL, status text NOT NULL, department text, location text, employment_type text, url text, opened_at timestamptz, closed_at timestamptz, sequence integer NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL) WITH (fillfactor='85');
CREATE TABLE tasks (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL, state text DEFAULT 'waiting'::text NOT NULL, payload jsonb NOT NULL, done integer DEFAULT 0 NOT NULL, total integer, error text, lease_until timestamptz, created_by jsonb NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, finished_at timestamptz, result jsonb, failures integer DEFAULT 0 NOT NULL, started_at timestamptz, directory_id text COLLATE pg_catalog."C", CONSTRAINT tasks_state CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))));
CREATE VIEW jobs AS SELECT tasks.tenant_id, tasks.id, tasks.kind, tasks.state, tasks.payload, tasks.done, tasks.total, tasks.error, tasks.lease_until, tasks.created_by, tasks.created_at, tasks.finished_at, tasks.result FROM tasks;
CREATE TABLE lanes (tenant_id text NOT NULL COLLATE pg_catalog."C", subject text NOT NULL COLLATE pg_catalog."C", target_state text NOT NULL, target_body text NOT NULL, rank smallint NOT NULL, first_pending bigint, last_pending bigint NOT NULL, pending_since timestamptz, round integer DEFAULT 0 NOT NULL, epoch integer DEFAULT 0 NOT NULL, call_count integer DEFAULT 0 NOT NULL, call json, lookup jsonb, platform_id text COLLATE pg_catalog."C", confirmed_state text, confirmed_through bigint DEFAULT 0 NOT NULL, confirmed_at timestamptz, own_failure_count integer DEFAULT 0 NOT NULL, failure_count integer DEFAULT 0 NOT NULL, failed_at timestamptz, next_at timestamptz DEFAULT '-infinity'::timestamptz NOT NULL, lease_token uuid, parked_reason text, parked_detail text, channel text DEFAULT 'platform'::text NOT NULL COLLATE pg_catalog."C", destination text DEFAULT 'main'::text NOT NULL COLLATE pg_catalog."C", state text NOT NULL, newer_since timestamptz, account text DEFAULT 'none'::text NOT NULL, confirmed_digest text, CONSTRAINT lane_account CHECK ((((account = 'bound'::text) = (platform_id IS NOT NULL)) AND (account = ANY (ARRAY['bound'::text, 'none'::text, 'unnamed'::text, 'lost'::text, 'sought'::text])))), CONSTRAINT lane_state CHECK (CASE state WHEN 'idle'::text THEN ((first_pending IS NULL) AND (pending_since IS NULL) AND (newer_since IS NULL) AND (call IS NULL) AND (lease_token IS NULL) AND (parked_reason IS NULL) AND (next_at = '-infinity'::timestamptz)) WHEN 'due'::text THEN ((first_pending IS NOT NULL) AND (lease_token IS NULL) AND (parked_reason IS NULL) AND (next_at = '-infinity'::timestamptz)) WHEN 'calling'::text THEN ((first_pending IS NOT NULL) AND (lease_token IS NOT NULL) AND (call IS NOT NULL) AND (parked_reason IS NULL) AND (next_at > '-infinity'::timestamptz)) WHEN 'backing_off'::text THEN ((first_pending IS NOT NULL) AND (lease_token IS NULL) AND (parked_reason IS NULL) AND (next_at > '-infinity'::timestamptz)) WHEN 'parked'::text THEN ((first_pending IS NOT NULL) AND (lease_token IS NULL) AND (parked_reason IS NOT NULL) AND (next_at = '-infinity'::timestamptz)) ELSE false END), CONSTRAINT lanes_target_state_check CHECK ((target_state = ANY (ARRAY['active'::text, 'inactive'::text, 'deleted'::text])))) WITH (fillfactor='45', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY lanes ALTER COLUMN tenant_id SET (n_distinct=10);
CREATE TABLE migrations (id integer NOT NULL, "timestamp" bigint NOT NULL, name character varying NOT NULL);
CREATE SEQUENCE migrations_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE migrations_id_seq OWNED BY migrations.id;
CREATE TABLE owner_sign_in_links (tenant_id text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, expires_at timestamptz NOT NULL, used_at timestamptz);
CREATE TABLE pending_members (tenant_id text NOT NULL COLLATE pg_catalog."C", group_id text NOT NULL COLLATE pg_catalog."C", member_id text NOT NULL COLLATE pg_catalog."C", display text, since timestamptz DEFAULT now() NOT NULL);
ALTER TABLE ONLY pending_members ALTER COLUMN tenant_id SET (n_distinct=10);
ALTER TABLE ONLY pending_members ALTER COLUMN group_id SET (n_distinct=10);
CREATE TABLE population (tenant_id text NOT NULL COLLATE pg_catalog."C", owner text NOT NULL COLLATE pg_catalog."C", n bigint NOT NULL);
CREATE TABLE population_steps (tenant_id text NOT NULL COLLATE pg_catalog."C", owner text NOT NULL COLLATE pg_catalog."C", step integer NOT NULL);
CREATE TABLE preview_writes (tenant_id text NOT NULL COLLATE pg_catalog."C", directory_id text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C", doc jsonb, doc_bytes integer DEFAULT 0 NOT NULL, user_name text, user_name_key text COLLATE pg_catalog."C", external_id text COLLATE pg_catalog."C", active boolean, linked_by text NOT NULL, source jsonb NOT NULL, version integer DEFAULT 1 NOT NULL, updated_at timestamptz DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL);
CREATE TABLE roles (tenant_id text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, takes_seat boolean NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, console text DEFAULT 'none'::text NOT NULL);
CREATE TABLE saml_entity_ids (entity_id text NOT NULL COLLATE pg_catalog."C", tenant_id text NOT NULL COLLATE pg_catalog."C");
CREATE TABLE scim_tokens (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", directory_id text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, prefix text NOT NULL, hash bytea NOT NULL, created_by jsonb NOT NULL, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz, created_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE scorecards (tenant_id text NOT NULL COLLATE pg_catalog."C", interview_id text NOT NULL COLLATE pg_catalog."C", version integer NOT NULL, content json NOT NULL, created_at timestamptz NOT NULL);
CREATE SEQUENCE seat_entry_sequence START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE seat_entries (tenant_id text NOT NULL COLLATE pg_catalog."C", entry_id bigint DEFAULT nextval('seat_entry_sequence'::regclass) NOT NULL, kind text NOT NULL, user_id text COLLATE pg_catalog."C", delta smallint NOT NULL, role text, directory_id text COLLATE pg_catalog."C", cost_center text, details jsonb, reason text NOT NULL, source jsonb NOT NULL, occurred_at timestamptz DEFAULT clock_timestamp() NOT NULL, sequence bigint, count_after integer, effective_at timestamptz, previous_hash bytea, hash bytea, CONSTRAINT seat_entries_delta_check CHECK (((delta >= '-1'::integer) AND (delta <= 1))), CONSTRAINT seat_entries_kind_check CHECK ((kind = ANY (ARRAY['claim'::text, 'release'::text, 'update'::text, 'limit'::text, 'policy'::text, 'opening'::text, 'repair'::text, 'correction'::text])))) WITH (fillfactor='70');
CREATE TABLE seat_limits (tenant_id text NOT NULL COLLATE pg_catalog."C", seat_limit integer, directory_policy text DEFAULT 'wait'::text NOT NULL, api_policy text DEFAULT 'block'::text NOT NULL, sign_in_policy text DEFAULT 'wait'::text NOT NULL, approaching_at numeric DEFAULT 0.9 NOT NULL, mode text DEFAULT 'unlimited'::text NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, CONSTRAINT seat_limits_api_policy_check CHECK ((api_policy = ANY (ARRAY['wait'::text, 'block'::text, 'allow'::text]))), CONSTRAINT seat_limits_directory_policy_check CHECK ((directory_policy = ANY (ARRAY['wait'::text, 'block'::text, 'allow'::text]))), CONSTRAINT seat_limits_mode_check CHECK ((mode = ANY (ARRAY['unlimited'::text, 'open'::text, 'exact'::text]))), CONSTRAINT seat_limits_seat_limit_check CHECK ((seat_limit >= 0)), CONSTRAINT seat_limits_sign_in_policy_check CHECK ((sign_in_policy = ANY (ARRAY['wait'::text, 'block'::text, 'allow'::text]))));
CREATE TABLE service_keys (purpose text NOT NULL, id text NOT NULL COLLATE pg_catalog."C", private_key_sealed text NOT NULL, public_key text NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, active_from timestamptz NOT NULL, retired_at timestamptz, CONSTRAINT service_keys_purpose_check CHECK ((purpose = ANY (ARRAY['jwt'::text, 'saml'::text]))));
CREATE TABLE session_tokens (tenant_id text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, session_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL, audience text NOT NULL, code_challenge text, expires_at timestamptz NOT NULL, used_at timestamptz, reused_at timestamptz, CONSTRAINT session_tokens_kind_check CHECK ((kind = ANY (ARRAY['code'::text, 'refresh'::text]))));
CREATE TABLE sessions (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", hash bytea NOT NULL, user_id text NOT NULL COLLATE pg_catalog."C", user_epoch integer DEFAULT 0 NOT NULL, connection_id text COLLATE pg_catalog."C", subject text NOT NULL COLLATE pg_catalog."C", idp_session text COLLATE pg_catalog."C", name_id jsonb, id_token_sealed text, auth_context text, ip text, user_agent text, created_at timestamptz DEFAULT now() NOT NULL, seen_at timestamptz DEFAULT now() NOT NULL, idle_seconds integer NOT NULL, expires_at timestamptz NOT NULL, ended_at timestamptz, end_reason text, other_idp_sessions text[] COLLATE pg_catalog."C") WITH (fillfactor='80');
CREATE TABLE sign_in_requests (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL, browser_hash bytea, return_to text, code_challenge text, actor jsonb, created_at timestamptz DEFAULT now() NOT NULL, expires_at timestamptz NOT NULL, used_at timestamptz, result jsonb, result_until timestamptz, CONSTRAINT sign_in_requests_kind_check CHECK ((kind = ANY (ARRAY['sign-in'::text, 'test'::text]))));
CREATE TABLE sign_ins (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT clock_timestamp() NOT NULL, kind text NOT NULL, connection_id text COLLATE pg_catalog."C", outcome text NOT NULL, reason text, detail text, account text, subject text, user_id text COLLATE pg_catalog."C", linked_by text, session_id text COLLATE pg_catalog."C", ip text, user_agent text, request_id text NOT NULL, CONSTRAINT sign_ins_kind_check CHECK ((kind = ANY (ARRAY['sign-in'::text, 'test'::text, 'logout'::text]))), CONSTRAINT sign_ins_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'refused'::text])))) PARTITION BY RANGE (at);
CREATE TABLE sign_ins_default (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT clock_timestamp() NOT NULL, kind text NOT NULL, connection_id text COLLATE pg_catalog."C", outcome text NOT NULL, reason text, detail text, account text, subject text, user_id text COLLATE pg_catalog."C", linked_by text, session_id text COLLATE pg_catalog."C", ip text, user_agent text, request_id text NOT NULL, CONSTRAINT sign_ins_kind_check CHECK ((kind = ANY (ARRAY['sign-in'::text, 'test'::text, 'logout'::text]))), CONSTRAINT sign_ins_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'refused'::text]))));
CREATE TABLE storage_probe (filler text NOT NULL);
CREATE TABLE task_left_out (tenant_id text NOT NULL COLLATE pg_catalog."C", task_id text NOT NULL COLLATE pg_catalog."C", item_id text NOT NULL COLLATE pg_catalog."C", item jsonb NOT NULL, reason text NOT NULL, detail text NOT NULL, at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE task_seen (tenant_id text NOT NULL COLLATE pg_catalog."C", task_id text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C");
CREATE TABLE tenant_storage (tenant_id text NOT NULL COLLATE pg_catalog."C", limit_bytes bigint, measured bigint DEFAULT 0 NOT NULL, written bigint DEFAULT 0 NOT NULL, classes jsonb DEFAULT '{}'::jsonb NOT NULL, state text DEFAULT 'ok'::text NOT NULL COLLATE pg_catalog."C", measured_at timestamptz, due_at timestamptz DEFAULT (now() + '1 day'::interval) NOT NULL, rest_until timestamptz DEFAULT '-infinity'::timestamptz NOT NULL, CONSTRAINT tenant_storage_state_check CHECK ((state = ANY (ARRAY['ok'::text, 'approaching'::text, 'exhausted'::text])))) WITH (fillfactor='50');
CREATE TABLE tenants (id text NOT NULL COLLATE pg_catalog."C", name text NOT NULL, time_zone text DEFAULT 'UTC'::text NOT NULL, owner_user_id text COLLATE pg_catalog."C", api_may_write_directory_users boolean DEFAULT false NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, break_glass text[] DEFAULT '{}'::text[] NOT NULL, holder_facts_since timestamptz DEFAULT now() NOT NULL, base_url text COLLATE pg_catalog."C", help_url text, former_name text, name_changed_at timestamptz);
CREATE UNLOGGED TABLE tries (bucket bytea NOT NULL, tokens double precision NOT NULL, at timestamptz NOT NULL, taken boolean NOT NULL) WITH (fillfactor='50');
CREATE TABLE used_messages (tenant_id text NOT NULL COLLATE pg_catalog."C", connection_id text NOT NULL COLLATE pg_catalog."C", message_id text NOT NULL COLLATE pg_catalog."C", until timestamptz NOT NULL);
CREATE TABLE user_aliases (tenant_id text NOT NULL COLLATE pg_catalog."C", external_id text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C", created_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE user_emails (tenant_id text NOT NULL COLLATE pg_catalog."C", user_id text NOT NULL COLLATE pg_catalog."C", ordinal smallint NOT NULL, value_key text NOT NULL COLLATE pg_catalog."C", type_key text NOT NULL COLLATE pg_catalog."C");
ALTER TABLE ONLY user_emails ALTER COLUMN tenant_id SET (n_distinct=10);
CREATE SEQUENCE user_note_sequence START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE user_notes (tenant_id text NOT NULL COLLATE pg_catalog."C", note_id bigint DEFAULT nextval('user_note_sequence'::regclass) NOT NULL, user_id text NOT NULL COLLATE pg_catalog."C", at timestamptz DEFAULT clock_timestamp() NOT NULL, kind text NOT NULL, detail jsonb NOT NULL, source jsonb NOT NULL, CONSTRAINT user_notes_kind_check CHECK ((kind = ANY (ARRAY['linked'::text, 'held'::text]))));
CREATE TABLE users (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", directory_id text COLLATE pg_catalog."C", source text NOT NULL, doc jsonb NOT NULL, user_name text NOT NULL, user_name_key text NOT NULL COLLATE pg_catalog."C", external_id text COLLATE pg_catalog."C", active boolean NOT NULL, gone_at timestamptz, version integer DEFAULT 1 NOT NULL, email text, email_key text COLLATE pg_catalog."C", first_name text NOT NULL, last_name text NOT NULL, role text, role_set text, person_external_id text COLLATE pg_catalog."C", status text NOT NULL, seat text NOT NULL, waiting_since timestamptz, held text, held_since timestamptz, released text, ever_active boolean DEFAULT false NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL, session_epoch integer DEFAULT 0 NOT NULL, doc_bytes integer, name_written boolean, discarded_role text, quiet_writes integer DEFAULT 0 NOT NULL, resource_at timestamptz, cost_center text, manager_id text GENERATED ALWAYS AS ("left"((doc #>> '{urn:ietf:params:scim:schemas:extension:enterprise:2.0:User,manager,value}'::text[]), 512)) STORED COLLATE pg_catalog."C", requested_email_key text COLLATE pg_catalog."C") WITH (fillfactor='85');
ALTER TABLE ONLY users ALTER COLUMN tenant_id SET (n_distinct=10);
ALTER TABLE ONLY users ALTER COLUMN directory_id SET (n_distinct=10);
CREATE TABLE verified_domains (domain text NOT NULL COLLATE pg_catalog."C", tenant_id text NOT NULL COLLATE pg_catalog."C");
CREATE TABLE webhook_endpoints (tenant_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", url text NOT NULL, description text, events text[], form text NOT NULL, ordered boolean NOT NULL, headers_sealed text, created_by jsonb NOT NULL, key_id text COLLATE pg_catalog."C", created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL);
CREATE TABLE webhook_given_up (tenant_id text NOT NULL COLLATE pg_catalog."C", endpoint_id text NOT NULL COLLATE pg_catalog."C", sequence bigint NOT NULL, at timestamptz NOT NULL, record text COLLATE pg_catalog."C", event text NOT NULL, given_up_at timestamptz DEFAULT now() NOT NULL, reason text NOT NULL);
CREATE TABLE webhook_secrets (tenant_id text NOT NULL COLLATE pg_catalog."C", endpoint_id text NOT NULL COLLATE pg_catalog."C", id text NOT NULL COLLATE pg_catalog."C", sealed text NOT NULL, created_at timestamptz DEFAULT now() NOT NULL, expires_at timestamptz);
ALTER TABLE ONLY ats_event_keys ATTACH PARTITION ats_event_keys_default DEFAULT;
ALTER TABLE ONLY ats_events ATTACH PARTITION ats_events_default DEFAULT;
ALTER TABLE ONLY attempts ATTACH PARTITION attempts_default DEFAULT;
ALTER TABLE ONLY events ATTACH PARTITION events_default DEFAULT;
ALTER TABLE ONLY sign_ins ATTACH PARTITION sign_ins_default DEFAULT;
ALTER TABLE ONLY migrations ALTER COLUMN id SET DEFAULT nextval('migrations_id_seq'::regclass);
ALTER TABLE ONLY migrations ADD CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_tenant_id_hash_key UNIQUE (tenant_id, hash);
ALTER TABLE ONLY ats_authorizations ADD CONSTRAINT ats_authorizations_pkey PRIMARY KEY (tenant_id, hash);
ALTER TABLE ONLY ats_connect_links ADD CONSTRAINT ats_connect_links_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY ats_connections ADD CONSTRAINT ats_connections_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY ats_event_keys ADD CONSTRAINT ats_event_keys_pkey PRIMARY KEY (tenant_id, connection_id, key, at);
ALTER TABLE ONLY ats_event_keys_default ADD CONSTRAINT ats_event_keys_default_pkey PRIMARY KEY (tenant_id, connection_id, key, at);
ALTER TABLE ONLY ats_events ADD CONSTRAINT ats_events_pkey PRIMARY KEY (tenant_id, connection_id, id, at);
ALTER TABLE ONLY ats_events_default ADD CONSTRAINT ats_events_default_pkey PRIMARY KEY (tenant_id, connection_id, id, at);
ALTER TABLE ONLY ats_inboxes ADD CONSTRAINT ats_inboxes_pkey PRIMARY KEY (tenant_id, connection_id);
ALTER TABLE ONLY ats_open_events ADD CONSTRAINT ats_open_events_pkey PRIMARY KEY (tenant_id, connection_id, failed, id);
ALTER TABLE ONLY ats_paces ADD CONSTRAINT ats_paces_pkey PRIMARY KEY (tenant_id, connection_id);
ALTER TABLE ONLY ats_polls ADD CONSTRAINT ats_polls_pkey PRIMARY KEY (tenant_id, connection_id, kind);
ALTER TABLE ONLY ats_problems ADD CONSTRAINT ats_problems_pkey PRIMARY KEY (tenant_id, connection_id, problem);
ALTER TABLE ONLY ats_records ADD CONSTRAINT ats_records_pkey PRIMARY KEY (tenant_id, connection_id, kind, remote_id);
ALTER TABLE ONLY ats_renewals ADD CONSTRAINT ats_renewals_pkey PRIMARY KEY (tenant_id, connection_id);
ALTER TABLE ONLY ats_runs ADD CONSTRAINT ats_runs_pkey PRIMARY KEY (tenant_id, connection_id, id);
ALTER TABLE ONLY ats_signing_secrets ADD CONSTRAINT ats_signing_secrets_pkey PRIMARY KEY (tenant_id, connection_id, id);
ALTER TABLE ONLY ats_syncs ADD CONSTRAINT ats_syncs_pkey PRIMARY KEY (tenant_id, connection_id);
ALTER TABLE ONLY ats_tokens ADD CONSTRAINT ats_tokens_pkey PRIMARY KEY (provider, hash);
ALTER TABLE ONLY ats_writes ADD CONSTRAINT ats_writes_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY attempts ADD CONSTRAINT attempts_pkey PRIMARY KEY (tenant_id, subject, last_sequence, at, n);
ALTER TABLE ONLY attempts_default ADD CONSTRAINT attempts_default_pkey PRIMARY KEY (tenant_id, subject, last_sequence, at, n);
ALTER TABLE ONLY audit_entries ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (tenant_id, entry_id);
ALTER TABLE ONLY candidate_tombstones ADD CONSTRAINT candidate_tombstones_pkey PRIMARY KEY (tenant_id, candidate_id);
ALTER TABLE ONLY candidates ADD CONSTRAINT candidates_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY chain_days ADD CONSTRAINT chain_days_pkey PRIMARY KEY (tenant_id, chain, day);
ALTER TABLE ONLY chain_heads ADD CONSTRAINT chain_heads_pkey PRIMARY KEY (tenant_id, chain);
ALTER TABLE ONLY chain_keys ADD CONSTRAINT chain_keys_pkey PRIMARY KEY (key_id, endorsed_by);
ALTER TABLE ONLY changes ADD CONSTRAINT changes_pkey PRIMARY KEY (tenant_id, sequence);
ALTER TABLE ONLY closed_days ADD CONSTRAINT closed_days_pkey PRIMARY KEY (tenant_id, chain, day);
ALTER TABLE ONLY connection_slugs ADD CONSTRAINT connection_slugs_pkey PRIMARY KEY (slug);
ALTER TABLE ONLY connections ADD CONSTRAINT connections_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY deleted_users ADD CONSTRAINT deleted_users_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY destinations ADD CONSTRAINT destinations_pkey PRIMARY KEY (tenant_id, channel, id);
ALTER TABLE ONLY directories ADD CONSTRAINT directories_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY domains ADD CONSTRAINT domains_pkey PRIMARY KEY (tenant_id, domain);
ALTER TABLE ONLY event_floors ADD CONSTRAINT event_floors_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY event_thresholds ADD CONSTRAINT event_thresholds_pkey PRIMARY KEY (tenant_id, threshold);
ALTER TABLE ONLY events ADD CONSTRAINT events_pkey PRIMARY KEY (tenant_id, sequence, at);
ALTER TABLE ONLY events_default ADD CONSTRAINT events_default_pkey PRIMARY KEY (tenant_id, sequence, at);
ALTER TABLE ONLY group_members ADD CONSTRAINT group_members_pkey PRIMARY KEY (tenant_id, group_id, member_id);
ALTER TABLE ONLY group_rules ADD CONSTRAINT group_rules_pkey PRIMARY KEY (tenant_id, directory_id, "position");
ALTER TABLE ONLY groups ADD CONSTRAINT groups_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, credential_id, key);
ALTER TABLE ONLY identities ADD CONSTRAINT identities_pkey PRIMARY KEY (tenant_id, connection_id, subject);
ALTER TABLE ONLY idp_logouts ADD CONSTRAINT idp_logouts_pkey PRIMARY KEY (tenant_id, connection_id, mark);
ALTER TABLE ONLY installation_audit ADD CONSTRAINT installation_audit_pkey PRIMARY KEY (entry_id);
ALTER TABLE ONLY installation ADD CONSTRAINT installation_pkey PRIMARY KEY (one);
ALTER TABLE ONLY interviews ADD CONSTRAINT interviews_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY job_openings ADD CONSTRAINT job_openings_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY lanes ADD CONSTRAINT lanes_pkey PRIMARY KEY (tenant_id, channel, destination, subject);
ALTER TABLE ONLY owner_sign_in_links ADD CONSTRAINT owner_sign_in_links_pkey PRIMARY KEY (tenant_id, user_id);
ALTER TABLE ONLY owner_sign_in_links ADD CONSTRAINT owner_sign_in_links_tenant_id_hash_key UNIQUE (tenant_id, hash);
ALTER TABLE ONLY pending_members ADD CONSTRAINT pending_members_pkey PRIMARY KEY (tenant_id, group_id, member_id);
ALTER TABLE ONLY population ADD CONSTRAINT population_pkey PRIMARY KEY (tenant_id, owner);
ALTER TABLE ONLY preview_writes ADD CONSTRAINT preview_writes_pkey PRIMARY KEY (tenant_id, directory_id, user_id);
ALTER TABLE ONLY roles ADD CONSTRAINT roles_pkey PRIMARY KEY (tenant_id, name);
ALTER TABLE ONLY saml_entity_ids ADD CONSTRAINT saml_entity_ids_pkey PRIMARY KEY (entity_id);
ALTER TABLE ONLY scim_tokens ADD CONSTRAINT scim_tokens_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY scim_tokens ADD CONSTRAINT scim_tokens_tenant_id_hash_key UNIQUE (tenant_id, hash);
ALTER TABLE ONLY scorecards ADD CONSTRAINT scorecards_pkey PRIMARY KEY (tenant_id, interview_id, version);
ALTER TABLE ONLY seat_entries ADD CONSTRAINT seat_entries_pkey PRIMARY KEY (tenant_id, entry_id);
ALTER TABLE ONLY seat_limits ADD CONSTRAINT seat_limits_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY service_keys ADD CONSTRAINT service_keys_pkey PRIMARY KEY (purpose, id);
ALTER TABLE ONLY session_tokens ADD CONSTRAINT session_tokens_pkey PRIMARY KEY (tenant_id, hash);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_tenant_id_hash_key UNIQUE (tenant_id, hash);
ALTER TABLE ONLY sign_in_requests ADD CONSTRAINT sign_in_requests_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY sign_ins ADD CONSTRAINT sign_ins_pkey PRIMARY KEY (tenant_id, id, at);
ALTER TABLE ONLY sign_ins_default ADD CONSTRAINT sign_ins_default_pkey PRIMARY KEY (tenant_id, id, at);
ALTER TABLE ONLY task_left_out ADD CONSTRAINT task_left_out_pkey PRIMARY KEY (tenant_id, task_id, item_id);
ALTER TABLE ONLY task_seen ADD CONSTRAINT task_seen_pkey PRIMARY KEY (tenant_id, task_id, user_id);
ALTER TABLE ONLY tasks ADD CONSTRAINT tasks_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY tenant_storage ADD CONSTRAINT tenant_storage_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tries ADD CONSTRAINT tries_pkey PRIMARY KEY (bucket);
ALTER TABLE ONLY used_messages ADD CONSTRAINT used_messages_pkey PRIMARY KEY (tenant_id, connection_id, message_id);
ALTER TABLE ONLY user_aliases ADD CONSTRAINT user_aliases_pkey PRIMARY KEY (tenant_id, external_id, user_id);
ALTER TABLE ONLY user_emails ADD CONSTRAINT user_emails_pkey PRIMARY KEY (tenant_id, user_id, ordinal);
ALTER TABLE ONLY user_notes ADD CONSTRAINT user_notes_pkey PRIMARY KEY (tenant_id, note_id);
ALTER TABLE ONLY users ADD CONSTRAINT users_pkey PRIMARY KEY (tenant_id, id) INCLUDE (directory_id, gone_at);
ALTER TABLE ONLY verified_domains ADD CONSTRAINT verified_domains_pkey PRIMARY KEY (domain);
ALTER TABLE ONLY webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY webhook_given_up ADD CONSTRAINT webhook_given_up_pkey PRIMARY KEY (tenant_id, endpoint_id, sequence);
ALTER TABLE ONLY webhook_secrets ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (tenant_id, endpoint_id, id);
CREATE INDEX ats_authorizations_expired ON ats_authorizations USING btree (expires_at);
CREATE UNIQUE INDEX ats_connect_links_hash ON ats_connect_links USING btree (tenant_id, hash);
CREATE UNIQUE INDEX ats_connections_marker ON ats_connections USING btree (tenant_id, marker);
CREATE INDEX ats_connections_renew ON ats_connections USING btree (renew_at) WHERE (renew_at IS NOT NULL);
CREATE INDEX ats_events_record ON ONLY ats_events USING btree (tenant_id, connection_id, remote_id, id) WHERE (remote_id IS NOT NULL);
CREATE INDEX ats_events_default_tenant_id_connection_id_remote_id_id_idx ON ats_events_default USING btree (tenant_id, connection_id, remote_id, id) WHERE (remote_id IS NOT NULL);
CREATE INDEX ats_records_polled ON ats_records USING btree (tenant_id, connection_id, changed_at) WHERE (brought_by = 'poll'::text);
CREATE INDEX ats_records_record ON ats_records USING btree (tenant_id, record_id) WHERE (record_id IS NOT NULL);
CREATE INDEX ats_records_survivor ON ats_records USING btree (tenant_id, connection_id, survivor_id) WHERE (survivor_id IS NOT NULL);
CREATE INDEX ats_syncs_next ON ats_syncs USING btree (next_at);
CREATE UNIQUE INDEX ats_tokens_connection ON ats_tokens USING btree (tenant_id, connection_id, id);
CREATE INDEX ats_writes_candidate ON ats_writes USING btree (tenant_id, candidate_id, id);
CREATE INDEX ats_writes_listed ON ats_writes USING btree (tenant_id, connection_id, id);
CREATE INDEX ats_writes_next ON ats_writes USING btree (tenant_id, connection_id, candidate_id, sequence) WHERE (state = 'waiting'::text);
CREATE UNIQUE INDEX ats_writes_revision ON ats_writes USING btree (tenant_id, connection_id, interview_id, kind, revision);
CREATE INDEX ats_writes_state ON ats_writes USING btree (tenant_id, connection_id, state, id);
CREATE INDEX attempts_endpoints ON ONLY attempts USING btree (tenant_id, channel, destination, at DESC) WHERE (channel <> 'platform'::text);
CREATE INDEX attempts_default_endpoints ON attempts_default USING btree (tenant_id, channel, destination, at DESC) WHERE (channel <> 'platform'::text);
CREATE UNIQUE INDEX audit_entries_sealed ON audit_entries USING btree (tenant_id, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX audit_entries_target ON audit_entries USING btree (tenant_id, target_type, target_id, entry_id);
CREATE INDEX audit_entries_unsealed ON audit_entries USING btree (tenant_id, entry_id) WHERE (sequence IS NULL);
CREATE INDEX candidate_tombstones_external_id ON candidate_tombstones USING btree (tenant_id, external_id, gone_at);
CREATE INDEX candidates_ats_status ON candidates USING btree (tenant_id, ats_status, id) WHERE (ats_status IS NOT NULL);
CREATE INDEX candidates_connection ON candidates USING btree (tenant_id, ats_connection_id, id) WHERE (ats_connection_id IS NOT NULL);
CREATE INDEX candidates_email ON candidates USING btree (tenant_id, email_key, id);
CREATE UNIQUE INDEX candidates_external_id ON candidates USING btree (tenant_id, external_id);
CREATE INDEX candidates_first_name ON candidates USING btree (tenant_id, lower(first_name) COLLATE "C", id);
CREATE INDEX candidates_last_name ON candidates USING btree (tenant_id, lower(last_name) COLLATE "C", id);
CREATE INDEX candidates_opening ON candidates USING btree (tenant_id, job_opening_id, id) WHERE (job_opening_id IS NOT NULL);
CREATE INDEX candidates_priority ON candidates USING btree (tenant_id, ats_priority, id) WHERE (ats_priority IS NOT NULL);
CREATE INDEX candidates_stage ON candidates USING btree (tenant_id, stage, id) WHERE (stage IS NOT NULL);
CREATE INDEX candidates_titled_by ON candidates USING btree (tenant_id, job_opening_id, id) WHERE ((job_opening_id IS NOT NULL) AND (NOT job_title_set));
CREATE INDEX candidates_updated ON candidates USING btree (tenant_id, updated_at);
CREATE INDEX changes_departures ON changes USING btree (tenant_id, sequence) WHERE (kind = ANY (ARRAY['deactivated'::text, 'deleted'::text]));
CREATE INDEX changes_user ON changes USING btree (tenant_id, user_id, sequence);
CREATE INDEX connections_directory ON connections USING btree (tenant_id, directory_id);
CREATE INDEX connections_issuer ON connections USING hash (((settings ->> 'issuer'::text))) WHERE ((type = 'oidc'::text) AND enabled AND (deleted_at IS NULL));
CREATE INDEX deleted_users_email ON deleted_users USING btree (tenant_id, lower(((person ->> 'email'::text) COLLATE "C")));
CREATE INDEX deleted_users_key ON deleted_users USING btree (tenant_id, directory_id, external_id);
CREATE INDEX deleted_users_name ON deleted_users USING btree (tenant_id, directory_id, lower((user_name COLLATE "C")));
CREATE INDEX directories_deleted ON directories USING btree (tenant_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX domains_connection ON domains USING btree (tenant_id, connection_id);
CREATE INDEX events_record ON ONLY events USING btree (tenant_id, record, sequence) WHERE (record IS NOT NULL);
CREATE INDEX events_default_tenant_id_record_sequence_idx ON events_default USING btree (tenant_id, record, sequence) WHERE (record IS NOT NULL);
CREATE INDEX group_members_member ON group_members USING btree (tenant_id, member_id, group_id);
CREATE INDEX group_rules_group ON group_rules USING btree (tenant_id, group_id);
CREATE INDEX group_rules_role ON group_rules USING btree (tenant_id, role);
CREATE UNIQUE INDEX groups_name ON groups USING btree (tenant_id, directory_id, display_name_key, name_twin);
CREATE INDEX groups_page ON groups USING btree (tenant_id, directory_id, id);
CREATE INDEX groups_with_external_id ON groups USING btree (tenant_id, directory_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (tenant_id, created_at);
CREATE INDEX identities_name ON identities USING btree (tenant_id, made_by, lower((made_of COLLATE "C"))) WHERE (ended_at IS NULL);
CREATE INDEX identities_newest ON identities USING btree (tenant_id, connection_id, created_at);
CREATE INDEX identities_person ON identities USING btree (tenant_id, user_id, created_at);
CREATE UNIQUE INDEX identities_user ON identities USING btree (tenant_id, user_id, connection_id) WHERE (ended_at IS NULL);
CREATE INDEX interviews_candidate ON interviews USING btree (tenant_id, candidate_id, id);
CREATE INDEX interviews_job ON interviews USING btree (tenant_id, job_id, id) WHERE (job_id IS NOT NULL);
CREATE INDEX interviews_state ON interviews USING btree (tenant_id, state, id);
CREATE INDEX interviews_updated ON interviews USING btree (tenant_id, updated_at);
CREATE INDEX job_openings_ats ON job_openings USING btree (tenant_id, ats, id) WHERE (ats IS NOT NULL);
CREATE UNIQUE INDEX job_openings_external_id ON job_openings USING btree (tenant_id, external_id);
CREATE INDEX job_openings_status ON job_openings USING btree (tenant_id, status, id);
CREATE INDEX job_openings_updated ON job_openings USING btree (tenant_id, updated_at);
CREATE INDEX lanes_due ON lanes USING btree (tenant_id, channel, destination, rank, first_pending) WHERE ((first_pending IS NOT NULL) AND (parked_reason IS NULL));
CREATE INDEX lanes_outdated ON lanes USING btree (tenant_id, channel, destination) WHERE (newer_since IS NOT NULL);
CREATE INDEX lanes_parked ON lanes USING btree (tenant_id, channel, destination, failed_at) WHERE (parked_reason IS NOT NULL);
CREATE INDEX lanes_platform_id ON lanes USING btree (tenant_id, channel, destination, platform_id) WHERE (platform_id IS NOT NULL);
CREATE INDEX pending_members_member ON pending_members USING btree (tenant_id, member_id);
CREATE INDEX pending_members_since ON pending_members USING btree (tenant_id, since);
CREATE INDEX population_steps_owner ON population_steps USING btree (tenant_id, owner);
CREATE INDEX preview_writes_user ON preview_writes USING btree (tenant_id, user_id);
CREATE UNIQUE INDEX preview_writes_user_name ON preview_writes USING btree (tenant_id, directory_id, user_name_key);
CREATE INDEX scim_tokens_directory ON scim_tokens USING btree (tenant_id, directory_id);
CREATE INDEX seat_entries_moment ON seat_entries USING btree (tenant_id, effective_at, sequence) WHERE (effective_at IS NOT NULL);
CREATE UNIQUE INDEX seat_entries_sealed ON seat_entries USING btree (tenant_id, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX seat_entries_unsealed ON seat_entries USING btree (tenant_id, entry_id) INCLUDE (delta) WHERE (sequence IS NULL);
CREATE INDEX seat_entries_user ON seat_entries USING btree (tenant_id, user_id, sequence);
CREATE INDEX seat_limits_counting ON seat_limits USING btree (tenant_id) WHERE (mode = 'exact'::text);
CREATE INDEX session_tokens_session ON session_tokens USING btree (tenant_id, session_id);
CREATE INDEX sessions_idp ON sessions USING btree (tenant_id, connection_id, idp_session) WHERE (ended_at IS NULL);
CREATE INDEX sessions_name ON sessions USING btree (tenant_id, connection_id, COALESCE((name_id ->> 'value'::text), subject)) WHERE (ended_at IS NULL);
CREATE INDEX sessions_subject ON sessions USING btree (tenant_id, connection_id, subject);
CREATE INDEX sessions_user ON sessions USING btree (tenant_id, user_id, id);
CREATE INDEX sign_in_requests_age ON sign_in_requests USING btree (tenant_id, expires_at);
CREATE INDEX sign_in_requests_connection ON sign_in_requests USING btree (tenant_id, connection_id);
CREATE INDEX sign_ins_reason ON ONLY sign_ins USING btree (tenant_id, reason, id) WHERE (outcome = 'refused'::text);
CREATE INDEX sign_ins_default_tenant_id_reason_id_idx ON sign_ins_default USING btree (tenant_id, reason, id) WHERE (outcome = 'refused'::text);
CREATE INDEX sign_ins_user ON ONLY sign_ins USING btree (tenant_id, user_id, at);
CREATE INDEX sign_ins_default_tenant_id_user_id_at_idx ON sign_ins_default USING btree (tenant_id, user_id, at);
CREATE INDEX tasks_of_directory ON tasks USING btree (tenant_id, directory_id, id) WHERE (directory_id IS NOT NULL);
CREATE INDEX tasks_open ON tasks USING btree (tenant_id, created_at) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE INDEX tenant_storage_due ON tenant_storage USING btree (due_at);
CREATE INDEX tenant_storage_states ON tenant_storage USING btree (tenant_id, state) WHERE (state <> 'ok'::text);
CREATE UNIQUE INDEX tenants_base_url ON tenants USING btree (base_url) WHERE (base_url IS NOT NULL);
CREATE INDEX used_messages_age ON used_messages USING btree (tenant_id, until);
CREATE INDEX user_aliases_user ON user_aliases USING btree (tenant_id, user_id);
CREATE INDEX user_emails_value ON user_emails USING btree (tenant_id, value_key, type_key, user_id);
CREATE INDEX user_notes_of_user ON user_notes USING btree (tenant_id, user_id, at, note_id);
CREATE INDEX users_created ON users USING btree (tenant_id, created_at, id);
CREATE INDEX users_display_name ON users USING btree (tenant_id, COALESCE("left"(lower(((doc #>> '{displayName}'::text[]) COLLATE scim_text)), 256), chr(1114111)) COLLATE "C", id);
CREATE UNIQUE INDEX users_email ON users USING btree (tenant_id, email_key) WHERE ((status = 'active'::text) AND (email_key IS NOT NULL));
CREATE INDEX users_external_id ON users USING btree (tenant_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX users_external_id_order ON users USING btree (tenant_id, COALESCE("left"(external_id, 256), chr(1114111)), id);
CREATE INDEX users_held ON users USING btree (tenant_id, held_since, id) WHERE (held IS NOT NULL);
CREATE INDEX users_inactive_email ON users USING btree (tenant_id, email_key) WHERE ((status = 'inactive'::text) AND (email_key IS NOT NULL));
CREATE INDEX users_inactive_external_id ON users USING btree (tenant_id, person_external_id) WHERE ((status = 'inactive'::text) AND (person_external_id IS NOT NULL));
CREATE INDEX users_manager ON users USING btree (tenant_id, manager_id) WHERE (manager_id IS NOT NULL);
CREATE INDEX users_modified ON users USING btree (tenant_id, COALESCE(resource_at, updated_at), id);
CREATE UNIQUE INDEX users_person_external_id ON users USING btree (tenant_id, person_external_id) WHERE ((status = 'active'::text) AND (person_external_id IS NOT NULL));
CREATE INDEX users_protected ON users USING btree (tenant_id, id) WHERE (held = 'protected'::text);
CREATE INDEX users_reconsidered ON users USING btree (tenant_id) WHERE ((seat = 'waiting'::text) OR (held = ANY (ARRAY['email_taken'::text, 'external_id_taken'::text, 'superseded'::text])));
CREATE INDEX users_requested_email ON users USING btree (tenant_id, requested_email_key) WHERE (requested_email_key IS NOT NULL);
CREATE INDEX users_unmanaged_email ON users USING btree (tenant_id, email_key) WHERE (directory_id IS NULL);
CREATE INDEX users_unmanaged_external_id ON users USING btree (tenant_id, person_external_id) WHERE (directory_id IS NULL);
CREATE INDEX users_updated ON users USING btree (tenant_id, updated_at, id);
CREATE UNIQUE INDEX users_user_name ON users USING btree (tenant_id, user_name_key);
CREATE INDEX users_waiting ON users USING btree (tenant_id, waiting_since, id) WHERE (seat = 'waiting'::text);
CREATE INDEX webhook_given_up_record ON webhook_given_up USING btree (tenant_id, endpoint_id, record, sequence) WHERE (record IS NOT NULL);
ALTER INDEX ats_event_keys_pkey ATTACH PARTITION ats_event_keys_default_pkey;
ALTER INDEX ats_events_pkey ATTACH PARTITION ats_events_default_pkey;
ALTER INDEX ats_events_record ATTACH PARTITION ats_events_default_tenant_id_connection_id_remote_id_id_idx;
ALTER INDEX attempts_endpoints ATTACH PARTITION attempts_default_endpoints;
ALTER INDEX attempts_pkey ATTACH PARTITION attempts_default_pkey;
ALTER INDEX events_pkey ATTACH PARTITION events_default_pkey;
ALTER INDEX events_record ATTACH PARTITION events_default_tenant_id_record_sequence_idx;
ALTER INDEX sign_ins_pkey ATTACH PARTITION sign_ins_default_pkey;
ALTER INDEX sign_ins_reason ATTACH PARTITION sign_ins_default_tenant_id_reason_id_idx;
ALTER INDEX sign_ins_user ATTACH PARTITION sign_ins_default_tenant_id_user_id_at_idx;
CREATE STATISTICS group_members_group_id_of_tenant (ndistinct, dependencies) ON tenant_id, group_id FROM group_members;
CREATE STATISTICS groups_directory_id_of_tenant (ndistinct, dependencies) ON tenant_id, directory_id FROM groups;
CREATE STATISTICS identities_connection_id_of_tenant (ndistinct, dependencies) ON tenant_id, connection_id FROM identities;
CREATE STATISTICS scim_tokens_directory_id_of_tenant (ndistinct, dependencies) ON tenant_id, directory_id FROM scim_tokens;
CREATE STATISTICS sessions_connection_id_of_tenant (ndistinct, dependencies) ON tenant_id, connection_id FROM sessions;
CREATE TRIGGER api_keys_told AFTER DELETE OR UPDATE OF name, scopes, expires_at, revoked_at ON api_keys FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER ats_connections_told AFTER INSERT OR DELETE OR UPDATE ON ats_connections FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER ats_signing_secrets_told AFTER INSERT OR DELETE OR UPDATE ON ats_signing_secrets FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER ats_tokens_told AFTER INSERT OR DELETE OR UPDATE ON ats_tokens FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE ON audit_entries FOR EACH ROW WHEN (old.sequence IS NOT NULL OR new.sequence IS NULL OR (old.tenant_id, old.entry_id, old.at, old.actor, old.action, old.target_type, old.target_id, old.before, old.after, old.request_id) IS DISTINCT FROM (new.tenant_id, new.entry_id, new.at, new.actor, new.action, new.target_type, new.target_id, new.before, new.after, new.request_id)) EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER audit_entries_never_deleted BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER audit_entries_never_truncated BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_heads_never_deleted BEFORE DELETE ON chain_heads FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_heads_never_truncated BEFORE TRUNCATE ON chain_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_heads_unsigned BEFORE UPDATE ON chain_heads FOR EACH ROW EXECUTE FUNCTION note_unsigned();
CREATE TRIGGER chain_keys_append_only BEFORE DELETE OR UPDATE ON chain_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_keys_never_truncated BEFORE TRUNCATE ON chain_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_days_append_only BEFORE DELETE OR UPDATE ON closed_days FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_days_never_truncated BEFORE TRUNCATE ON closed_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER connection_slugs_told AFTER INSERT OR DELETE OR UPDATE ON connection_slugs FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER connections_told AFTER INSERT OR DELETE OR UPDATE OF slug, name, type, enabled, version, directory_id, settings, client_secret_sealed, private_key_sealed, tested_at, deleted_at ON connections FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER directories_told AFTER INSERT OR DELETE OR UPDATE OF name, profile, state, default_role, attribute_map, on_match, takes_over, replace_creates_missing, guard, deleted_at ON directories FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER domains_told AFTER INSERT OR DELETE OR UPDATE OF connection_id, verified_by, lost_at ON domains FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER group_rules_told AFTER INSERT OR DELETE OR UPDATE ON group_rules FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER installation_audit_append_only BEFORE DELETE OR UPDATE ON installation_audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER installation_audit_never_truncated BEFORE TRUNCATE ON installation_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER roles_told AFTER INSERT OR DELETE OR UPDATE ON roles FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER scim_tokens_told AFTER DELETE OR UPDATE OF name, directory_id, expires_at, revoked_at ON scim_tokens FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER seat_entries_append_only BEFORE UPDATE ON seat_entries FOR EACH ROW WHEN (old.sequence IS NOT NULL OR new.sequence IS NULL OR (old.tenant_id, old.entry_id, old.kind, old.user_id, old.delta, old.role, old.directory_id, old.cost_center, old.details, old.reason, old.source, old.occurred_at) IS DISTINCT FROM (new.tenant_id, new.entry_id, new.kind, new.user_id, new.delta, new.role, new.directory_id, new.cost_center, new.details, new.reason, new.source, new.occurred_at)) EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER seat_entries_never_deleted BEFORE DELETE ON seat_entries FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER seat_entries_never_truncated BEFORE TRUNCATE ON seat_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seat_limits_told AFTER INSERT OR DELETE OR UPDATE ON seat_limits FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER service_keys_told AFTER INSERT OR DELETE OR UPDATE ON service_keys FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER tenants_told AFTER DELETE OR UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER verified_domains_told AFTER INSERT OR DELETE OR UPDATE ON verified_domains FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER webhook_endpoints_told AFTER INSERT OR DELETE OR UPDATE OF url, description, events, form, ordered, headers_sealed, updated_at ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION tell_settings();
CREATE TRIGGER webhook_secrets_told AFTER INSERT OR DELETE OR UPDATE ON webhook_secrets FOR EACH ROW EXECUTE FUNCTION tell_settings();
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY ats_authorizations ADD CONSTRAINT ats_authorizations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY ats_connect_links ADD CONSTRAINT ats_connect_links_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY ats_connections ADD CONSTRAINT ats_connections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY ats_paces ADD CONSTRAINT ats_paces_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES ats_connections(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY ats_problems ADD CONSTRAINT ats_problems_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES ats_connections(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY ats_renewals ADD CONSTRAINT ats_renewals_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES ats_connections(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY ats_signing_secrets ADD CONSTRAINT ats_signing_secrets_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES ats_connections(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY ats_tokens ADD CONSTRAINT ats_tokens_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES ats_connections(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY audit_entries ADD CONSTRAINT audit_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY chain_days ADD CONSTRAINT chain_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY chain_heads ADD CONSTRAINT chain_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY closed_days ADD CONSTRAINT closed_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY connections ADD CONSTRAINT connections_tenant_id_directory_id_fkey FOREIGN KEY (tenant_id, directory_id) REFERENCES directories(tenant_id, id);
ALTER TABLE ONLY connections ADD CONSTRAINT connections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY destinations ADD CONSTRAINT destinations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY directories ADD CONSTRAINT directories_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY domains ADD CONSTRAINT domains_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES connections(tenant_id, id);
ALTER TABLE ONLY domains ADD CONSTRAINT domains_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY event_floors ADD CONSTRAINT event_floors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY event_thresholds ADD CONSTRAINT event_thresholds_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY group_members ADD CONSTRAINT group_members_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES groups(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY group_rules ADD CONSTRAINT group_rules_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES groups(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY group_rules ADD CONSTRAINT group_rules_tenant_id_role_fkey FOREIGN KEY (tenant_id, role) REFERENCES roles(tenant_id, name);
ALTER TABLE ONLY groups ADD CONSTRAINT groups_tenant_id_directory_id_fkey FOREIGN KEY (tenant_id, directory_id) REFERENCES directories(tenant_id, id);
ALTER TABLE ONLY idempotency_keys ADD CONSTRAINT idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY identities ADD CONSTRAINT identities_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES connections(tenant_id, id);
ALTER TABLE ONLY tasks ADD CONSTRAINT jobs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY owner_sign_in_links ADD CONSTRAINT owner_sign_in_links_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY pending_members ADD CONSTRAINT pending_members_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES groups(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY preview_writes ADD CONSTRAINT preview_writes_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY roles ADD CONSTRAINT roles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY scim_tokens ADD CONSTRAINT scim_tokens_tenant_id_directory_id_fkey FOREIGN KEY (tenant_id, directory_id) REFERENCES directories(tenant_id, id);
ALTER TABLE ONLY seat_limits ADD CONSTRAINT seat_limits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY session_tokens ADD CONSTRAINT session_tokens_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES sessions(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES connections(tenant_id, id);
ALTER TABLE ONLY sign_in_requests ADD CONSTRAINT sign_in_requests_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES connections(tenant_id, id);
ALTER TABLE ONLY task_left_out ADD CONSTRAINT task_left_out_tenant_id_task_id_fkey FOREIGN KEY (tenant_id, task_id) REFERENCES tasks(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY task_seen ADD CONSTRAINT task_seen_tenant_id_task_id_fkey FOREIGN KEY (tenant_id, task_id) REFERENCES tasks(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY tenant_storage ADD CONSTRAINT tenant_storage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY user_aliases ADD CONSTRAINT user_aliases_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_endpoints ADD CONSTRAINT webhook_endpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id);
ALTER TABLE ONLY webhook_secrets ADD CONSTRAINT webhook_secrets_tenant_id_endpoint_id_fkey FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoints(tenant_id, id) ON DELETE CASCADE;
REVOKE ALL ON FUNCTION analyze_table(p_table text, p_columns text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION drop_month(p_table text, p_name text) FROM PUBLIC;
REVOKE ALL ON FUNCTION lock_chain_head(p_tenant text, p_chain text, p_wait boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION make_month(p_table text, p_month date) FROM PUBLIC;
REVOKE ALL ON FUNCTION oldest_work() FROM PUBLIC;
REVOKE ALL ON FUNCTION seal_chain(p_tenant text, p_chain text, p_ids bigint[], p_hashes bytea[], p_counts integer[], p_effective timestamptz[], p_sealed_through timestamptz, p_signature bytea, p_key_id text) FROM PUBLIC;
INSERT INTO migrations (timestamp, name) VALUES (1767225600000, 'CreateTenants1767225600000'), (1767225660000, 'CreateDirectories1767225660000'), (1767225720000, 'CreateUsers1767225720000'), (1767225780000, 'CreateGroups1767225780000'), (1767225840000, 'CreateSeats1767225840000'), (1767225900000, 'CreateDelivery1767225900000'), (1767225960000, 'CreateSignIn1767225960000'), (1767226020000, 'IndexIdentityNames1767226020000'), (1767226060000, 'TrustOriginsByTenant1767226060000'), (1767226100000, 'DocumentSizes1767226100000'), (1767226300000, 'ProtectLedgers1767226300000'), (1767226310000, 'MaintenanceFunctions1767226310000'), (1767226400000, 'ReserveSignInNames1767226400000'), (1767226500000, 'NeverLockedOut1767226500000'), (1767226600000, 'LinkUsers1767226600000'), (1767226610000, 'TaskResults1767226610000'), (1767226620000, 'PreviewWrites1767226620000'), (1767226630000, 'DiscardedRoles1767226630000'), (1767226700000, 'ResourceRevisions1767226700000'), (1767226710000, 'ListOrders1767226710000'), (1767226800000, 'DoubtedMetadata1767226800000'), (1767226810000, 'SessionNames1767226810000'), (1767226900000, 'ActiveInDocuments1767226900000'), (1767226910000, 'UserNameKeys1767226910000'), (1767226920000, 'PendingMembersEnd1767226920000'), (1767226930000, 'HolderFacts1767226930000'), (1767226940000, 'TenantAddresses1767226940000'), (1767226950000, 'Managers1767226950000'), (1767227000000, 'Installation1767227000000'), (1767227010000, 'TaskSeen1767227010000'), (1767227020000, 'StorageProbe1767227020000'), (1767227030000, 'UnknownRoles1767227030000'), (1767227100000, 'SignInHelp1767227100000'), (1767227200000, 'LaneStates1767227200000'), (1767227400000, 'Tasks1767227400000'), (1767227410000, 'Events1767227410000'), (1767227430000, 'UserListKey1767227430000'), (1767227440000, 'Plans1767227440000'), (1767227441000, 'SettingsNotices1767227441000'), (1767227450000, 'ProvenValues1767227450000'), (1767227452000, 'LargeShares1767227452000'), (1767227460000, 'SignedOutAtIdp1767227460000'), (1767227490000, 'EventSequences1767227490000'), (1767227491000, 'AttemptsOfEndpoints1767227491000'), (1767227500000, 'Candidates1767227500000'), (1767227501000, 'JobOpenings1767227501000'), (1767227502000, 'FirstMonths1767227502000'), (1767227503000, 'TenantOfEvents1767227503000'), (1767227510000, 'Webhooks1767227510000'), (1767227520000, 'EventFeed1767227520000'), (1767227530000, 'AtsConnections1767227530000'), (1767227531000, 'AtsInbound1767227531000'), (1767227532000, 'Interviews1767227532000'), (1767227533000, 'AtsWrites1767227533000'), (1767227534000, 'AtsPaces1767227534000'), (1767227535000, 'AtsMarketplace1767227535000'), (1767227536000, 'AtsOpenEvents1767227536000'), (1767227537000, 'OldestWork1767227537000'), (1767227538000, 'LighterSeals1767227538000'), (1767227539000, 'LighterAnalyses1767227539000'), (1767227540000, 'CorrectLedgers1767227540000'), (1767227550000, 'GroupNames1767227550000'), (1767227560000, 'RequestedEmails1767227560000'), (1767227561000, 'OtherIdpSessions1767227561000'), (1767227562000, 'MetadataDoubts1767227562000'), (1767227563000, 'ProtectedUsers1767227563000'), (1767227570000, 'ConsoleGrants1767227570000'), (1767227580000, 'ChangeCauses1767227580000'), (1767227600000, 'SignedEvents1767227600000'), (1767227610000, 'KeepYoungMonths1767227610000'), (1767227620000, 'FormerNames1767227620000'), (1767227650000, 'InterviewEngine1767227650000'), (1767227651000, 'AtsStanding1767227651000'), (1767227700000, 'CreateInstallationAudit1767227700000'), (1767227750000, 'TenantStorage1767227750000'), (1767227850000, 'FirstDays1767227850000');
INSERT INTO installation DEFAULT VALUES;
SELECT make_month(t, (m AT TIME ZONE 'UTC')::date) FROM unnest(ARRAY['attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys']) t, unnest(ARRAY[now(), now() + interval '1 month']) m;
INSERT INTO tenants (id, name, base_url) VALUES ('ten_a', 'A', 'https://a.bridge.example'), ('ten_b', 'B', NULL);
INSERT INTO roles (tenant_id, name, takes_seat) VALUES ('ten_a', 'User', true);
INSERT INTO tasks (tenant_id, id, kind, payload, created_by) VALUES ('ten_a', 'tsk_1', 'platform.compare', '{}', '{}');
INSERT INTO population (tenant_id, owner, n) VALUES ('ten_a', '', 3);
INSERT INTO population_steps (tenant_id, owner, step) VALUES ('ten_a', '', 1), ('ten_a', '', 1), ('ten_b', '', 1);
INSERT INTO ats_connections (tenant_id, id, provider, name, region, marker, state, takes, writes, created_by) VALUES ('ten_a', 'ats_1', 'greenhouse', 'G', 'us', 'm1', 'ok', '{}', '{}', '{}');
INSERT INTO ats_tokens (provider, hash, tenant_id, connection_id, id, hint, made) VALUES ('greenhouse', '\x01', 'ten_a', 'ats_1', 'tok_1', 'abcd', false), ('greenhouse', '\x02', 'ten_a', 'ats_1', 'tok_2', 'efgh', true);
INSERT INTO ats_paces (tenant_id, connection_id, arrival) VALUES ('ten_a', 'ats_1', now());
