import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { SignInLog, type SignInRow } from '../../auth/sign-in/log/sign-in-log.js';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { UserDirectoryRepository, type ListedUser } from '../../directory-sync/users/user-directory.repository.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { sequenceOfEvent } from '../../engine/events/event-recorder.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import { ChangesService } from '../../forwarding/changes/changes.service.js';
import { foldCase } from '../../protocols/scim/text.js';
import { holdsScope, type Caller } from '../../tenancy/tenants/caller.js';
import type { Scope } from '../../tenancy/tenants/scopes.js';
import { RequestsRepository } from '../requests/requests.repository.js';

const HIT_KINDS = [
  'user',
  'directory',
  'group',
  'task',
  'request',
  'change',
  'sign_in',
  'candidate',
  'interview',
  'job',
  'api_key',
  'scim_token',
  'client',
  'connection',
  'ats_connection',
  'webhook',
  'session',
  'event',
] as const;

class SearchHit {
  @ApiProperty({ enum: HIT_KINDS })
  kind!: (typeof HIT_KINDS)[number];
  @ApiProperty({ example: 'usr_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'The name of the record.', example: 'Ann Other' })
  title!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a user the e-mail, of a directory its profile, of a group the name of its directory, of a task, change, interview, job or connection to an ATS its state, of a request its status, of a sign-in what came of it, of a credential its beginning.',
  })
  detail!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a group or credential its directory, of a request, change, sign-in or session its user, of an interview its candidate, of an event its record; else null.',
  })
  parent_id!: string | null;
  @ApiProperty({
    type: String,
    enum: ['active', 'inactive', 'held'],
    required: false,
    description: 'Of a user; else missing.',
  })
  state?: 'active' | 'inactive' | 'held';
}

export class SearchBody {
  @ApiProperty({ type: [SearchHit], description: 'At most 20.' })
  data!: SearchHit[];
}

interface FoundDirectory {
  id: string;
  name: string;
  profile: string;
}

interface FoundGroup {
  id: string;
  name: string;
  directory_id: string;
  directory: string;
}

interface FoundRecord {
  title: string;
  detail: string | null;
  parent: string | null;
}

/** Records that one statement finds by id, by the prefix of the id. */
const BY_PREFIX: Readonly<Record<string, string>> = {
  cand: `select first_name || ' ' || last_name as title, email as detail, null as parent from candidates`,
  int: `select 'interview of ' || to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as title, state as detail,
          candidate_id as parent from interviews`,
  job: `select title, status as detail, null as parent from job_openings`,
  key: `select name as title, prefix as detail, null as parent from api_keys`,
  tok: `select name as title, prefix as detail, directory_id as parent from scim_tokens`,
  cli: `select name as title, kind as detail, directory_id as parent from directory_clients`,
  con: `select name as title, type as detail, null as parent from connections`,
  ats: `select name as title, state as detail, null as parent from ats_connections`,
  whk: `select url as title, coalesce(description, '') as detail, null as parent from webhook_endpoints`,
  ses: `select 'session' as title, coalesce(end_reason, 'open') as detail, user_id as parent from sessions`,
};

const GROUP = 'g.id, g.display_name as name, d.id as directory_id, d.name as directory';

const OWN_ID = /^([a-z]{3,4})_[0-9a-z._]+$/;
/** The kind of a record, and the scopes that may see it, by the prefix of the id. */
const RECORDS: Readonly<Record<string, { kind: SearchHit['kind']; scopes: readonly Scope[] }>> = {
  cand: { kind: 'candidate', scopes: ['candidates:read'] },
  int: { kind: 'interview', scopes: ['interviews:read'] },
  job: { kind: 'job', scopes: ['jobs:read'] },
  key: { kind: 'api_key', scopes: ['settings:read'] },
  tok: { kind: 'scim_token', scopes: ['directories:read'] },
  cli: { kind: 'client', scopes: ['directories:read'] },
  con: { kind: 'connection', scopes: ['connections:read'] },
  ats: { kind: 'ats_connection', scopes: ['ats:read', 'ats:manage'] },
  whk: { kind: 'webhook', scopes: ['admin'] },
  ses: { kind: 'session', scopes: ['sign-ins:read'] },
};
const SIGN_INS: readonly Scope[] = ['sign-ins:read', 'audit:read'];
const EVENT_SCOPES: readonly Scope[] = ['audit:read'];
/** Hits per kind, so that no kind hides the others. */
const MOST = { users: 10, directories: 5, groups: 5, signIns: 5 };
const SIGN_IN_DAYS = 30;
const DAY_MS = 86_400_000;

