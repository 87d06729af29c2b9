import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { FailureFace } from '../../../base/http/http.errors.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { sendPage } from '../pages/layout.js';
import { refusalPage, testPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import { SIGN_IN_REFUSALS, refusalIn } from '../refusals/protocol-refusals.js';
import type { SignInRefused } from '../refusals/sign-in-refused.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { failedTest } from '../test-sign-ins/test-result.mapping.js';
import { TestResults } from '../test-sign-ins/test-results.js';
import type { SignInHttpRequest } from '../sign-in.context.js';
import { RefusalNotes } from './refusal-notes.js';
import { isStale, plainLogoutRefusal, plainText } from './refusal-texts.rules.js';
import { RefusalWays } from './refusal-ways.js';
import { StaleSignIns } from './stale-sign-ins.js';

/**
 * Answers a refused sign-in: one line in the log of the tenant with the reason, one page with plain text, a support id
 * in both, and a way to continue. Never retries automatically.
 */
@Catch(...SIGN_IN_REFUSALS)
export class RefusedSignIns implements ExceptionFilter {
  constructor(
    private readonly notes: RefusalNotes,
    private readonly ways: RefusalWays,
    private readonly stale: StaleSignIns,
    private readonly limits: SignInLimits,
    private readonly failures: FailureFace,
    private readonly faces: TenantFaces,
    private readonly results: TestResults,
  ) {}

  catch(error: Error, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const req = http.getRequest<SignInHttpRequest>();
    const res = http.getResponse<BridgeResponse>();
    // Nest does not wait for a filter: an error in here has to be answered here, or it would end the process.
    this.answer(refusalIn(error)!, req, res).catch((failure: unknown) => this.failures.answer(failure, req, res));
  }

  private async answer(found: SignInRefused, req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const context = req.signInContext;
    // A request without a sign-in of this browser counts against its address before it is written to the log.
    const isTest = (context?.kind ?? context?.request?.kind) === 'test';
    // Reloading the result of a test is neither a new try nor a log line.
    if (context?.request?.kind === 'test' && isStale(found.reason)) {
      const kept = await this.results.of(req, context.connection, context.request.id);
      if (kept !== null) return sendPage(res, testPage(kept), await this.faces.of(context.connection.tenantId));
    }
    const begun = context?.request != null || req.user !== undefined || isTest;
    const limit = context?.kind === 'logout' ? 'logout' : 'sign-in';
    const refused = begun
      ? found
      : await this.limits.unlessUsedUp(req.ip ?? '', context?.connection.tenantId ?? '', limit, found);
    const supportId = await this.notes.write(refused, req, context);
    const face = await this.faces.of(context?.connection.tenantId);
    if (context !== undefined && isTest) {
      const outcome = `${refused.reason}: ${refused.message.replace(/\.$/, '')}. In the sign-in log: ${supportId}.`;
      const said = { reason: refused.reason, outcome };
      const result = failedTest(context.connection, said, req.user ?? null);
      const cookie = isStale(refused.reason) ? null : await this.results.keep(req, result);
      if (cookie !== null) res.setHeader('Set-Cookie', cookie);
      return sendPage(res, testPage(result), face);
    }
    if (isStale(refused.reason)) return this.stale.answer(req, res, supportId);
    const plain =
      limit === 'logout' ? plainLogoutRefusal(refused.reason, context?.answersLogout === true) : plainText(refused);
    const leave = plain.way === 'other' && req.user ? await this.ways.leave(context!.connection, req.user) : null;
    if (plain.status === 429) res.setHeader('Retry-After', '120');
    sendPage(
      res,
      refusalPage({
        ...plain,
        account: refused.account,
        supportId,
        ways: [...this.ways.of(plain.way, context), ...(leave?.kind === 'link' ? [leave.way] : [])],
        leave: leave?.kind === 'form' ? leave.form : null,
      }),
      face,
    );
  }
}
