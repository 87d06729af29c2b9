import { Controller, Get, Header, Req, Res, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Clock } from '../base/clock.js';
import { Config } from '../base/config/config.js';
import { Sealer } from '../base/crypto/seal.js';
import { Database } from '../base/database/database.js';
import { sendJson } from '../base/http/answer.js';
import { ApiRefusals } from '../base/http/api-answers.js';
import { FAVICON } from '../base/http/html.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { Logger } from '../base/log/logger.js';
import { reseal } from '../base/sealing/reseal.js';
import { OperatorController } from '../tenancy/tenants/api-key.guard.js';
import { InstallationAudit } from '../tenancy/tenants/audit/audit.service.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../tenancy/tenants/caller.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import { SEALED_COLUMNS } from './sealed-secrets.js';

const EXPIRES_DAYS = 180;

export function securityText(baseUrl: string, now: Date): string {
  const expires = new Date(now.getTime() + EXPIRES_DAYS * 24 * 3_600_000).toISOString().slice(0, 10);
  const lines = [
    `Contact: ${baseUrl}/docs/why/security#report-a-weakness`,
    `Expires: ${expires}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}/docs/why/security#report-a-weakness`,
  ];
  return `${lines.join('\n')}\n`;
}

@Controller()
@ApiTags('operations')
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly server: MetricsServer,
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
    this.server.demand(req);
    sendJson(res, 200, await this.metrics.render(), this.metrics.contentType);
  }

  // Browsers request the second name without a link, such as for an answer in JSON.
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

@OperatorController('tenants/keys')
export class KeyRotationController {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
    private readonly audit: InstallationAudit,
  ) {}

  @RecentSignIn()
  @Post('rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Encrypts all secrets with the current key of the settings; the old keys can be removed afterwards',
    description:
      '`unopened` is present only if no key of the settings opens some secrets, and counts them by column. Keep the old keys until it is absent.',
  })
  async rotate(@CurrentCaller() { actor, requestId }: Caller): Promise<Rotation> {
    const act = { actor, requestId, targetType: 'encryption_key', targetId: this.sealer.currentKeyId };
    // A rotation has many transactions and can be cut off. So its beginning has a line too.
    await this.audit.record({ ...act, action: 'secrets.reseal_begun' });
    const resealed: Record<string, number> = {};
    const unopened: Record<string, number> = {};
    for (const column of SEALED_COLUMNS) {
      const name = `${column.table}.${column.column}`;
      const found = await reseal(this.db, this.sealer, column);
      resealed[name] = found.resealed;
      if (found.unopened > 0) unopened[name] = found.unopened;
    }
    const result: Rotation = { key_id: this.sealer.currentKeyId, resealed };
    if (Object.keys(unopened).length > 0) result.unopened = unopened;
    await this.audit.record({ ...act, action: 'secrets.resealed', after: result });
    this.logger.info('secrets sealed anew', { ...result });
    return result;
  }
}

interface Rotation {
  key_id: string;
  resealed: Record<string, number>;
  unopened?: Record<string, number>;
}