@Injectable()
export class SearchService {
  constructor(
    private readonly users: UserDirectoryRepository,
    private readonly tasks: TasksRepository,
    private readonly requests: RequestsRepository,
    private readonly changes: ChangesService,
    private readonly signIns: SignInLog,
    private readonly events: EventReader,
    private readonly clock: Clock,
    private readonly db: Database,
  ) {}

  /** Returns the record with this id; else users, directories and groups, the exact users first. */
  async find(caller: Caller, text: string): Promise<SearchHit[]> {
    const hit = OWN_ID.test(text) ? await this.byId(caller, text) : null;
    if (hit !== null) return [hit];
    const { tenantId } = caller;
    const [users, directories, groups] = await Promise.all([
      this.users.beginning(tenantId, text, MOST.users),
      this.directoryHits(tenantId),
      this.groupHits(tenantId, text, MOST.groups),
    ]);
    const named = directories.filter(({ name }) => foldCase(name).startsWith(foldCase(text)));
    const signIns = users.length === 0 ? await this.refusedSignIns(caller, text) : [];
    return [
      ...users.toSorted((a, b) => standingOf(a) - standingOf(b)).map(userHit),
      ...named.slice(0, MOST.directories).map(directoryHit),
      ...groups.map(groupHit),
      ...signIns.map(signInHit),
    ];
  }

  private async byId(caller: Caller, id: string): Promise<SearchHit | null> {
    const { tenantId } = caller;
    switch (id.slice(0, id.indexOf('_'))) {
      case 'usr':
        return hitOr(await this.users.one(tenantId, id), userHit);
      case 'dir':
        return hitOr(
          (await this.directoryHits(tenantId)).find((one) => one.id === id),
          directoryHit,
        );
      case 'grp':
        return hitOr(await this.groupById(tenantId, id), groupHit);
      case 'req':
        return hitOr(await this.requests.find(tenantId, id), ({ method, path, status, user_id: user }) =>
          hitOf('request', id, `${method} ${path}`, String(status), user),
        );
      case 'tsk':
        if (!holdsScope(caller, 'settings:read')) return null;
        return hitOr(await this.tasks.find(tenantId, id), ({ kind, state }) => hitOf('task', id, kind, state));
      case 'chg':
        return holdsScope(caller, 'changes:read') ? this.change(tenantId, id) : null;
      case 'sin': {
        if (!holdsOne(caller, SIGN_INS)) return null;
        const [row] = await this.signIns.list(tenantId, { support_id: id }, { limit: 1, after: null });
        return hitOr(row, signInHit);
      }
      case 'evt':
        return holdsOne(caller, EVENT_SCOPES) ? this.event(tenantId, id) : null;
      default:
        return this.record(caller, id);
    }
  }

  private async record(caller: Caller, id: string): Promise<SearchHit | null> {
    const prefix = id.slice(0, id.indexOf('_'));
    const known = RECORDS[prefix];
    if (known === undefined || !holdsOne(caller, known.scopes)) return null;
    const found = await this.recordHits(caller.tenantId, prefix, id);
    return hitOr(found, ({ title, detail, parent }) => hitOf(known.kind, id, title, detail, parent));
  }

  private async event(tenantId: string, id: string): Promise<SearchHit | null> {
    const sequence = sequenceOfEvent(id);
    const [event] = sequence === null ? [] : await this.events.bySequences(tenantId, [sequence]);
    return hitOr(event, ({ event: name, at, record }) => hitOf('event', id, name, at.toISOString(), record));
  }

