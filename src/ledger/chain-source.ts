import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../base/database/database.js';
import type { ChainLine, ChainName } from './chain.rules.js';

/** The chains that there are; each registers itself. */
@Injectable()
export class ChainSources {
  readonly all: ChainSource[] = [];
}

/** How the verifier reads one chain. Each room that has a chain gives one. */
export abstract class ChainSource {
  constructor(sources: ChainSources) {
    sources.all.push(this);
  }

  abstract readonly chain: ChainName;
  /** Whether a tenant can be without a line: the audit log begins with the tenant itself. */
  abstract readonly mayBeEmpty: boolean;
  /** Whether time may not run backwards along the chain. */
  abstract readonly ordered: boolean;

  /** Sealed lines in order, those after one sequence and up to another. */
  abstract lines(db: SqlRunner, tenantId: string, after: number, through: number, limit: number): Promise<ChainLine[]>;

  /** Seals what is committed by now. */
  abstract sealNow(tenantId: string): Promise<void>;
}
