import { Injectable } from '@nestjs/common';
import type { OperationEffect, RequestEffect } from '../../../base/http/request.js';
import { planBulk, type BulkStep } from '../../../protocols/scim/messages/bulk-order.js';
import { substituteBulkIds, withoutReferences } from '../../../protocols/scim/messages/bulk-references.js';
import type { BulkOperation, BulkRequest } from '../../../protocols/scim/messages/bulk-request.js';
import { parsePatchRequest } from '../../../protocols/scim/messages/patch-request.js';
import { etagOf } from '../../../protocols/scim/resource/etag.js';
import { type ScimErrorBody, ScimRequestError } from '../../../protocols/scim/scim.errors.js';
import { BULK_RESPONSE_URN } from '../../../protocols/scim/urns.js';
import type { GroupRow } from '../../users/groups/group.row.js';
import { ScimGroupsService } from '../groups/scim-groups.service.js';
import type { CurrentDirectory, RequestFacts } from '../scim-request.js';
import { ScimUsersService } from '../users/scim-users.service.js';
import type { StoredUser } from '../users/user-resource.js';

/** Converts an error into the error of one bulk operation. The `surfaces` room implements it. */
export abstract class RefusalFace {
  abstract scimError(thrown: unknown): { status: number; body: ScimErrorBody };
}

interface BulkResult {
  method: string;
  bulkId?: string;
  version?: string;
  location?: string;
  status: string;
  response?: unknown;
}

const PARTNER_FAILED = (id: string): ScimRequestError =>
  new ScimRequestError(409, `The operation that makes bulkId "${id.slice(0, 100)}" failed.`);

interface Progress {
  ids: Map<string, string>;
  results: (BulkResult | undefined)[];
  failures: number;
  effects: (RequestEffect | undefined)[];
}

/** Runs the operations of `/Bulk` in their order. Each has the effect of a request of its own (RFC 7644 §3.7). */
@Injectable()
export class ScimBulkService {
  constructor(
    private readonly users: ScimUsersService,
    private readonly groups: ScimGroupsService,
    private readonly face: RefusalFace,
  ) {}

  /** Returns the BulkResponse. Stops once `failOnErrors` operations have failed. */
  async run(directory: CurrentDirectory, request: BulkRequest, facts: RequestFacts): Promise<object> {
    const plan = planBulk(request.operations);
    const progress: Progress = { ids: new Map(), results: [], failures: 0, effects: [] };
    const { done, ...ofOperation } = facts;
    for (const step of plan.steps) {
      // Resources that were created without their references are still completed or deleted.
      const stopped = request.failOnErrors !== undefined && progress.failures >= request.failOnErrors;
      if (stopped && step.kind !== 'completeReferences') continue;
      const operation = request.operations[step.index]!;
      const missing = [...plan.references[step.index]!].find(
        (id) => !progress.ids.has(id) && !(step.kind === 'execute' && step.deferred.has(id)),
      );
      await this.step(directory, step, operation, missing, ofOperation, progress);
    }
    done?.({
      outcome: 'bulk',
      detail: countsOf(request.operations, progress.results),
      operations: request.operations.map((operation) => operationEffectOf(operation, progress)),
    });
    return { schemas: [BULK_RESPONSE_URN], Operations: progress.results.filter((result) => result !== undefined) };
  }

  private async step(
    directory: CurrentDirectory,
    step: BulkStep,
    operation: BulkOperation,
    missing: string | undefined,
    facts: RequestFacts,
    progress: Progress,
  ): Promise<void> {
    try {
      if (step.kind === 'refuse') throw step.error;
      if (step.kind === 'completeReferences') {
        await this.complete(directory, operation, missing, facts, progress);
        return;
      }
      if (missing !== undefined) throw PARTNER_FAILED(missing);
      const data = substituteBulkIds(withoutReferences(operation.data, step.deferred), progress.ids);
      const id = operation.id === null ? null : substituteBulkIds(operation.id, progress.ids);
      progress.results[step.index] = await this.execute(directory, operation, id, data, facts, progress);
    } catch (error) {
      const { status, body } = this.face.scimError(error);
      progress.failures++;
      progress.results[step.index] = {
        method: operation.method,
        ...(operation.bulkId === undefined ? {} : { bulkId: operation.bulkId }),
        ...(operation.id === null ? {} : { location: locationOf(directory, operation, operation.id) }),
        status: String(status),
        response: body,
      };
    }
  }

