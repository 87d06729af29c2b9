import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import type { TxtFinding } from './domain-check.rules.js';

const TIMING = { timeout: 3_000, tries: 2 };
// Answers of name servers that prove the absence of a record.
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads TXT records by the configured name servers, which follow a CNAME. */
@Injectable()
export class TxtRecords {
  private readonly servers: readonly string[];

  constructor(config: Config) {
    this.servers = config.dnsServers;
  }

  /**
   * Returns the records of a name, each as one text. Never throws. `absent`: a name server said so; `unknown`: no name
   * server could say (SERVFAIL, no answer, an invalid name).
   */
  async lookup(name: string, timing = TIMING): Promise<TxtFinding> {
    const resolver = new Resolver(timing);
    try {
      // A resolver per question: cancelling one does not cancel others.
      if (this.servers.length > 0) resolver.setServers(this.servers);
      const records = await resolver.resolveTxt(name);
      return { kind: 'found', texts: records.map((chunks) => chunks.join('')) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      return ABSENT.has(code) ? { kind: 'absent' } : { kind: 'unknown', why: code };
    }
  }
}