  /** Returns the refused sign-ins of an unknown address: a typing error, or a user whom no directory has sent. */
  private async refusedSignIns(caller: Caller, text: string): Promise<SignInRow[]> {
    if (!text.includes('@') || !holdsOne(caller, SIGN_INS)) return [];
    const since = new Date(this.clock.now().getTime() - SIGN_IN_DAYS * DAY_MS);
    const filter = { account: text, outcome: 'refused', since };
    const rows = await this.signIns.list(caller.tenantId, filter, { limit: MOST.signIns, after: null });
    return rows.slice(0, MOST.signIns);
  }

  private async change(tenantId: string, id: string): Promise<SearchHit | null> {
    try {
      const { kind, state, user_id: user } = await this.changes.get(tenantId, id);
      return hitOf('change', id, kind, state, user);
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  /** Returns a record that shows only its columns; undefined for another prefix. */
  private async recordHits(tenantId: string, prefix: string, id: string): Promise<FoundRecord | undefined> {
    const select = BY_PREFIX[prefix];
    if (select === undefined) return undefined;
    const { rows } = await this.db.query<FoundRecord>(`${select} where tenant_id = $1 and id = $2`, [tenantId, id]);
    return rows[0];
  }

  private async directoryHits(tenantId: string): Promise<FoundDirectory[]> {
    const { rows } = await this.db.query<FoundDirectory>(
      `select id, name, profile from directories where tenant_id = $1 and deleted_at is null order by name, id`,
      [tenantId],
    );
    return rows;
  }

  private async groupById(tenantId: string, id: string): Promise<FoundGroup | undefined> {
    const { rows } = await this.db.query<FoundGroup>(
      `select ${GROUP} from groups g join directories d on d.tenant_id = $1 and d.id = g.directory_id
       where g.tenant_id = $1 and g.id = $2 and d.deleted_at is null`,
      [tenantId, id],
    );
    return rows[0];
  }

  /** Returns the first groups by name. Each directory is read along the index of its names. */
  private async groupHits(tenantId: string, text: string, limit: number): Promise<FoundGroup[]> {
    const from = foldCase(text);
    const { rows } = await this.db.query<FoundGroup>(
      `select ${GROUP} from directories d cross join lateral (
         select g.id, g.display_name, g.display_name_key from groups g
         where g.tenant_id = $1 and g.directory_id = d.id and g.display_name_key >= $2 and g.display_name_key < $3
         order by g.display_name_key limit $4) g
       where d.tenant_id = $1 and d.deleted_at is null order by g.display_name_key, g.id limit $4`,
      [tenantId, from, `${from}\u{10ffff}`, limit],
    );
    return rows;
  }
}

function hitOr<Row>(row: Row | undefined, shape: (row: Row) => SearchHit): SearchHit | null {
  return row === undefined ? null : shape(row);
}

function holdsOne(caller: Caller, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => holdsScope(caller, scope));
}

function signInHit({ id, account, subject, outcome, reason, user_id: user }: SignInRow): SearchHit {
  return hitOf(
    'sign_in',
    id,
    account ?? subject ?? 'sign-in',
    reason === null ? outcome : `${outcome}: ${reason}`,
    user,
  );
}

/** Users in force come before held users, and those before leavers. */
function standingOf({ status, held }: ListedUser): number {
  if (status !== 'active') return 2;
  return held === null ? 0 : 1;
}

function userHit({
  id,
  first_name: first,
  last_name: last,
  user_name: name,
  email,
  status,
  held,
}: ListedUser): SearchHit {
  const state = held === null ? status : 'held';
  return { ...hitOf('user', id, `${first} ${last}`.trim() || name, email ?? name), state };
}

function directoryHit({ id, name, profile }: FoundDirectory): SearchHit {
  return hitOf('directory', id, name, profile);
}

function groupHit({ id, name, directory, directory_id: parent }: FoundGroup): SearchHit {
  return hitOf('group', id, name, directory, parent);
}

function hitOf(
  kind: SearchHit['kind'],
  id: string,
  title: string,
  detail: string | null,
  parent: string | null = null,
): SearchHit {
  return { kind, id, title, detail, parent_id: parent };
}
