import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../base/database/database.js';
import type { ChainLine, ChainName } from './chain.rules.js';

/** The registered chains. */
@Injectable()
export class ChainSources {
  readonly all: ChainSource[] = [];
}

/** A port: reads one chain for the verifier. Each room with a chain implements it. */
export abstract class ChainSource {
  constructor(sources: ChainSources) {
    sources.all.push(this);
  }

  abstract readonly chain: ChainName;
  /** Whether a tenant can have no line. The audit log has a line from the creation of the tenant. */
  abstract readonly mayBeEmpty: boolean;
  /** Whether times must not decrease along the chain. */
  abstract readonly ordered: boolean;

  /** Returns sealed lines in order, after one sequence up to another. */
  abstract lines(db: SqlRunner, tenantId: string, after: number, through: number, limit: number): Promise<ChainLine[]>;

  /** Seals the lines that are committed by now. */
  abstract sealNow(tenantId: string): Promise<void>;
}
