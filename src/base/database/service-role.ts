import type { ClientBase } from 'pg';

/** The role that connections change to where one address serves for migrations and service. */
export const SERVICE_ROLE = 'talent_bridge_service';

/** The role of the sandbox platform: it owns the sandbox's schema and sees no other. */
export const SANDBOX_ROLE = 'talent_bridge_sandbox';

/** Tables whose rows never change: the service adds rows and reads them. */
export const APPEND_ONLY = [
  'seat_entries',
  'audit_entries',
  'closed_days',
  'chain_keys',
  'installation_audit',
] as const;

/** Functions of the owner that the service may call. */
const FUNCTIONS = [
  'lock_chain_head(text, text, boolean)',
  'seal_chain(text, text, bigint[], bytea[], int[], timestamptz[], timestamptz, bytea, text)',
  'analyze_table(text, text[])',
  'make_month(text, date)',
  'drop_month(text, text)',
  'signed_out_at_idp(text, text, text[], text[], text[], timestamptz)',
  'opening_title(text, text)',
  'oldest_work()',
];

/** Why the service cannot have a role without the owner's rights; for the log. */
export class NoServiceRole {
  constructor(readonly reason: string) {}
}

/** Makes sure that the connected owner can change to the service's role; returns the role, or why there is none. */
export async function ensureServiceRole(owner: ClientBase): Promise<string | NoServiceRole> {
  const { rows } = await owner.query<{ me: string; super: boolean; makes: boolean }>(
    `select rolname as me, rolsuper as super, rolcreaterole as makes from pg_roles where rolname = current_user`,
  );
  const { me, super: isSuper, makes } = rows[0]!;
  if (!(await exists(owner, SERVICE_ROLE))) {
    if (!isSuper && !makes) return new NoServiceRole(`the role ${me} may not create roles`);
    await owner.query(`create role ${SERVICE_ROLE} nologin`).catch(ignoreDuplicate);
  }
  const found = await owner.query<{ super: boolean; member: boolean }>(
    `select rolsuper as super, pg_has_role(current_user, oid, 'member') as member from pg_roles where rolname = $1`,
    [SERVICE_ROLE],
  );
  if (found.rows[0]?.super !== false) return new NoServiceRole(`${SERVICE_ROLE} is a superuser`);
  if (!isSuper) {
    // From PostgreSQL 16 on, the creator of a role cannot change to it until it grants itself that right.
    const granted = await owner.query(`grant ${SERVICE_ROLE} to ${quoted(me)}`).then(
      () => true,
      () => found.rows[0]!.member,
    );
    if (!granted) return new NoServiceRole(`the role ${me} is no member of ${SERVICE_ROLE}`);
  }
  return SERVICE_ROLE;
}

/** Makes sure that a role with this name and password can log in. An existing role keeps its password, unless `anew`. */
export async function ensureLogin(owner: ClientBase, role: string, password: string, anew = false): Promise<void> {
  const secret = `login password ${owner.escapeLiteral(password)}`;
  if (!(await exists(owner, role))) await owner.query(`create role ${quoted(role)} ${secret}`).catch(ignoreDuplicate);
  else if (anew) await owner.query(`alter role ${quoted(role)} ${secret}`);
}

/** Whether a role has the rights that the service needs in the current schema, and no more on the ledgers. */
export async function isGranted(client: ClientBase, role: string): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>(
    `select not has_schema_privilege($1, current_schema()::text, 'create')
       and not has_table_privilege($1, 'seat_entries', 'update')
       and (select bool_and(has_function_privilege($1, f, 'execute')) from unnest($2::text[]) f)
       and not exists (
         select 1 from pg_class c where c.relnamespace = quote_ident(current_schema())::regnamespace
           and c.relowner = current_user::regrole and not c.relispartition
           and case when c.relkind = 'S' then not has_sequence_privilege($1, c.oid, 'usage')
                    when c.relkind in ('r', 'p') then not has_table_privilege($1, c.oid, 'select') end) as granted`,
    [role, FUNCTIONS],
  );
  return rows[0]!.granted;
}

/**
 * Grants a role the rights that the service needs in the current schema: rows of all tables, but only select and insert on the
 * ledgers; no schema objects. Default privileges cover later tables of the owner.
 */
export async function grantService(owner: ClientBase, role: string): Promise<void> {
  const to = quoted(role);
  const { rows } = await owner.query<{ schema: string; name: string; kind: string }>(
    `select quote_ident(current_schema()) as schema, quote_ident(c.relname) as name, c.relkind::text as kind from pg_class c
     where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relowner = current_user::regrole
       and c.relkind in ('r', 'p', 'S') order by c.relname`,
  );
  const schema = rows[0]!.schema;
  const tables = rows.filter(({ kind }) => kind !== 'S').map(({ name }) => `${schema}.${name}`);
  const sequences = rows.filter(({ kind }) => kind === 'S').map(({ name }) => `${schema}.${name}`);
  const rights = 'select, insert, update, delete';
  const statements = [
    `grant usage on schema ${schema} to ${to}`,
    `revoke all on ${tables.join(', ')} from ${to}`,
    `grant ${rights} on ${tables.join(', ')} to ${to}`,
    `grant usage on sequence ${sequences.join(', ')} to ${to}`,
    `revoke update, delete on ${APPEND_ONLY.join(', ')} from ${to}`,
    // A head changes by `seal_chain` alone; a new tenant has two empty ones.
    `revoke insert, update, delete on chain_heads, migrations from ${to}`,
    `grant insert (tenant_id, chain, hash) on chain_heads to ${to}`,
    `grant execute on function ${FUNCTIONS.join(', ')} to ${to}`,
    `alter default privileges in schema ${schema} grant ${rights} on tables to ${to}`,
    `alter default privileges in schema ${schema} grant usage on sequences to ${to}`,
  ];
  await owner.query('begin');
  try {
    for (const statement of statements) await owner.query(statement);
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  // In a database from before PostgreSQL 15 every role can create objects; only the schema's owner can change that.
  await owner.query(`revoke create on schema ${schema} from public, ${to}`).catch(() => undefined);
}

/** Creates the sandbox's role and gives it the sandbox's schema, with the objects of earlier versions. */
export async function ensureSandboxRole(owner: ClientBase, schema: string, password: string): Promise<void> {
  await ensureLogin(owner, SANDBOX_ROLE, password, true);
  await owner.query(`grant ${SANDBOX_ROLE} to current_user`).catch(() => undefined); // A superuser needs no membership.
  await owner.query(`create schema if not exists ${quoted(schema)}`);
  await owner.query(`alter schema ${quoted(schema)} owner to ${SANDBOX_ROLE}`);
  const { rows } = await owner.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  );
  for (const { name } of rows) await owner.query(`alter table ${quoted(schema)}.${name} owner to ${SANDBOX_ROLE}`);
}

/** Returns the address of the same database with another user. */
export function databaseAddressOf(url: string, user: string, password: string): string {
  const address = new URL(url);
  address.username = encodeURIComponent(user);
  address.password = encodeURIComponent(password);
  return address.href;
}

async function exists(client: ClientBase, role: string): Promise<boolean> {
  return (await client.query(`select 1 from pg_roles where rolname = $1`, [role])).rowCount === 1;
}

/** Two processes, or services in two databases of one server, can create the role at the same time. */
function ignoreDuplicate(error: unknown): void {
  const { code } = error as { code?: string };
  if (code !== '42710' && code !== '23505') throw error;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
