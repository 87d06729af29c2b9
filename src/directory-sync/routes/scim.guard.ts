import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { plainAddress } from '../../base/http/allowed-networks.js';
import { AnswerBudget, type AnswerShare } from '../../base/http/answer-budget.js';
import { demandAcceptable } from '../../base/http/answer.js';
import { proveCaller } from '../../base/http/connection-bound.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { dialectOf } from '../../protocols/scim/dialects/dialects.js';
import { userTypeWith } from '../../protocols/scim/schema/resource-types.js';
import { bearerToken } from '../../tenancy/tenants/caller.js';
import { scimBaseOf, TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { Unauthenticated } from '../../tenancy/tenants/tenants.errors.js';
import { ScimCredentials } from '../clients/access-token.store.js';
import { DirectoryStore, type Directory } from '../directories/directory.store.js';
import { type CurrentDirectory, Forbidden } from './scim-request.js';

export interface ScimRequest extends BridgeRequest {
  directory: CurrentDirectory;
  answer: AnswerShare;
}

// Computed once for each state of a directory, not for each request.
const made = new WeakMap<Directory, CurrentDirectory>();

@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly credentials: ScimCredentials,
    private readonly directories: DirectoryStore,
    private readonly budget: AnswerBudget,
    private readonly config: Config,
    private readonly addresses: TenantAddresses,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<ScimRequest>();
    const token = bearerToken(req);
    const form = { header: req.headers.authorization, kind: 'tbs' } as const;
    if (token === null) {
      if (req.headers.authorization !== undefined) this.credentials.noteUnreadable(req.headers.authorization, req.ip);
      throw new Unauthenticated('missing', form);
    }
    const credential = await this.credentials.find(token, req);
    if (credential === null) throw new Unauthenticated('invalid', form);
    await this.addresses.demandOwn(req, credential.tenantId);
    req.tenantId = credential.tenantId;
    req.credentialId = credential.credentialId;
    proveCaller(req);
    req.directoryId = credential.directoryId;
    const directory = await this.directories.get(credential.tenantId, credential.directoryId);
    if (!directory.networks.admits(req.ip)) {
      this.credentials.noteOutside(credential, plainAddress(req.ip));
      throw new Forbidden('The directory takes no request from this network.');
    }
    this.directories.takeRequest(http.getResponse<BridgeResponse>(), credential.credentialId, directory);
    demandAcceptable(req.headers.accept, 'application/scim+json', 'application/json');
    req.answer = this.budget.shareOf(http.getResponse<BridgeResponse>(), credential.tenantId);
    req.directory = currentDirectory(directory, this.config.baseUrl);
    return true;
  }
}

function currentDirectory(directory: Directory, baseUrl: string): CurrentDirectory {
  let current = made.get(directory);
  if (current === undefined) {
    current = {
      tenantId: directory.tenantId,
      id: directory.id,
      dialect: dialectOf(directory.profile, { replaceCreatesMissing: directory.replaceCreatesMissing }),
      userType: userTypeWith(directory.customAttributes),
      writing: directory,
      owners: [directory.id, '', directory.takesOver, directory.supersededBy].filter((id) => id !== null),
      actor: { kind: 'directory', id: directory.id, name: directory.name },
      scimBase: scimBaseOf(directory.baseUrl ?? baseUrl),
    };
    made.set(directory, current);
  }
  return current;
}
