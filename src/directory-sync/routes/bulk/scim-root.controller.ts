import { Injectable, All, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { BridgeResponse } from '../../../base/http/request.js';
import type { AttributePath, Filter } from '../../../protocols/scim/filter/ast.js';
import { parsePath } from '../../../protocols/scim/filter/tokens.js';
import { parseBulkRequest } from '../../../protocols/scim/messages/bulk-request.js';
import {
  type ListQuery,
  parseListQuery,
  parseSearchRequest,
  listResponseText,
} from '../../../protocols/scim/messages/list-query.js';
import { parseProjection } from '../../../protocols/scim/resource/project.js';
import { findAttribute, type ResourceTypeDef, GROUP_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { invalidPath, invalidCursor } from '../../../protocols/scim/scim.errors.js';
import { groupText } from '../groups/group-resource.js';
import { ScimGroupsService } from '../groups/scim-groups.service.js';
import type { ListAsk } from '../page-reader.js';
import { SMALL_PAGE } from '../page-sql.js';
import { BULK_LIMITS, LIST_LIMITS, answerScim, NotImplemented } from '../scim-request.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';
import { factsOf, listAsk } from '../users/scim-users.controller.js';
import { UserLists } from '../users/user-lists.js';
import { userText } from '../users/user-resource.js';
import { ScimBulkService } from './scim-bulk.service.js';

const ALWAYS: Filter = { kind: 'present', path: { urn: null, attr: 'id', sub: null } };
const NEVER: Filter = { kind: 'not', term: ALWAYS };

/**
 * Returns a filter on all resource types as it applies to one of them. An attribute that only another type has is
 * unassigned (RFC 7644 §3.4.2.1). An attribute that no type has stays in the filter and is refused later.
 */
function filterFor(types: readonly ResourceTypeDef[], type: ResourceTypeDef, filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map((term) => filterFor(types, type, term)) };
    case 'not':
      return { kind: 'not', term: filterFor(types, type, filter.term) };
    case 'present':
    case 'valuePath':
      return isForeign(types, type, filter.path) ? NEVER : filter;
    case 'compare': {
      if (!isForeign(types, type, filter.path)) return filter;
      return (filter.op === 'ne') === (filter.value !== null) ? ALWAYS : NEVER;
    }
  }
}

/** Returns undefined where only another type has the attribute. */
function sortFor(
  types: readonly ResourceTypeDef[],
  type: ResourceTypeDef,
  sortBy: string | undefined,
): string | undefined {
  if (sortBy === undefined) return undefined;
  return isForeign(types, type, parsePath(sortBy.trim(), invalidPath)) ? undefined : sortBy;
}

function isForeign(types: readonly ResourceTypeDef[], type: ResourceTypeDef, { urn, attr }: AttributePath): boolean {
  if (findAttribute(type, urn, attr) !== undefined) return false;
  return types.some((other) => findAttribute(other, urn, attr) !== undefined);
}

interface Part {
  total: number;
  /** `startIndex` begins at 1. */
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
        // The page of this type was cut at its number of bytes. The next page has the other resources.
        const isCut = found.length > 0 && found.length < Math.min(left, part.total - from + 1);
        if (isCut || found.reduce((sum, text) => sum + text.length, 0) > SMALL_PAGE) break;
      }
      before += part.total;
    }
    // The types are counted first. Resources that were created between count and read are listed, so they count.
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

@ApiExcludeController()
@Controller('scim/v2')
@UseGuards(ScimGuard)
export class ScimRootController {
  constructor(
    private readonly bulk: ScimBulkService,
    private readonly search: RootSearch,
  ) {}

  @Post('Bulk')
  async run(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const request = parseBulkRequest(req.body, BULK_LIMITS, req.directory.dialect);
    answerScim(res, 200, JSON.stringify(await this.bulk.run(req.directory, request, factsOf(req))));
  }

  @Get()
  async list(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    answerScim(res, 200, await this.search.list(listAsk(req, parseListQuery(req.query, LIST_LIMITS))));
  }

  @Post('.search')
  async searchAll(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const query = parseSearchRequest(req.body, LIST_LIMITS, req.directory.dialect);
    answerScim(res, 200, await this.search.list(listAsk(req, query)));
  }

  /** Refuses `/Me`: the token of a directory belongs to no user (RFC 7644 §3.11). */
  @All('Me')
  me(): never {
    throw new NotImplemented('The token of a directory belongs to no user; use /Users.');
  }
}