  /**
   * Writes the references that waited for other operations of the request. Where another operation failed, deletes the
   * resource: a client does not look for a part of a resource after a failure.
   */
  private async complete(
    directory: CurrentDirectory,
    operation: BulkOperation,
    missing: string | undefined,
    facts: RequestFacts,
    progress: Progress,
  ): Promise<void> {
    const id = progress.ids.get(operation.bulkId!);
    if (id === undefined) return; // The operation failed and has its result.
    const unconditional = { ...facts, ifMatch: undefined };
    try {
      if (missing !== undefined) throw PARTNER_FAILED(missing);
      const data = substituteBulkIds(operation.data, progress.ids);
      const row = await this.replace(directory, operation, id, data, unconditional);
      progress.results[operation.index]!.version = this.tagOf(directory, row);
    } catch (error) {
      progress.ids.delete(operation.bulkId!);
      await this.remove(directory, operation, id, unconditional);
      throw error;
    }
  }

  private async execute(
    directory: CurrentDirectory,
    operation: BulkOperation,
    id: string | null,
    data: unknown,
    facts: RequestFacts,
    progress: Progress,
  ): Promise<BulkResult> {
    const isUser = operation.type!.name === 'User';
    const request: RequestFacts = {
      ...facts,
      ifMatch: operation.version,
      withMembers: false,
      done: (effect) => (progress.effects[operation.index] = effect),
    };
    const result: BulkResult = { method: operation.method, status: '200' };
    if (operation.bulkId !== undefined) result.bulkId = operation.bulkId;
    switch (operation.method) {
      case 'POST': {
        const row = isUser
          ? await this.users.create(directory, data, { ...request, ifMatch: undefined })
          : await this.groups.create(directory, data, { ...request, ifMatch: undefined });
        progress.ids.set(operation.bulkId!, row.id);
        return {
          ...result,
          status: '201',
          version: this.tagOf(directory, row),
          location: locationOf(directory, operation, row.id),
        };
      }
      case 'PUT': {
        const row = await this.replace(directory, operation, id!, data, request);
        return { ...result, version: this.tagOf(directory, row), location: locationOf(directory, operation, id!) };
      }
      case 'PATCH': {
        const operations = parsePatchRequest(data, directory.dialect);
        const location = locationOf(directory, operation, id!);
        if (isUser) {
          const row = await this.users.patch(directory, id!, operations, request);
          return { ...result, version: this.tagOf(directory, row), location };
        }
        await this.groups.patch(directory, id!, operations, request);
        return { ...result, status: '204', location };
      }
      case 'DELETE': {
        await this.remove(directory, operation, id!, request);
        return { ...result, status: '204', location: locationOf(directory, operation, id!) };
      }
    }
  }

  private replace(
    directory: CurrentDirectory,
    operation: BulkOperation,
    id: string,
    data: unknown,
    facts: RequestFacts,
  ): Promise<StoredUser | GroupRow> {
    return operation.type!.name === 'User'
      ? this.users.replace(directory, id, data, facts)
      : this.groups.replace(directory, id, data, { ...facts, withMembers: false });
  }

  private remove(
    directory: CurrentDirectory,
    operation: BulkOperation,
    id: string,
    facts: RequestFacts,
  ): Promise<void> {
    const resources = operation.type!.name === 'User' ? this.users : this.groups;
    return resources.remove(directory, id, facts);
  }

  private tagOf(directory: CurrentDirectory, row: StoredUser | GroupRow): string {
    return 'revision' in row ? this.users.tagFor(directory, row) : etagOf(row.version);
  }
}

/** Counts operations by kind and status: `2 POST /Users 201, 1 PATCH /Groups 204`. */
function countsOf(operations: readonly BulkOperation[], results: Progress['results']): string {
  const counts = new Map<string, number>();
  for (const { index, method, type } of operations) {
    const status = results[index]?.status ?? 'not run';
    const kind = `${method} ${type?.endpoint ?? 'unknown'} ${status}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

/** Returns the effect of one operation for the logs; undefined when it was not run. */
function operationEffectOf(
  { index, method, type, id }: BulkOperation,
  { results, effects }: Progress,
): OperationEffect | undefined {
  const result = results[index];
  if (result === undefined || type === null) return undefined;
  // The location has the id in place of `bulkId:x`.
  const last = id === null ? '' : `/${result.location?.split('/').at(-1) ?? id}`;
  const status = Number(result.status);
  return {
    method,
    path: `/scim/v2${type.endpoint}${last}`,
    status,
    scimType: (result.response as { scimType?: string } | undefined)?.scimType,
    effect: status < 400 ? effects[index] : undefined,
  };
}

function locationOf({ scimBase }: CurrentDirectory, operation: BulkOperation, id: string): string {
  return `${scimBase}${operation.type?.endpoint ?? ''}/${id}`;
}
