import { millisecondsSql } from '../user.row.js';

/** A stored group; its members are read only when they are asked for. */
export interface GroupRow {
  id: string;
  doc: string;
  version: number;
  created_at: number;
  updated_at: number;
  /** The lines of the members, see `membersColumn`; null: none, or not asked for. */
  members: string | null;
  /** The bytes of its members, where they are many: they have not been read. */
  members_bytes?: number | null;
}

/** The columns of a `GroupRow` but the members, for a table that is called `g`. */
export const GROUP_COLUMNS = `g.id, g.doc::text as doc, g.version,
  ${millisecondsSql('g.created_at')} as created_at,
  ${millisecondsSql('g.updated_at')} as updated_at`;

/** A group with at most this number of members is read at once; of a larger one the size is read first. */
export const FEW_MEMBERS = 2000;
