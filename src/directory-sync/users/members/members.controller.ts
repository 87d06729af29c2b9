import { Get, Query } from '@nestjs/common';
import { ApiOperation, ApiProperty, OmitType } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { ApiPage } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { ConsoleAccess } from '../../../tenancy/tenants/administrators.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { type CatalogueRole, TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { PersonBody } from '../../../tenancy/tenants/tenants.dto.js';
import { consoleOf } from '../role.rules.js';

export interface MemberRow {
  id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  role_set: string | null;
  source: 'api' | 'scim' | 'sign-in';
  directory_id: string | null;
  directory_name: string | null;
}

export interface ListedMember {
  user_id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  console: Exclude<ConsoleAccess, 'none'>;
  owner: boolean;
  role_from: 'directory' | 'api' | 'sign-in' | null;
  directory: { id: string; name: string } | null;
}

/**
 * Returns a user who administers. The role comes from the directory of the user, unless the API has set it. Without a
 * directory it comes from the API or the sign-in that created the user.
 */
export function memberOf(
  row: MemberRow,
  tenant: { ownerUserId: string | null; roles: ReadonlyMap<string, CatalogueRole> },
): ListedMember {
  const right = consoleOf(tenant.roles, row.role);
  const owner = row.id === tenant.ownerUserId;
  const isDirectory = row.directory_id !== null && (row.role_set === null || row.role_set !== row.role);
  return {
    user_id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    console: owner || right === 'none' ? 'admin' : right,
    owner,
    role_from: right === 'none' ? null : isDirectory ? 'directory' : row.source === 'sign-in' ? 'sign-in' : 'api',
    directory: row.directory_id === null ? null : { id: row.directory_id, name: row.directory_name ?? '' },
  };
}

class MemberDirectory {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

class MemberBody extends OmitType(PersonBody, ['external_id']) implements ListedMember {
  @ApiProperty({ example: 'usr_01k0000000abcdefghjkmnpqrs' })
  user_id!: string;
  @ApiProperty({ enum: ['admin', 'auditor'], description: 'The right of the role; the owner always has `admin`.' })
  console!: ListedMember['console'];
  @ApiProperty({ description: 'Whether the user is the owner of the tenant.' })
  owner!: boolean;
  @ApiProperty({
    type: String,
    enum: ['directory', 'api', 'sign-in', null],
    nullable: true,
    description:
      'Who gave the role: the directory, by groups, default or SCIM roles; the users API; the claims of a sign-in. Null for an owner whose role administers nothing.',
  })
  role_from!: ListedMember['role_from'];
  @ApiProperty({ type: () => MemberDirectory, nullable: true, description: 'The directory that manages the user.' })
  directory!: MemberDirectory | null;
}

@ApiController('members')
@RequireEveryScope('users:read', 'settings:read')
export class MembersController {
  constructor(
    private readonly db: Database,
    private readonly tenants: TenantStore,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Who administers the tenant, and where the role comes from; newest first' })
  @ApiPage(MemberBody)
  async list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<MemberBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'members');
    const tenant = await this.tenants.get(tenantId);
    const roles = [...tenant.roles].filter(([, { console }]) => console !== 'none').map(([name]) => name);
    // The order is an expression, so that no plan reads all users in the order of the index.
    const { rows } = await this.db.query<MemberRow>(
      `select u.id, u.email, u.first_name, u.last_name, u.role, u.role_set, u.source, u.directory_id, d.name as directory_name
       from users u left join directories d on d.tenant_id = $1 and d.id = u.directory_id
       where u.tenant_id = $1 and u.status = 'active' and u.id = any(array(
         select m.id from unnest($2::text[]) r (role), lateral (
           select id from users where tenant_id = $1 and role = r.role and status = 'active' and ($4::text is null or id < $4)
           order by id desc limit $5) m
         union select $3 where $4::text is null or $3 < $4))
       order by (u.id || '') desc limit $5`,
      [tenantId, roles, tenant.ownerUserId, page.after, page.limit + 1],
    );
    return pageOf(
      page,
      rows,
      ({ id }) => id,
      (row) => memberOf(row, tenant),
    );
  }
}
