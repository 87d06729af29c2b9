import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../../base/config/config.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { listResponseText } from '../../../protocols/scim/messages/list-query.js';
import {
  type ServiceFeatures,
  resourceTypeDocuments,
  schemaDocuments,
  serviceProviderConfig,
} from '../../../protocols/scim/schema/discovery.js';
import { GROUP_TYPE, type Resource, type ResourceTypeDef } from '../../../protocols/scim/schema/resource-types.js';
import { CURSOR_SECONDS } from '../page-sql.js';
import { BULK_LIMITS, LIST_LIMITS, answerScim, Forbidden } from '../scim-request.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';

/** `withPagination` false leaves out RFC 9865, which some clients refuse to read. */
function featuresOf(documentationUri: string, withPagination: boolean): ServiceFeatures {
  return {
    documentationUri: `${documentationUri}/docs`,
    patch: true,
    bulk: { supported: true, ...BULK_LIMITS },
    filter: { maxResults: LIST_LIMITS.maxCount },
    sort: true,
    etag: true,
    changePassword: false,
    ...(withPagination ? { pagination: PAGINATION } : {}),
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token of the directory, sent as Authorization: Bearer (RFC 6750).',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
      {
        type: 'oauth2',
        name: 'OAuth 2.0 client credentials',
        description: 'An access token of a client of the directory, from POST /oauth/token (RFC 6749 §4.4).',
        specUri: 'https://www.rfc-editor.org/info/rfc6749',
        primary: false,
      },
    ],
  };
}

const PAGINATION = {
  cursor: true,
  index: true,
  defaultPaginationMethod: 'index',
  defaultPageSize: LIST_LIMITS.defaultCount,
  maxPageSize: LIST_LIMITS.maxCount,
  cursorTimeout: CURSOR_SECONDS,
} as const;

/** ServiceProviderConfig (RFC 7644 §4). No credential is needed, so that a client can learn how to get one. */
@ApiExcludeController()
@Controller('scim/v2')
export class ServiceProviderConfigController {
  constructor(private readonly config: Config) {}

  @Get('ServiceProviderConfig')
  serviceProviderConfig(@Req() req: BridgeRequest, @Res() res: BridgeResponse): void {
    refuseFilter(req);
    const base = `${this.config.baseUrl}/scim/v2`;
    // The document is the same for every profile: profiles differ only in the requests that they accept.
    const document = serviceProviderConfig(base, featuresOf(this.config.appUrl, this.config.announcesPagination));
    answerScim(res, 200, JSON.stringify(document));
  }
}

/**
 * `/ResourceTypes` and `/Schemas` (RFC 7644 §4). Parameters for pages and sorting have no effect; a filter is refused.
 */
@ApiExcludeController()
@Controller('scim/v2')
@UseGuards(ScimGuard)
export class DiscoveryController {
  @Get('ResourceTypes')
  resourceTypes(@Req() req: ScimRequest, @Res() res: BridgeResponse): void {
    this.answerList(req, res, resourceTypeDocuments(req.directory.scimBase, typesOf(req)));
  }

  @Get('ResourceTypes/:name')
  resourceType(@Req() req: ScimRequest, @Res() res: BridgeResponse, @Param('name') name: string): void {
    this.answerOne(req, res, resourceTypeDocuments(req.directory.scimBase, typesOf(req)), name, 'resource type');
  }

  @Get('Schemas')
  schemas(@Req() req: ScimRequest, @Res() res: BridgeResponse): void {
    this.answerList(req, res, schemaDocuments(req.directory.scimBase, typesOf(req), req.directory.dialect));
  }

  @Get('Schemas/:urn')
  schema(@Req() req: ScimRequest, @Res() res: BridgeResponse, @Param('urn') urn: string): void {
    this.answerOne(
      req,
      res,
      schemaDocuments(req.directory.scimBase, typesOf(req), req.directory.dialect),
      urn,
      'schema',
    );
  }

  private answerList(req: ScimRequest, res: BridgeResponse, documents: Resource[]): void {
    refuseFilter(req);
    const resources = documents.map((document) => JSON.stringify(document));
    const list = { totalResults: resources.length, startIndex: 1, itemsPerPage: resources.length, resources };
    answerScim(res, 200, listResponseText(list));
  }

  private answerOne(req: ScimRequest, res: BridgeResponse, all: Resource[], id: string, what: string): void {
    refuseFilter(req);
    const found = all.find((document) => String(document['id']).toLowerCase() === id.toLowerCase());
    if (!found) throw new NotFound(what);
    answerScim(res, 200, JSON.stringify(found));
  }
}

function typesOf({ directory }: ScimRequest): readonly ResourceTypeDef[] {
  return [directory.userType, GROUP_TYPE];
}

function refuseFilter(req: BridgeRequest): void {
  if (req.query['filter'] !== undefined) throw new Forbidden('Discovery documents cannot be filtered.');
}
