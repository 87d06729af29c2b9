import { Body, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { sendJson } from '../../../base/http/answer.js';
import { ApiFilter, ApiPage, ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { exportFormat, sendExport } from '../../../base/http/export.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import {
  atsWriteBody,
  writeAttemptBody,
  AtsWriteBody,
  AtsWriteWithTriesBody,
  DismissWrite,
  TestWrite,
  TestWriteBody,
} from './ats-writes.dto.js';
import { AtsWritesService } from './ats-writes.service.js';
import { WRITE_STATES } from './write.js';

@ApiController('ats-connections', { tag: 'ats-connections' })
@RequireScope('ats:manage')
@ApiRefusals()
export class AtsWritesController {
  constructor(private readonly writes: AtsWritesService) {}

  @Get(':connection_id/writes')
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'What is written to the ATS, newest first; `format=csv` for all of it' })
  @ApiFilter('state', 'Only writes in this state.', { enum: WRITE_STATES })
  @ApiFilter('candidate_id', 'Only writes about this candidate.')
  @ApiFilter('format', undefined, { enum: ['json', 'csv'] })
  @ApiPage(AtsWriteBody)
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('connection_id') id: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['state', 'candidate_id', 'format', ...PAGE_OPTIONS]);
    const state = queryChoice('state', options.state, WRITE_STATES);
    const filter = { state, candidateId: options.candidate_id };
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    const page = readPage(query, `ats-writes ${id} ${state ?? ''} ${options.candidate_id ?? ''}`);
    await this.writes.connection(tenantId, id);
    if (format === 'csv') return sendExport(res, 'csv', 'writes', this.writes.csv(tenantId, id, filter));
    const rows = await this.writes.list(tenantId, id, filter, page);
    sendJson(res, 200, JSON.stringify(pageOf(page, rows, (row) => row.id, atsWriteBody)));
  }

  @Get(':connection_id/writes/:write_id')
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'One write, with its last tries' })
  @ApiRecord(AtsWriteWithTriesBody)
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @Param('connection_id') connectionId: string,
    @Param('write_id') id: string,
  ): Promise<AtsWriteWithTriesBody> {
    const { write, tries } = await this.writes.get(tenantId, connectionId, id);
    return { ...atsWriteBody(write), tries: tries.map(writeAttemptBody) };
  }

  @Post(':connection_id/writes/:write_id/retry')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Tries a write again that failed, was dismissed or left',
    description: 'It is looked for in the ATS first, so that it is not there twice.',
  })
  @ApiRecord(AtsWriteBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  async retry(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') connectionId: string,
    @Param('write_id') id: string,
  ): Promise<AtsWriteBody> {
    return atsWriteBody(await this.writes.retry(caller, connectionId, id));
  }

  @Post(':connection_id/writes/:write_id/dismiss')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Ends a write that waits or failed, with a reason' })
  @ApiRecord(AtsWriteBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  async dismiss(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') connectionId: string,
    @Param('write_id') id: string,
    @Body() { reason }: DismissWrite,
  ): Promise<AtsWriteBody> {
    return atsWriteBody(await this.writes.dismiss(caller, connectionId, id, reason));
  }

  @Post(':connection_id/test-write')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Writes to one candidate in the ATS, reads it back, and takes it back',
    description:
      'The answer says step by step what happened. What cannot be taken back is written only with `confirm`.',
  })
  @ApiRecord(TestWriteBody)
  @ApiRefusals({ 409: ['wrong_ats_state', 'confirm_needed'] })
  test(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') connectionId: string,
    @Body() { candidate_id, confirm }: TestWrite,
  ): Promise<TestWriteBody> {
    return this.writes.test(caller, connectionId, candidate_id, confirm === true);
  }
}
