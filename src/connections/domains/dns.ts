import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { TxtFinding } from './domain-check.rules.js';

const TIMING = { timeout: 3_000, tries: 2 };
// What the name servers say when there is certainly no such record.
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** TXT records as the name servers of the settings say them; a CNAME is followed by those. */
@Injectable()
export class TxtRecords {
  private readonly servers: readonly string[];

  constructor(config: Config) {
    this.servers = config.dnsServers;
  }

  /**
   * The records of a name, each as one text. Never throws: `absent` is what a name server said, `unknown` is that none
   * could say (SERVFAIL, no answer, a name that cannot be asked for).
   */
  async lookup(name: string, timing = TIMING): Promise<TxtFinding> {
    const resolver = new Resolver(timing);
    try {
      // Set for each question: a resolver that belongs to nobody else cannot be cancelled by anybody else.
      if (this.servers.length > 0) resolver.setServers(this.servers);
      const records = await resolver.resolveTxt(name);
      return { kind: 'found', texts: records.map((chunks) => chunks.join('')) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      return ABSENT.has(code) ? { kind: 'absent' } : { kind: 'unknown', why: code };
    }
  }
}
