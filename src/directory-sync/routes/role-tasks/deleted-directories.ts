import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { systemActor, type ChangeSource } from '../../../tenancy/identity/person.js';
import { IntervalWork } from '../../../base/work/work.js';
import { DirectoryPeople } from '../../directories/directory-people.js';

/**
 * Releases users that a directory has written while it was being deleted. A request that passed the guard just before
 * can write for about a second after. A lock on the directory would prevent this, at a cost for every write of every
 * directory.
 */
@Injectable()
export class DeletedDirectories extends IntervalWork {
  override readonly kind = 'directories.deleted';
  override readonly everyMs = 15_000;

  constructor(
    private readonly db: Database,
    private readonly people: DirectoryPeople,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const { rows } = await this.db.query<{ tenant_id: string; id: string }>(
      `select d.tenant_id, d.id from directories d
       where d.deleted_at is not null and d.deleted_at > now() - interval '1 hour' and (
         exists (select 1 from users u where u.tenant_id = d.tenant_id and u.directory_id = d.id)
         -- The order names the index.
         or (select g.id from groups g where g.tenant_id = d.tenant_id and g.directory_id = d.id
             order by g.display_name_key limit 1) is not null)`,
    );
    for (const { tenant_id, id } of rows) {
      await this.db.transaction(tenant_id, (tx) => this.people.release(tx, tenant_id, id, lateSource(id)));
    }
  }
}

/** The request that deleted the directory is over, so the release has no request id. */
function lateSource(directoryId: string): ChangeSource {
  return {
    request_id: directoryId,
    surface: 'system',
    directory_id: directoryId,
    actor: systemActor('deleted-directories'),
  };
}
