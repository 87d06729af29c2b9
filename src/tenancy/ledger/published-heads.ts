import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { pageOf, readPage } from '../../base/http/page.js';
import { queryOptions, type Query } from '../../base/http/query.js';
import { ChainKeys } from './chain-keys.js';
import type { SealedChain } from './chain.js';
import type { ChainPlace } from './chain.rules.js';
import { DayClosing } from './day-closing.js';
import { dayText, type DayFields, type HeadSignature } from './head.rules.js';
import type { DayHeadDto, HeadsPageDto } from './heads.dto.js';
import { HeadsRepository } from './heads.repository.js';

/** Answers `GET /seats/heads` and `GET /audit/heads`. */
@Injectable()
export class PublishedHeads {
  constructor(
    private readonly heads: HeadsRepository,
    private readonly closing: DayClosing,
    private readonly keys: ChainKeys,
  ) {}

  /** Returns a page of closed days, newest first, with the current head and the public keys. */
  async page(source: SealedChain, tenantId: string, query: Query): Promise<HeadsPageDto> {
    queryOptions(query, ['limit', 'cursor']);
    const page = readPage(query, `${source.chain} heads`);
    await this.keys.ready(true);
    await this.closing.close(source, tenantId);
    const days = await this.heads.days(tenantId, source.chain, page.after, page.limit + 1);
    const open = await this.closing.open(source, tenantId);
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

/**
 * Reads a head that the caller has kept: `sequence` and `hash`, both or none.
 *
 * @throws {InvalidFields} when one is missing or malformed
 */
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
