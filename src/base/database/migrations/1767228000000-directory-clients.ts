import type { MigrationInterface, QueryRunner } from 'typeorm';

/** OAuth clients of directories, with their secrets and their access tokens. */
export class DirectoryClients1767228000000 implements MigrationInterface {
  name = 'DirectoryClients1767228000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table directory_clients (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        directory_id text collate "C" not null,
        name text not null,
        kind text not null check (kind in ('secret', 'private_key_jwt', 'federated')),
        issuer text,
        subject text,
        audience text,
        jwks jsonb,
        jwks_url text,
        access_token_seconds int not null,
        created_by jsonb not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        revoked_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, directory_id) references directories (tenant_id, id),
        check ((kind = 'secret') = (jwks is null and jwks_url is null)),
        check ((kind = 'federated') = (issuer is not null and subject is not null and audience is not null))
      )`);
    await db.query(`
      create index directory_clients_directory on directory_clients (tenant_id, directory_id)`);
    await db.query(`
      create trigger directory_clients_told after delete or update of name, directory_id, revoked_at on directory_clients
        for each row execute function tell_settings()`);
    await secrets(db);
    await accessTokens(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table access_tokens, client_secrets, directory_clients`);
  }
}

async function secrets(db: QueryRunner): Promise<void> {
  await db.query(`
    create table client_secrets (
      tenant_id text collate "C" not null,
      id text collate "C" not null,
      client_id text collate "C" not null,
      prefix text not null,
      hash bytea not null,
      created_by jsonb not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, hash),
      foreign key (tenant_id, client_id) references directory_clients (tenant_id, id)
    )`);
  await db.query(`
    create index client_secrets_client on client_secrets (tenant_id, client_id)`);
  await db.query(`
    create trigger client_secrets_told after delete or update of expires_at, revoked_at on client_secrets
      for each row execute function tell_settings()`);
}

async function accessTokens(db: QueryRunner): Promise<void> {
  await db.query(`
    create table access_tokens (
      tenant_id text collate "C" not null,
      id text collate "C" not null,
      client_id text collate "C" not null,
      directory_id text collate "C" not null,
      secret_id text collate "C",
      hash bytea not null,
      expires_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, hash),
      foreign key (tenant_id, client_id) references directory_clients (tenant_id, id)
    )`);
  await db.query(`
    create index access_tokens_client on access_tokens (tenant_id, client_id, id)`);
  await db.query(`
    create index access_tokens_age on access_tokens (tenant_id, expires_at)`);
  await db.query(`
    create trigger access_tokens_told after delete on access_tokens
      for each row when (old.expires_at > now()) execute function tell_settings()`);
}
