/** A group that a directory has sent, with its counts. */
export interface Group {
  id: string;
  display_name: string;
  external_id: string | null;
  members: number;
  pending_members: number;
}
