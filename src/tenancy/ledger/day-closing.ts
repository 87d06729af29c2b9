import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Logger } from '../../base/log/logger.js';
import { ChainHeads, TABLES } from './chain-heads.js';
import { ChainKeys } from './chain-keys.js';
import type { SealedChain } from './chain.js';
import { ChainWalk, START_HASH, type ChainLine } from './chain.rules.js';
import { dayHash, dayText, type DayFields, type HeadSignature } from './head.rules.js';
import { HeadsRepository, type ClosedDay } from './heads.repository.js';
import { DayClosed } from './ledger.events.js';

const BATCH = 1_000;
/** The time after the end of a day in which its lines are sealed. */
const GRACE_MS = 10_000;

/**
 * Closes the days (UTC) of a chain: signs and publishes the head of each day on which the chain grew. Each head
 * contains the hash of the one before, so the list of days is a chain too.
 */
@Injectable()
export class DayClosing {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly keys: ChainKeys,
    private readonly chainHeads: ChainHeads,
    private readonly heads: HeadsRepository,
    private readonly logger: Logger,
    private readonly events: DomainEvents,
  ) {}

  /** Returns the first day (`2026-01-31`) that is not over yet. */
  today(): string {
    return new Date(this.clock.now().getTime() - GRACE_MS).toISOString().slice(0, 10);
  }

  /** Returns the milliseconds until the next day is over. */
  untilEndOfDay(): number {
    const DAY_MS = 86_400_000;
    return DAY_MS - ((this.clock.now().getTime() - GRACE_MS) % DAY_MS);
  }

  /** Closes the days that are over, of all tenants. Reports a broken chain and does not close it. */
  async closeAll(source: SealedChain): Promise<void> {
    for (let after = ''; ;) {
      const tenants = await this.heads.grown(source.chain, after, BATCH);
      for (const tenantId of tenants) await this.close(source, tenantId);
      if (tenants.length < BATCH) return;
      after = tenants.at(-1)!;
    }
  }

  /** Closes the days of one chain that are over. */
  async close(source: SealedChain, tenantId: string): Promise<void> {
    await this.keys.ready();
    await source.sealNow(tenantId);
    await this.db.transaction(tenantId, async (tx) => {
      // The lock of the head serialises closers.
      if ((await this.chainHeads.lock(tx, tenantId, source.chain, true)) === null) return;
      const last = await this.heads.lastDay(tx, tenantId, source.chain);
      if (last !== null && !(await this.stands(tx, tenantId, source, last))) return;
      const { ends, walk } = await this.ends(tx, source, tenantId, last);
      if (walk.breach !== null) {
        this.logger.error('a chain is broken: its day is not closed', {
          tenant_id: tenantId,
          chain: source.chain,
          ...walk.breach,
        });
        return;
      }
      let previous = last === null ? START_HASH : dayHash(last);
      for (const [day, line] of ends) {
        const fields = this.fields(source, tenantId, day, line, previous, true);
        const signed = dayText(fields);
        const signature = this.keys.sign(signed);
        await this.heads.addDay(tx, fields, signature);
        await this.events.publish(new DayClosed(tx, fields, signed, signature));
        previous = dayHash(fields);
      }
    });
  }

  /**
   * Returns the head of the current day, signed now: an auditor can keep it like a closed one.
   *
   * @returns null while the chain is empty
   */
  async open(source: SealedChain, tenantId: string): Promise<(DayFields & HeadSignature) | null> {
    await this.keys.ready();
    await source.sealNow(tenantId);
    const { head } = await this.heads.headAndEnd(tenantId, source.chain, TABLES[source.chain]);
    if (head === null || head.sequence === 0) return null;
    const [line] = await source.lines(this.db, tenantId, head.sequence - 1, head.sequence, 1);
    if (line === undefined) return null;
    const last = await this.heads.lastDay(this.db, tenantId, source.chain);
    const previous = last === null ? START_HASH : dayHash(last);
    const fields = this.fields(source, tenantId, this.today(), line, previous, false);
    return { ...fields, ...this.keys.sign(dayText(fields)) };
  }

  /** Returns whether the newest closed day has a valid signature and is still in the chain. */
  private async stands(tx: SqlRunner, tenantId: string, source: SealedChain, last: ClosedDay): Promise<boolean> {
    const hash = await this.heads.hashAt(tx, tenantId, TABLES[source.chain], last.sequence);
    if (hash === last.hash && this.keys.verifies(dayText(last), last)) return true;
    this.logger.error('a chain differs from its newest closed day: no further day is closed', {
      tenant_id: tenantId,
      chain: source.chain,
      day: last.day,
      sequence: last.sequence,
    });
    return false;
  }

  /** Returns the last line of each day that is over, after the last closed one. Checks the lines. */
  private async ends(
    tx: SqlRunner,
    source: SealedChain,
    tenantId: string,
    last: ClosedDay | null,
  ): Promise<{ ends: [day: string, line: ChainLine][]; walk: ChainWalk }> {
    const today = this.today();
    const floor = last === null ? '' : dayAfter(last.day);
    const start = { sequence: last?.sequence ?? 0, hash: last?.hash ?? START_HASH };
    const ends: [string, ChainLine][] = [];
    const walk = new ChainWalk([], source.ordered, start);
    for (;;) {
      const lines = await source.lines(tx, tenantId, walk.end.sequence, Number.MAX_SAFE_INTEGER, BATCH);
      for (const line of lines) {
        // Lines of the audit log are in the order of their ids. A line that is committed late can have an earlier time than the line
        // before, or a time in a day that is closed already.
        const day = latest(ends.at(-1)?.[0] ?? floor, line.at.slice(0, 10));
        if (day >= today || !walk.take(line)) return { ends, walk };
        if (ends.at(-1)?.[0] === day) ends[ends.length - 1] = [day, line];
        else ends.push([day, line]);
      }
      if (lines.length < BATCH) return { ends, walk };
    }
  }

  private fields(
    source: SealedChain,
    tenantId: string,
    day: string,
    line: ChainLine,
    previous: string,
    closed: boolean,
  ): DayFields {
    const { sequence, count, hash } = line;
    return { tenantId, chain: source.chain, day, sequence, count, hash, previous, closed };
  }
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
