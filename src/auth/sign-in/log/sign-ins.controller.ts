import { Get, Query, Req, Res } from '@nestjs/common';
import { ApiProperty, ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../../base/http/export.js';
import { pageOf, readPage } from '../../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { REFUSAL_REASONS } from '../sign-in.errors.js';
import { SIGN_IN_KINDS, SIGN_IN_OUTCOMES, type SignInRow, SignInLog, type SignInFilter } from './sign-in-log.js';

const TEXT = { type: String, nullable: true } as const;

class SignInBody implements SignInRow {
  @ApiProperty({ example: 'sin_01k0000000abcdefghjkmnpqrs', description: 'The support id on the page.' })
  id!: string;
  @ApiProperty()
  at!: Date;
  @ApiProperty({ enum: SIGN_IN_KINDS })
  kind!: string;
  @ApiProperty(TEXT)
  connection_id!: string | null;
  @ApiProperty({ ...TEXT, description: 'The name of the connection, also of a deleted one.' })
  connection!: string | null;
  @ApiProperty({ enum: SIGN_IN_OUTCOMES })
  outcome!: 'success' | 'refused';
  @ApiProperty({ ...TEXT, enum: REFUSAL_REASONS, description: 'Of a refusal: why.' })
  reason!: string | null;
  @ApiProperty({ ...TEXT, description: 'The same in words.' })
  detail!: string | null;
  @ApiProperty({ ...TEXT, description: 'The account that the IdP named.' })
  account!: string | null;
  @ApiProperty({ ...TEXT, description: 'The IdP’s name for the account: `sub`, or the NameID.' })
  subject!: string | null;
  @ApiProperty(TEXT)
  user_id!: string | null;
  @ApiProperty({ ...TEXT, description: 'How the user was found; `known`: by an earlier sign-in.' })
  linked_by!: string | null;
  @ApiProperty({ ...TEXT, description: 'The session that it led to.' })
  session_id!: string | null;
  @ApiProperty(TEXT)
  ip!: string | null;
  @ApiProperty(TEXT)
  user_agent!: string | null;
  @ApiProperty()
  request_id!: string;
}

const FILTERS = [
  'support_id',
  'user_id',
  'account',
  'connection_id',
  'kind',
  'outcome',
  'reason',
  'since',
  'until',
] as const;
const COLUMNS = [
  'id',
  'at',
  'kind',
  'connection_id',
  'connection',
  'outcome',
  'reason',
  'detail',
  'account',
  'subject',
  'user_id',
  'linked_by',
  'session_id',
  'ip',
  'user_agent',
  'request_id',
] as const satisfies readonly (keyof SignInRow)[];
const BATCH = 1_000;

@ApiController('sign-ins')
@RequireScope('sign-ins:read', 'audit:read')
@ApiRefusals()
export class SignInsController {
  constructor(private readonly log: SignInLog) {}

  @Get()
  @ApiOperation({
    summary: 'Sign-ins and refusals, newest first; `support_id` is the number on the page',
    description: '`format=csv` or `format=ndjson` exports all that matches.',
  })
  @ApiFilter('support_id', 'Only the sign-in with this number, which the page of the refusal shows.')
  @ApiFilter('user_id')
  @ApiFilter('connection_id', 'Only records of this connection: its id or slug.')
  @ApiFilter('kind', undefined, { enum: SIGN_IN_KINDS })
  @ApiFilter('outcome', 'Only sign-ins with this outcome.', { enum: SIGN_IN_OUTCOMES })
  @ApiFilter('reason', 'Only records with this reason.', { enum: REFUSAL_REASONS })
  @ApiFilter('since', undefined, 'date-time')
  @ApiFilter('until', undefined, 'date-time')
  @ApiPage(SignInBody, { exports: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, [...FILTERS, 'limit', 'cursor', 'format']);
    const filter: SignInFilter = {
      support_id: options.support_id,
      account: options.account,
      user_id: options.user_id,
      connection_id: options.connection_id,
      kind: queryChoice('kind', options.kind, SIGN_IN_KINDS),
      outcome: queryChoice('outcome', options.outcome, SIGN_IN_OUTCOMES),
      reason: queryChoice('reason', options.reason, REFUSAL_REASONS),
      since: queryTime('since', options.since),
      until: queryTime('until', options.until),
    };
    const format = exportFormat(options.format, req.headers.accept);
    if (format !== 'json') {
      return sendExport(res, format, 'sign-ins', this.export(caller.tenantId, filter, format));
    }
    const page = readPage(query, `sign-ins ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const rows = await this.log.list(caller.tenantId, filter, page);
    res.json(
      pageOf(
        page,
        rows,
        (row) => row.id,
        (row) => row,
      ),
    );
  }

  private async *export(tenantId: string, filter: SignInFilter, format: 'csv' | 'ndjson'): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(COLUMNS);
    let after: string | null = null;
    for (;;) {
      const rows = await this.log.list(tenantId, filter, { limit: BATCH - 1, after });
      yield rows
        .map((row) => (format === 'csv' ? csvLine(COLUMNS.map((name) => row[name])) : `${JSON.stringify(row)}\n`))
        .join('');
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.id;
    }
  }
}
