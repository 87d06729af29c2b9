import { createHash } from 'node:crypto';
import { Get, Req, Res, Module } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { SeatsModule } from '../../seats/seats.module.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../tenancy/tenants/caller.js';
import { StatusModule } from '../status/status.controller.js';
import { OverviewBody } from './overview.dto.js';
import { OverviewService } from './overview.service.js';

@ApiController('overview')
@RequireEveryScope('platform:read', 'directories:read', 'users:read', 'seats:read')
@ApiRefusals()
class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get()
  @ApiOperation({
    summary: 'What needs attention: the status, seats, directories, credentials that end soon, and the first steps',
    description: 'At most two seconds old. With `If-None-Match` 304 where nothing changed.',
  })
  @ApiRecord(OverviewBody)
  async show(
    @CurrentCaller() { tenantId }: Caller,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const body = JSON.stringify(await this.overview.of(tenantId));
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    res.setHeader('ETag', tag);
    // The browser keeps the answer, and revalidates it.
    res.setHeader('Cache-Control', 'private, no-cache');
    if (req.headers['if-none-match'] === tag) res.status(304).end();
    else res.type('application/json').send(body);
  }
}

@Module({
  imports: [StatusModule, SeatsModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewNowModule {}
