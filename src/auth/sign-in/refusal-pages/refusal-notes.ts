import { Injectable } from '@nestjs/common';
import { newId } from '../../../base/ids.js';
import { Logger } from '../../../base/log/logger.js';
import { LimitedSignIns } from '../limits/limited-sign-ins.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInLog } from '../log/sign-in-log.js';
import type { SignInRefused } from '../refusals/sign-in-refused.js';
import { originOf, type SignInContext, type SignInHttpRequest } from '../sign-in.context.js';

/** Writes refused sign-ins to the log of their tenant, and counts them as tries. */
@Injectable()
export class RefusalNotes {
  constructor(
    private readonly log: SignInLog,
    private readonly limits: SignInLimits,
    private readonly limited: LimitedSignIns,
    private readonly logger: Logger,
  ) {}

  /** Writes the log and returns the support id. An error here must not change the refusal. */
  async write(refused: SignInRefused, req: SignInHttpRequest, context?: SignInContext): Promise<string> {
    // Beyond the limit nothing is written, so that callers cannot fill the log.
    if (context === undefined || refused.reason === 'too_many_tries') {
      this.limited.tell(req, refused);
      return req.id;
    }
    const { connection, request } = context;
    const subject = req.user?.subject ?? null;
    this.logger.info('sign-in refused', {
      request_id: req.id,
      tenant_id: connection.tenantId,
      connection_id: connection.id,
      reason: refused.reason,
    });
    try {
      if (context.kind === 'logout') await this.limits.noteLogoutFailure(req.ip ?? '', connection.tenantId);
      else await this.limits.noteFailure(req.ip ?? '', connection, subject);
      return await this.log.record(
        connection.tenantId,
        {
          kind: context.kind ?? request?.kind ?? 'sign-in',
          connectionId: connection.id,
          outcome: 'refused',
          reason: refused.reason,
          detail: [refused.message, req.user?.userInfoProblem].filter(Boolean).join('; '),
          account: refused.account,
          subject,
          userId: refused.userId,
        },
        originOf(req),
      );
    } catch (error) {
      this.logger.error('refused sign-in not noted', { request_id: req.id, error });
      return newId('sin');
    }
  }
}
