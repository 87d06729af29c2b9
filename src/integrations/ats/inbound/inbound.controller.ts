import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiFilter, ApiProblems, ApiRefusals } from '../../../base/http/api-answers.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { InboundDoor } from './inbound-door.js';
import { InboundRefused } from './inbound.errors.js';
import { InboundService } from './inbound.service.js';

const NOTHING = Buffer.alloc(0);

/** What ATSs send to us. */
@Controller('api/webhooks')
@ApiTags('ats-webhooks')
@ApiProblems()
export class InboundController {
  constructor(
    private readonly door: InboundDoor,
    private readonly inbound: InboundService,
  ) {}

  @Post(':ats_provider')
  @ApiOperation({
    summary: 'Receives a webhook of an ATS',
    description:
      'The event is stored as it came, answered with the status that the provider takes as received, and applied ' +
      'afterwards. A second delivery of an event has no effect. A body that is not understood is kept, and shown with ' +
      'the reason.',
  })
  @ApiParam({ name: 'ats_provider', example: 'greenhouse' })
  @ApiFilter('api_token', 'The token of the connection, or in `X-Api-Token`.')
  @ApiResponse({ status: 200, description: 'Received; without a body.' })
  @ApiRefusals({
    400: [],
    401: ['token_unknown'],
    403: [],
    409: [],
    422: [],
    507: ['storage_exhausted'],
  })
  async receive(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    try {
      const answer = await this.inbound.receive(this.door.enter(req), req.rawBody ?? NOTHING, req.headers);
      res.set(answer.headers).status(answer.status).end();
    } catch (error) {
      throw error instanceof InboundRefused ? this.door.refused(req, res, error) : error;
    }
  }
}
