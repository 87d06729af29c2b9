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

/** A record of a hit. */
export interface FoundRecord {
  title: string;
  detail: string | null;
  parent: string | null;
}

/** The records that one statement finds by their id, by the prefix of the id. */
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

/** Reads directories and groups by their ids and by the beginning of their names. */
@Injectable()
export class SearchRepository {
  constructor(private readonly db: Database) {}

  /** Returns a record that has nothing but its columns to show; undefined: there is none, or the prefix is another. */
  async record(tenantId: string, prefix: string, id: string): Promise<FoundRecord | undefined> {
    const select = BY_PREFIX[prefix];
    if (select === undefined) return undefined;
    const { rows } = await this.db.query<FoundRecord>(`${select} where tenant_id = $1 and id = $2`, [tenantId, id]);
    return rows[0];
  }

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
