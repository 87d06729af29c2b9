import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Clock } from '../../base/clock.js';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { pageOf, readPage } from '../../base/http/page.js';
import { queryOptions, type Query } from '../../base/http/query.js';
import { Logger } from '../../base/log/logger.js';
import { again, IntervalWork, type TurnOutcome } from '../../base/work/work.js';
import { ChainKeys } from './chain-keys.js';
import { type SealedChain, Chains } from './chain.js';
import {
  type DayFields,
  type HeadSignature,
  ChainWalk,
  START_HASH,
  type ChainLine,
  dayHash,
  dayText,
  type ChainPlace,
} from './chain.rules.js';
import { HeadsRepository, TABLES, type ClosedDay } from './heads.repository.js';

/** A day of a chain is over, and its head is signed. Published in the transaction that adds the head. */
export class DayClosed {
  constructor(
    readonly tx: SqlRunner,
    readonly day: DayFields,
    readonly signed: string,
    readonly signature: HeadSignature,
  ) {}
}

const BATCH = 1_000;
const GRACE_MS = 10_000;

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/**
 * Closes the days (UTC) of a chain: signs and publishes the head of each day on which the chain grew. Each head
 * contains the hash of the previous one, so the list of days is a chain too. Answers `GET /seats/heads` and `GET
 * /audit/heads`.
 */
@Injectable()
export class DayClosing {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly keys: ChainKeys,
    private readonly chainHeads: HeadsRepository,
    private readonly logger: Logger,
    private readonly events: DomainEvents,
  ) {}

  /** Returns the first day (`2026-01-31`) that is not over yet. */
  today(): string {
    return new Date(this.clock.now().getTime() - GRACE_MS).toISOString().slice(0, 10);
  }

  /** Milliseconds. */
  untilEndOfDay(): number {
    const DAY_MS = 86_400_000;
    return DAY_MS - ((this.clock.now().getTime() - GRACE_MS) % DAY_MS);
  }

  /** Closes the finished days of all tenants. Reports a broken chain and does not close it. */
  async closeAll(source: SealedChain): Promise<void> {
    for (let after = ''; ;) {
      const tenants = await this.chainHeads.grown(source.chain, after, BATCH);
      for (const tenantId of tenants) await this.close(source, tenantId);
      if (tenants.length < BATCH) return;
      after = tenants.at(-1)!;
    }
  }

  async close(source: SealedChain, tenantId: string): Promise<void> {
    await this.keys.ready();
    await source.sealNow(tenantId);
    await this.db.transaction(tenantId, async (tx) => {
      // The lock of the head serialises closers.
      if ((await this.chainHeads.lockHead(tx, tenantId, source.chain, true)) === null) return;
      const last = await this.chainHeads.lastDay(tx, tenantId, source.chain);
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
        await this.chainHeads.addDay(tx, fields, signature);
        await this.events.publish(new DayClosed(tx, fields, signed, signature));
        previous = dayHash(fields);
      }
    });
  }

  /**
   * Returns the head of the current day, signed now, which an auditor can keep like a closed one; null while the chain
   * is empty.
   */
  async open(source: SealedChain, tenantId: string): Promise<(DayFields & HeadSignature) | null> {
    await this.keys.ready();
    await source.sealNow(tenantId);
    const { head } = await this.chainHeads.headAndEnd(tenantId, source.chain, TABLES[source.chain]);
    if (head === null || head.sequence === 0) return null;
    const [line] = await source.lines(this.db, tenantId, head.sequence - 1, head.sequence, 1);
    if (line === undefined) return null;
    const last = await this.chainHeads.lastDay(this.db, tenantId, source.chain);
    const previous = last === null ? START_HASH : dayHash(last);
    const fields = this.fields(source, tenantId, this.today(), line, previous, false);
    return { ...fields, ...this.keys.sign(dayText(fields)) };
  }

  /** Returns whether the newest closed day has a valid signature and is still in the chain. */
  private async stands(tx: SqlRunner, tenantId: string, source: SealedChain, last: ClosedDay): Promise<boolean> {
    const hash = await this.chainHeads.hashAt(tx, tenantId, TABLES[source.chain], last.sequence);
    if (hash === last.hash && this.keys.verifies(dayText(last), last)) return true;
    this.logger.error('a chain differs from its newest closed day: no further day is closed', {
      tenant_id: tenantId,
      chain: source.chain,
      day: last.day,
      sequence: last.sequence,
    });
    return false;
  }

  /** Returns the last line of each finished day after the last closed one. Checks the lines. */
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
        // Lines of the audit log are in the order of their ids. A line that commits late can have an earlier time than
        // the previous line, or a time in a closed day.
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

  async publishedPage(source: SealedChain, tenantId: string, query: Query): Promise<HeadsPageDto> {
    queryOptions(query, ['limit', 'cursor']);
    const page = readPage(query, `${source.chain} heads`);
    await this.keys.ready(true);
    await this.close(source, tenantId);
    const days = await this.chainHeads.days(tenantId, source.chain, page.after, page.limit + 1);
    const open = await this.open(source, tenantId);
    return {
      ...pageOf(
        page,
        days,
        ({ day }) => day,
        (day) => shown(day, day.closedAt),
      ),
      open: open === null ? null : shown(open, null),
      keys: this.keys.publicKeys(),
    };
  }
}

