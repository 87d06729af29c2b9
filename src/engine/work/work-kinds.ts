import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { instancesOf, WorkKind } from '../../base/work/work.js';

/** The kinds of background work that the rooms of this application declare. */
@Injectable()
export class WorkKinds {
  private found: ReadonlyMap<string, WorkKind> | null = null;

  constructor(private readonly discovery: Pick<DiscoveryService, 'getProviders'>) {}

  get all(): ReadonlyMap<string, WorkKind> {
    this.found ??= new Map(instancesOf(this.discovery, WorkKind).map((kind) => [kind.kind, kind]));
    return this.found;
  }
}
