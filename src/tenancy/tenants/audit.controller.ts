import { Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { ApiFilter, ApiPaging, ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../base/http/export.js';
import { pageOf, readPage, PAGE_OPTIONS, type Page } from '../../base/http/page.js';
import { queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ChainVerifier, chainVerdictOf, type ChainVerdictBody } from '../ledger/chain-verifier.js';
import { HeadsPageDto, knownHead, DayClosing } from '../ledger/day-closing.js';
import { ApiController, OperatorController } from './api-key.guard.js';
import { AuditChain, AuditReader, type AuditFilter } from './audit/audit.reader.js';
import type { AuditRow } from './audit/audit.rules.js';
import { InstallationAudit, type InstallationAuditRow } from './audit/audit.service.js';
import { CurrentCaller, RequireScope, type Caller } from './caller.js';

const FILTERS = ['action', 'actor_id', 'target_type', 'target_id', 'since', 'until'] as const;
const COLUMNS = ['id', 'at', 'actor_kind', 'actor_id', 'actor_name', 'action', 'target_type', 'target_id'] as const;

@ApiController('audit')
export class AuditController {
  constructor(
    private readonly audit: AuditReader,
    private readonly chain: AuditChain,
    private readonly verifier: ChainVerifier,
    private readonly days: DayClosing,
  ) {}

  @Get()
  @RequireScope('audit:read')
  @ApiOperation({
    summary: 'The audit log, newest first; `format=csv` or `format=ndjson` exports all that matches',
  })
  @ApiFilter('action', 'Only lines of this action, such as `directory.created`.')
  @ApiFilter('actor_id', 'Only lines whose actor has this id.')
  @ApiFilter('target_type', 'Only lines about this kind of record, such as `directory`.')
  @ApiFilter('target_id', 'Only lines about the record with this id.')
  @ApiFilter('since', undefined, 'date-time')
  @ApiFilter('until', undefined, 'date-time')
  @ApiPaging()
  @ApiFilter('format', undefined, { enum: ['json', 'csv', 'ndjson'] })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, [...FILTERS, 'limit', 'cursor', 'format']);
    const filter: AuditFilter = {
      action: options.action,
      actor_id: options.actor_id,
      target_type: options.target_type,
      target_id: options.target_id,
      since: queryTime('since', options.since),
      until: queryTime('until', options.until),
    };
    const format = exportFormat(options.format, req.headers.accept);
    if (format !== 'json') {
      return sendExport(res, format, 'audit', this.export(caller.tenantId, filter, format));
    }
    const page = readPage(query, `audit ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const rows = await this.audit.list(caller.tenantId, filter, page);
    res.json(pageOf(page, rows, (row) => row.entry_id, view));
  }

  @Post('verify')
  @HttpCode(200)
  @RequireScope('audit:read')
  @ApiOperation({ summary: 'Checks the chain over the log and names the first line that does not fit' })
  @ApiFilter('sequence', 'with `hash`: a head that the caller has kept')
  @ApiFilter('hash')
  async verify(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<ChainVerdictBody> {
    return chainVerdictOf(await this.verifier.verify(this.chain, caller.tenantId, knownHead(query)));
  }

  @Get('heads')
  @RequireScope('audit:read')
  @ApiOperation({ summary: 'The signed heads of the log by day (UTC), newest first, and the head of now' })
  @ApiPaging()
  @ApiOkResponse({ type: HeadsPageDto })
  listHeads(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<HeadsPageDto> {
    return this.days.publishedPage(this.chain, caller.tenantId, query);
  }

  private async *export(tenantId: string, filter: AuditFilter, format: 'csv' | 'ndjson'): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine([...COLUMNS, 'before', 'after', 'request_id', 'sequence', 'hash']);
    for await (const rows of this.audit.all(tenantId, filter)) {
      yield rows.map((row) => (format === 'csv' ? csvOf(row) : `${JSON.stringify(view(row))}\n`)).join('');
    }
  }
}

function view(row: AuditRow): Record<string, unknown> {
  return {
    id: row.entry_id,
    at: row.at,
    actor: row.actor,
    action: row.action,
    target_type: row.target_type,
    target_id: row.target_id,
    before: row.before,
    after: row.after,
    request_id: row.request_id,
    sequence: row.sequence === null ? null : Number(row.sequence),
    hash: row.hash?.toString('hex') ?? null,
  };
}

function csvOf(row: AuditRow): string {
  const { actor } = row;
  return csvLine([
    row.entry_id,
    row.at,
    actor.kind,
    actor.id,
    actor.name,
    row.action,
    row.target_type,
    row.target_id,
    row.before,
    row.after,
    row.request_id,
    row.sequence,
    row.hash?.toString('hex') ?? null,
  ]);
}

class InstallationActor {
  @ApiProperty({ enum: ['operator', 'system'] })
  kind!: string;
  @ApiProperty({ type: String, nullable: true })
  id!: string | null;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
}

class InstallationAuditBody {
  @ApiProperty({ example: '17' })
  id!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;
  @ApiProperty()
  actor!: InstallationActor;
  @ApiProperty({ example: 'signing_key.rotated' })
  action!: string;
  @ApiProperty({ example: 'signing_key' })
  target_type!: string;
  @ApiProperty()
  target_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What came of the act, without secrets.',
  })
  after!: unknown;
  @ApiProperty({ type: String, nullable: true })
  request_id!: string | null;
}

@OperatorController('installation/audit')
@ApiRefusals()
export class InstallationAuditController {
  constructor(private readonly audit: InstallationAudit) {}

  @Get()
  @ApiOperation({ summary: 'Acts of the operator that concern no tenant, newest first' })
  @ApiPage(InstallationAuditBody)
  async list(@Query() query: QueryMap): Promise<Page<InstallationAuditBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'installation audit');
    return pageOf(page, await this.audit.list(page), (row) => row.entry_id, installationView);
  }
}

function installationView(row: InstallationAuditRow): InstallationAuditBody {
  const { entry_id: id, at, actor, action, target_type, target_id, after, request_id } = row;
  const { kind, id: actorId, name } = actor as { kind: string; id?: string; name?: string };
  return {
    id,
    at: at.toISOString(),
    actor: { kind, id: actorId ?? null, name: name ?? null },
    action,
    target_type,
    target_id,
    after,
    request_id,
  };
}
