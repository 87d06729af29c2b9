-- Webhook endpoints. The state of an endpoint is that of its destination (engine.sql).

-- An endpoint of a subscriber.
create table webhook_endpoints (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  url text not null,
  description text,
  -- Null: all events.
  events text[],
  form text not null,
  ordered boolean not null,
  headers_sealed text,
  -- The API key that made it.
  key_id text collate "C",
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create trigger webhook_endpoints_told after insert or delete or update of url, description, events, form, ordered,
  headers_sealed, updated_at on webhook_endpoints
  for each row execute function tell_settings();

-- A signing secret of an endpoint.
create table webhook_secrets (
  tenant_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  id text collate "C" not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (tenant_id, endpoint_id, id),
  foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade
);
create trigger webhook_secrets_told after insert or update or delete on webhook_secrets
  for each row execute function tell_settings();

-- A message that was given up after its tries. The row keeps no data of it.
create table webhook_given_up (
  tenant_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  sequence bigint not null,
  at timestamptz not null,
  record text collate "C",
  event text not null,
  given_up_at timestamptz not null default now(),
  reason text not null,
  primary key (tenant_id, endpoint_id, sequence)
);
create index webhook_given_up_record on webhook_given_up (tenant_id, endpoint_id, record, sequence)
  where record is not null;
