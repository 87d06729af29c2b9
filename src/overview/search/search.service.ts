import { Injectable } from '@nestjs/common';
import { NotFound } from '../../base/errors/domain-error.js';
import { UserDirectoryRepository, type ListedUser } from '../../directory-sync/users/user-directory.repository.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import { ChangesService } from '../../forwarding/changes/changes.service.js';
import { foldCase } from '../../protocols/scim/text.js';
import { holdsScope, type Caller } from '../../tenancy/tenants/caller.js';
import { RequestsRepository } from '../requests/requests.repository.js';
import type { SearchHit } from './search.dto.js';
import { SearchRepository, type FoundDirectory, type FoundGroup } from './search.repository.js';

const OWN_ID = /^(usr|dir|grp|tsk|req|chg)_[0-9a-z.]+$/;
/** The most hits of each kind: none of the kinds hides the others. */
const MOST = { users: 10, directories: 5, groups: 5 };

/** Finds the records of a tenant by their ids and by the beginning of their names. */
@Injectable()
export class SearchService {
  constructor(
    private readonly repository: SearchRepository,
    private readonly users: UserDirectoryRepository,
    private readonly tasks: TasksRepository,
    private readonly requests: RequestsRepository,
    private readonly changes: ChangesService,
  ) {}

  /** Returns the record with this id; else users, directories and groups, of users the exact matches first. */
  async find(caller: Caller, text: string): Promise<SearchHit[]> {
    const hit = OWN_ID.test(text) ? await this.byId(caller, text) : null;
    if (hit !== null) return [hit];
    const { tenantId } = caller;
    const [users, directories, groups] = await Promise.all([
      this.users.beginning(tenantId, text, MOST.users),
      this.repository.directories(tenantId),
      this.repository.groups(tenantId, text, MOST.groups),
    ]);
    const named = directories.filter(({ name }) => foldCase(name).startsWith(foldCase(text)));
    return [...users.map(userHit), ...named.slice(0, MOST.directories).map(directoryHit), ...groups.map(groupHit)];
  }

  private async byId(caller: Caller, id: string): Promise<SearchHit | null> {
    const { tenantId } = caller;
    switch (id.slice(0, 3)) {
      case 'usr':
        return hitOr(await this.users.one(tenantId, id), userHit);
      case 'dir':
        return hitOr(
          (await this.repository.directories(tenantId)).find((one) => one.id === id),
          directoryHit,
        );
      case 'grp':
        return hitOr(await this.repository.group(tenantId, id), groupHit);
      case 'req':
        return hitOr(await this.requests.find(tenantId, id), ({ method, path, status, user_id: user }) =>
          hitOf('request', id, `${method} ${path}`, String(status), user),
        );
      case 'tsk':
        if (!holdsScope(caller, 'settings:read')) return null;
        return hitOr(await this.tasks.find(tenantId, id), ({ kind, state }) => hitOf('task', id, kind, state));
      default:
        return holdsScope(caller, 'changes:read') ? this.change(tenantId, id) : null;
    }
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
}

function hitOr<Row>(row: Row | undefined, shape: (row: Row) => SearchHit): SearchHit | null {
  return row === undefined ? null : shape(row);
}

function userHit({ id, first_name: first, last_name: last, user_name: name, email }: ListedUser): SearchHit {
  return hitOf('user', id, `${first} ${last}`.trim() || name, email ?? name);
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
  detail: string,
  parent: string | null = null,
): SearchHit {
  return { kind, id, title, detail, parent_id: parent };
}