/** Closes the days of all chains, once after the end of each day (UTC). */
@Injectable()
export class DayCloser extends IntervalWork {
  override readonly kind = 'ledger.days';
  override readonly everyMs = 86_400_000;

  constructor(
    private readonly closing: DayClosing,
    private readonly chains: Chains,
  ) {
    super();
  }

  override async run(): Promise<TurnOutcome> {
    const untilMs = this.closing.untilEndOfDay();
    for (const source of this.chains.all) await this.closing.closeAll(source);
    return again(untilMs);
  }
}

class DayHeadDto {
  @ApiProperty({ enum: ['seats', 'audit'] })
  chain!: string;

  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'the day, UTC' })
  day!: string;

  @ApiProperty({ description: 'false for the day that is not over yet' })
  closed!: boolean;

  @ApiProperty({ type: 'integer', description: 'the sequence of the last entry of the day' })
  sequence!: number;

  @ApiProperty({ type: 'integer', description: 'seats in use after it; in the audit log the number of lines' })
  count!: number;

  @ApiProperty({ description: 'the hash of that entry, 64 hex digits' })
  hash!: string;

  @ApiProperty({ description: 'SHA-256 (hex) of `signed` of the day before in this list; 64 zeros for the first' })
  previous!: string;

  @ApiProperty({ description: 'the text that is signed, byte for byte (UTF-8)' })
  signed!: string;

  @ApiProperty({ description: 'the key that signed it: see `keys`' })
  key_id!: string;

  @ApiProperty({ description: 'Ed25519 over `signed`, base64' })
  signature!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  closed_at!: string | null;
}

class ChainKeyDto {
  @ApiProperty({ description: 'the first 16 hex digits of the SHA-256 of the key in SPKI form' })
  key_id!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  algorithm!: string;

  @ApiProperty({ description: 'SPKI, PEM' })
  public_key!: string;

  @ApiProperty({ description: 'true for the key that signs now' })
  current!: boolean;
}

/** The heads of a chain, newest day first, with the keys that verify them. */
export class HeadsPageDto {
  @ApiProperty({ type: [DayHeadDto] })
  data!: DayHeadDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;

  @ApiProperty({
    type: DayHeadDto,
    nullable: true,
    description: 'the current head, signed; null while the chain is empty',
  })
  open!: DayHeadDto | null;

  @ApiProperty({ type: [ChainKeyDto] })
  keys!: ChainKeyDto[];
}

/** @throws {InvalidFields} when `sequence` or `hash` is malformed, or one is missing */
export function knownHead(query: Query): ChainPlace | null {
  const { sequence, hash } = queryOptions(query, ['sequence', 'hash']);
  if (sequence === undefined && hash === undefined) return null;
  const errors = [];
  if (sequence === undefined || !/^[1-9]\d{0,8}$/.test(sequence)) {
    errors.push({ field: 'sequence', message: 'must be a whole number from 1 to 999999999, together with hash' });
  }
  if (hash === undefined || !/^[0-9a-f]{64}$/i.test(hash)) {
    errors.push({ field: 'hash', message: 'must be 64 hex digits, together with sequence' });
  }
  if (errors.length > 0) throw new InvalidFields(errors);
  return { sequence: Number(sequence), hash: hash!.toLowerCase() };
}

function shown(day: DayFields & HeadSignature, closedAt: Date | null): DayHeadDto {
  return {
    chain: day.chain,
    day: day.day,
    closed: day.closed,
    sequence: day.sequence,
    count: day.count,
    hash: day.hash,
    previous: day.previous,
    signed: dayText(day),
    key_id: day.keyId,
    signature: day.signature.toString('base64'),
    closed_at: closedAt?.toISOString() ?? null,
  };
}
