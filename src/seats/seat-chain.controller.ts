import { Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPaging } from '../base/http/api-answers.js';
import type { Query as QueryMap } from '../base/http/query.js';
import { HeadsPageDto, knownHead, PublishedHeads } from '../tenancy/ledger/day-closing.js';
import { ApiController } from '../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../tenancy/tenants/caller.js';
import { SeatChain } from './seat-chain.js';
import { SeatVerifier } from './seat-verifier.js';

/** The chain over the seat ledger: its verification and its published heads. */
@ApiController('seats')
export class SeatChainController {
  constructor(
    private readonly chain: SeatChain,
    private readonly verifier: SeatVerifier,
    private readonly heads: PublishedHeads,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'Checks the ledger’s chain and names the first entry that does not fit',
    description:
      'Where the chain is whole, what its lines amount to is compared with the users in force, at the end and at each ' +
      'closed day: `code: holders differ` names each user who differs, with the lines.',
  })
  @ApiFilter('sequence', 'with `hash`: a head that the caller has kept')
  @ApiFilter('hash')
  async verify(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<object> {
    return this.verifier.verify(caller.tenantId, knownHead(query));
  }

  @Get('heads')
  @RequireScope('seats:read')
  @ApiOperation({ summary: 'The signed heads of the ledger by day (UTC), newest first, and the head of now' })
  @ApiPaging()
  @ApiOkResponse({ type: HeadsPageDto })
  listHeads(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<HeadsPageDto> {
    return this.heads.page(this.chain, caller.tenantId, query);
  }
}
