import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { codeOf } from '../../base/database/database.errors.js';
import { BEFORE_NEEDS_ADMIN } from '../../tenancy/identity/held.rules.js';
import type { LinkedBy } from '../../tenancy/identity/user-change.rules.js';
import type { ChangeSource } from '../../tenancy/identity/person.js';
import { storedDocument } from './user.row.js';
import type { UserDraft } from './user.mapping.js';
import { Taken } from './users.errors.js';

/**
 * The stored write of a directory: of a preview, to a user of another owner; else one that waits for an administrator.
 */
export interface KeptWrite {
  user_id: string;
  /** The resource as JSON text; null when the directory removed the user. */
  doc: string | null;
  linked_by: LinkedBy;
  source: ChangeSource;
  version: number;
  revision: number;
}

/** The place of a stored write. */
export interface KeptPlace {
  tenantId: string;
  directoryId: string;
  userId: string;
}

/**
 * The version of a stored write `o`: the time of the write. Versions of one user are unique, and differ from those of
 * the user's own resource.
 */
export const KEPT_REVISION = `(round(extract(epoch from o.updated_at) * 1000000)::bigint + o.version)`;

const COLUMNS = `o.user_id, o.doc::text as doc, o.linked_by, o.source, o.version, ${KEPT_REVISION}::float8 as revision`;

/** No administrator has to decide about the write `o`. */
const UNDECIDED = `not exists (
  select 1 from users k where k.tenant_id = $1 and k.id = o.user_id and k.kept_for = $2)`;

/**
 * Stores writes of directories beside the users, which only the directory reads back: those of a preview to users of
 * other owners, and those that wait for an administrator.
 */
@Injectable()
export class KeptWritesRepository {
  constructor(private readonly db: Database) {}

  async find(place: KeptPlace, db: SqlRunner = this.db): Promise<KeptWrite | undefined> {
    const { rows } = await db.query<KeptWrite>(
      `select ${COLUMNS} from preview_writes o where tenant_id = $1 and directory_id = $2 and user_id = $3`,
      [place.tenantId, place.directoryId, place.userId],
    );
    return rows[0];
  }

  /** Returns writes of a directory in the order of the users, without those that wait for an administrator. */
  async list(tenantId: string, directoryId: string, limit: number): Promise<KeptWrite[]> {
    const { rows } = await this.db.query<KeptWrite>(
      `select ${COLUMNS} from preview_writes o where o.tenant_id = $1 and o.directory_id = $2 and ${UNDECIDED}
       order by o.user_id limit $3`,
      [tenantId, directoryId, limit],
    );
    return rows;
  }

  /**
   * Stores a write in place of the previous one.
   *
   * @param before the version of the previous write; 0 for the first one
   * @param draft null when the directory removes the user
   * @returns false when another write was quicker
   * @throws {Taken} when the directory gave the `userName` to another user
   * @throws {DocumentTooLarge} when the document is over the limit and larger than before
   */
  async put(
    place: KeptPlace,
    before: number,
    draft: UserDraft | null,
    by: LinkedBy,
    source: ChangeSource,
    db: SqlRunner = this.db,
  ): Promise<boolean> {
    const document = draft && storedDocument(draft.doc, null);
    try {
      const { rowCount } = await db.query(
        `insert into preview_writes as p (tenant_id, directory_id, user_id, doc, doc_bytes, user_name, user_name_key,
           external_id, active, linked_by, source)
         select $1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11::jsonb
         on conflict (tenant_id, directory_id, user_id) do update set doc = excluded.doc, doc_bytes = excluded.doc_bytes,
           user_name = excluded.user_name, user_name_key = excluded.user_name_key, external_id = excluded.external_id,
           active = excluded.active, source = excluded.source, version = p.version + 1,
           updated_at = greatest(excluded.updated_at, p.updated_at)
         where p.version = $12`,
        [
          place.tenantId,
          place.directoryId,
          place.userId,
          document?.text ?? null,
          document?.bytes ?? 0,
          draft?.userName ?? null,
          draft?.userNameKey ?? null,
          draft?.externalId ?? null,
          draft?.active ?? null,
          by,
          JSON.stringify(source),
          before,
        ],
      );
      return rowCount === 1;
    } catch (error) {
      if (codeOf(error) === '23505') throw new Taken('user_name_taken', place.userId);
      throw error;
    }
  }

  async drop(place: KeptPlace, db: SqlRunner = this.db): Promise<void> {
    await db.query(`delete from preview_writes where tenant_id = $1 and directory_id = $2 and user_id = $3`, [
      place.tenantId,
      place.directoryId,
      place.userId,
    ]);
  }

  /** Marks a locked user whose write by a directory waits for an administrator; the resource stays. */
  async mark(tx: SqlRunner, { tenantId, userId, directoryId }: KeptPlace): Promise<void> {
    await tx.query(
      `update users set kept_for = $3, version = version + 1, quiet_writes = quiet_writes + 1,
         resource_at = coalesce(resource_at, updated_at), updated_at = greatest(date_trunc('milliseconds', now()), updated_at),
         held_since = case when held = 'needs_admin' or held = any($4) then held_since else now() end,
         held = case when held = any($4) then held else 'needs_admin' end
       where tenant_id = $1 and id = $2`,
      [tenantId, userId, directoryId, [...BEFORE_NEEDS_ADMIN]],
    );
  }

  /** Deletes a write of a preview that was applied, unless it has come to wait for an administrator. */
  async dropApplied(place: KeptPlace): Promise<void> {
    await this.db.query(
      `delete from preview_writes o where o.tenant_id = $1 and o.directory_id = $2 and o.user_id = $3 and ${UNDECIDED}`,
      [place.tenantId, place.directoryId, place.userId],
    );
  }

  async dropAll(db: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
    await db.query(`delete from preview_writes where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
  }
}
