import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { parseProjection } from '../../../protocols/scim/resource/project.js';
import { groupNamer } from '../../users/user-relations.js';
import { PageMarks } from '../page-marks.js';
import type { ListAsk } from '../page-reader.js';
import { listText, lookUpText } from '../resource-list.js';
import { userColumns } from './user-list.js';
import { UserLookUps } from './user-look-ups.js';
import { viewOf, type StoredUser, type View } from './user-resource.js';
import { tableFor } from './user-table.js';

/** Lists of SCIM users: pages, searches and look-ups. */
@Injectable()
export class UserLists {
  private readonly marks = new PageMarks();
  private readonly lookUps: UserLookUps;

  constructor(private readonly db: Database) {
    this.lookUps = new UserLookUps(db);
  }

  /** Returns a ListResponse as text (RFC 7644 §3.4.2). `render` writes one resource. */
  async list(ask: ListAsk, render: (row: StoredUser, view: View) => string): Promise<string> {
    const { directory, query } = ask;
    const projection = parseProjection(directory.userType, query.attributes, query.excludedAttributes);
    const view = viewOf(directory);
    const found = await this.lookUps.find(directory, query);
    if (found !== null) return lookUpText(found, ask.share, (row) => render(row, view));
    const renderer = (common: string | null | undefined) => {
      if (common === undefined) return (row: StoredUser) => render(row, view);
      const named = groupNamer(common);
      return (row: StoredUser) => {
        row.groups = named(row.groups);
        return render(row, view);
      };
    };
    const table = tableFor(directory);
    return listText(this.db, table, ask, this.marks, { columns: userColumns(projection, directory), renderer });
  }
}
