import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { foldCase } from '../../protocols/scim/text.js';

/** A directory of a hit. */
export interface FoundDirectory {
  id: string;
  name: string;
  profile: string;
}

/** A group of a hit, with its directory. */
export interface FoundGroup {
  id: string;
  name: string;
  directory_id: string;
  directory: string;
}

const GROUP = 'g.id, g.display_name as name, d.id as directory_id, d.name as directory';

/** Reads directories and groups by their ids and by the beginning of their names. */
@Injectable()
export class SearchRepository {
  constructor(private readonly db: Database) {}

  /** Returns the directories of a tenant, of which there are few. */
  async directories(tenantId: string): Promise<FoundDirectory[]> {
    const { rows } = await this.db.query<FoundDirectory>(
      `select id, name, profile from directories where tenant_id = $1 and deleted_at is null order by name, id`,
      [tenantId],
    );
    return rows;
  }

  async group(tenantId: string, id: string): Promise<FoundGroup | undefined> {
    const { rows } = await this.db.query<FoundGroup>(
      `select ${GROUP} from groups g join directories d on d.tenant_id = $1 and d.id = g.directory_id
       where g.tenant_id = $1 and g.id = $2 and d.deleted_at is null`,
      [tenantId, id],
    );
    return rows[0];
  }

  /**
   * Returns the first groups whose name begins with a text, in the order of their names. Each directory is read along the
   * index of its names.
   */
  async groups(tenantId: string, text: string, limit: number): Promise<FoundGroup[]> {
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
