import { Injectable } from '@nestjs/common';
import { listResponseText } from '../../../protocols/scim/messages/list-response.js';
import type { ListQuery } from '../../../protocols/scim/messages/list-query.js';
import { parseProjection } from '../../../protocols/scim/resource/project.js';
import { GROUP_TYPE, type ResourceTypeDef } from '../../../protocols/scim/schema/resource-types.js';
import { invalidCursor } from '../../../protocols/scim/scim.errors.js';
import { groupText } from '../groups/group-resource.js';
import { ScimGroupsService } from '../groups/scim-groups.service.js';
import { userText } from '../users/user-resource.js';
import { UserLists } from '../users/user-lists.js';
import { SMALL_PAGE } from '../page-sql.js';
import type { ListAsk } from '../page-reader.js';
import { filterFor, sortFor } from './root-filter.js';

interface Part {
  total: number;
  /** Reads `count` resources from `startIndex` (the first is 1). */
  read(startIndex: number, count: number): Promise<string[]>;
}

/** Searches users and groups as one list: a query on the server root (RFC 7644 §3.4.2.1). */
@Injectable()
export class RootSearch {
  constructor(
    private readonly users: UserLists,
    private readonly groups: ScimGroupsService,
  ) {}

  async list(ask: ListAsk): Promise<string> {
    const { query } = ask;
    if (query.cursor !== undefined) throw invalidCursor('Lists over all resource types are paged by startIndex.');
    const parts = await this.parts(ask);
    const resources: string[] = [];
    let before = 0;
    for (const part of parts) {
      const from = Math.max(query.startIndex + resources.length - before, 1);
      const left = query.count - resources.length;
      if (left > 0 && from <= part.total) {
        const found = await part.read(from, left);
        resources.push(...found);
        // The page of this type was cut at its number of bytes. The resources behind it are on the next page.
        const isCut = found.length > 0 && found.length < Math.min(left, part.total - from + 1);
        if (isCut || found.reduce((sum, text) => sum + text.length, 0) > SMALL_PAGE) break;
      }
      before += part.total;
    }
    // The types are counted before they are read. Resources that were created in between are listed, so they count.
    const listed = resources.length === 0 ? 0 : query.startIndex - 1 + resources.length;
    return listResponseText({
      totalResults: Math.max(
        parts.reduce((sum, part) => sum + part.total, 0),
        listed,
      ),
      startIndex: query.startIndex,
      itemsPerPage: resources.length,
      resources,
    });
  }

  private async parts(ask: ListAsk): Promise<Part[]> {
    const { directory, query } = ask;
    const { userType } = directory;
    const types = [userType, GROUP_TYPE];
    const user = parseProjection(userType, query.attributes, query.excludedAttributes);
    const group = parseProjection(GROUP_TYPE, query.attributes, query.excludedAttributes);
    return [
      await this.part(types, userType, query, (q, into) =>
        this.users.list({ ...ask, query: q }, (row, view) => keep(into, userText(row, view, user))),
      ),
      await this.part(types, GROUP_TYPE, query, (q, into) =>
        this.groups.list({ ...ask, query: q }, (row) => keep(into, groupText(row, directory.scimBase, group))),
      ),
    ];
  }

  private async part(
    types: readonly ResourceTypeDef[],
    type: ResourceTypeDef,
    whole: ListQuery,
    reader: (query: ListQuery, into: string[]) => Promise<string>,
  ): Promise<Part> {
    const { filter, sortBy, ...rest } = whole;
    const sort = sortFor(types, type, sortBy);
    const query = {
      ...rest,
      ...(filter === undefined ? {} : { filter: filterFor(types, type, filter) }),
      ...(sort === undefined ? {} : { sortBy: sort }),
    };
    const text = await reader({ ...query, startIndex: 1, count: 0 }, []);
    const { totalResults } = JSON.parse(text) as { totalResults: number };
    return {
      total: totalResults,
      read: async (startIndex, count) => {
        const found: string[] = [];
        await reader({ ...query, startIndex, count }, found);
        return found;
      },
    };
  }
}

function keep(into: string[], text: string): string {
  into.push(text);
  return text;
}
