import { setImmediate as turn } from 'node:timers/promises';
import { etagOf } from '../../../protocols/scim/resource/etag.js';
import { project, projectionNeeds, type Projection } from '../../../protocols/scim/resource/project.js';
import type { Resource } from '../../../protocols/scim/schema/resource-types.js';
import type { GroupRow } from '../../users/groups/group.row.js';
import { type MemberPart, memberPartsOf } from '../../users/groups/memberships.sql.js';
import { metaText } from '../users/user-resource.js';

/** Characters that are written before other requests get their turn: less than a millisecond. */
const PIECE = 512 * 1024;
/** The first character of a member that is a group. */
const STAR = '*'.charCodeAt(0);

/**
 * Writes the members of a group as the JSON text of an array, piece by piece. The input has one line for each member.
 */
class MemberWriter {
  private readonly shows: Readonly<Record<MemberPart, boolean>>;
  private at = 0;
  private separator = '';

  constructor(
    private readonly lines: string,
    private readonly baseUrl: string,
    private readonly parts: readonly MemberPart[],
  ) {
    this.shows = {
      value: parts.includes('value'),
      type: parts.includes('type'),
      display: parts.includes('display'),
      $ref: parts.includes('$ref'),
    };
  }

  get isAtEnd(): boolean {
    return this.at > this.lines.length;
  }

  next(length: number): string {
    const { lines } = this;
    const isWhole = this.parts.length === 4;
    const middle = `","type":"User","$ref":"${this.baseUrl}/Users/`;
    let text = '';
    while (this.at <= lines.length && text.length < length) {
      const found = lines.indexOf('\n', this.at);
      const line = lines.slice(this.at, found === -1 ? undefined : found);
      this.at += line.length + 1;
      // A user without a display name, shown with all parts, is by far the most frequent member.
      const isPlain = isWhole && line.charCodeAt(0) !== STAR && !line.includes(' ');
      const member = isPlain ? `{"value":"${line}${middle}${line}"}` : this.member(line);
      if (member === '') continue;
      text += this.separator + member;
      this.separator = ',';
    }
    return text;
  }

  private member(line: string): string {
    const blank = line.indexOf(' ');
    const isGroup = line.charCodeAt(0) === STAR;
    const id = line.slice(isGroup ? 1 : 0, blank === -1 ? undefined : blank);
    const type = isGroup ? 'Group' : 'User';
    let text = '';
    if (this.shows.value) text += `,"value":"${id}"`;
    if (this.shows.type) text += `,"type":"${type}"`;
    if (this.shows.display && blank !== -1) text += `,"display":${line.slice(blank + 1)}`;
    if (this.shows.$ref) text += `,"$ref":"${this.baseUrl}/${type}s/${id}"`;
    return text === '' ? '' : `{${text.slice(1)}}`;
  }
}

/** Returns a JSON array without its brackets. `lines`: see `membersColumn`. */
export function memberText(lines: string, baseUrl: string, parts: readonly MemberPart[]): string {
  return new MemberWriter(lines, baseUrl, parts).next(Infinity);
}

export function areMany(lines: string): boolean {
  return lines.length > PIECE / 4;
}

/** Returns the same text as bytes, and lets other requests run between two pieces. */
export async function memberPieces(lines: string, baseUrl: string, parts: readonly MemberPart[]): Promise<Buffer[]> {
  const writer = new MemberWriter(lines, baseUrl, parts);
  const pieces: Buffer[] = [];
  for (;;) {
    pieces.push(Buffer.from(writer.next(PIECE)));
    if (writer.isAtEnd) return pieces;
    await turn();
  }
}

export function groupText(row: GroupRow, baseUrl: string, projection: Projection | null): string {
  const own = ownText(row, baseUrl, projection);
  if (row.members === null || !projectionNeeds(projection, 'members')) return own;
  const members = memberText(row.members, baseUrl, memberPartsOf(projection));
  return members === '' ? own : `{"members":[${members}],${own.slice(1)}`;
}

/** Returns a group as text. A large one is made in pieces, so that other requests are answered. */
export async function groupBody(
  row: GroupRow,
  baseUrl: string,
  projection: Projection | null,
): Promise<string | Buffer> {
  if (row.members === null || !areMany(row.members) || !projectionNeeds(projection, 'members'))
    return groupText(row, baseUrl, projection);
  const pieces = await memberPieces(row.members, baseUrl, memberPartsOf(projection));
  const own = ownText(row, baseUrl, projection).slice(1);
  if (pieces.every((piece) => piece.length === 0)) return `{${own}`;
  return Buffer.concat([Buffer.from('{"members":['), ...pieces, Buffer.from(`],${own}`)]);
}

/** A projection never leaves out the id, so the text has a first attribute. */
function ownText(row: GroupRow, baseUrl: string, projection: Projection | null): string {
  const meta = { id: row.id, tag: etagOf(row.version), created_at: row.created_at, modified_at: row.updated_at };
  const text = `{"id":"${row.id}",${metaText('Group', 'Groups', meta, baseUrl)},${row.doc.slice(1)}`;
  return projection === null ? text : JSON.stringify(project(JSON.parse(text) as Resource, projection));
}
