import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Clock } from '../base/clock.js';
import { Config } from '../base/config/config.js';
import { sendJson } from '../base/http/answer.js';
import { ApiRefusals } from '../base/http/api-answers.js';
import { FAVICON } from '../base/http/html.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { Metrics } from './metrics.js';
import { MetricsAccess } from './metrics-access.js';
import { Readiness } from './readiness.js';
import { securityText } from './security-text.mapping.js';

/** Health, readiness and metrics of this process. No answer contains data of a tenant. */
@Controller()
@ApiTags('operations')
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly access: MetricsAccess,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is up' })
  @ApiOkResponse()
  healthz(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({
    summary:
      'The process is ready: the database answers, migrations and encryption keys are complete, and it is not stopping',
  })
  @ApiOkResponse()
  @ApiResponse({ status: 503, description: 'The process is not ready; the answer contains the reason.' })
  async readyz(@Res() res: BridgeResponse): Promise<void> {
    const { reason, detail } = await this.readiness.check();
    const more = detail === null ? {} : { detail };
    if (reason === null) return sendJson(res, 200, JSON.stringify({ status: 'ok', ...more }));
    sendJson(res, 503, JSON.stringify({ status: 'not ready', reason, ...more }), 'application/json', {
      'Retry-After': '5',
    });
  }

  @Get('metrics')
  @ApiOperation({
    summary: 'Figures for Prometheus',
    description:
      'With `METRICS_PORT` they are on that port alone; with `METRICS_TOKEN` they need it as a bearer token. In production with neither, only callers of the own network get them.',
  })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiRefusals({ 401: ['credential_missing', 'credential_invalid'], 404: ['not_found'] })
  async show(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    this.access.demand(req);
    sendJson(res, 200, await this.metrics.render(), this.metrics.contentType);
  }

  // Browsers ask for the second name without a link to it, such as for an answer in JSON.
  @Get(['favicon.svg', 'favicon.ico'])
  @Header('Content-Type', 'image/svg+xml')
  @Header('Cache-Control', 'public, max-age=86400')
  @ApiExcludeEndpoint()
  favicon(): string {
    return FAVICON;
  }

  @Get('.well-known/security.txt')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  @ApiExcludeEndpoint()
  securityText(): string {
    return securityText(this.config.baseUrl, this.clock.now());
  }
}
