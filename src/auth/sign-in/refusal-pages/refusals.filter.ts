import { Injectable, Catch, type ArgumentsHost, type ExceptionFilter, applyDecorators } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { ApiHtml } from '../../../base/http/api-answers.js';
import { FailureFace } from '../../../base/http/http.errors.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { newId } from '../../../base/ids.js';
import { Logger } from '../../../base/log/logger.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { sessionToken } from '../browser-sessions/session.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInLog } from '../log/sign-in-log.js';
import { sendPage, TenantFaces } from '../pages/layout.js';
import { type Handover, type PageLink, refusalPage, testPage } from '../pages/pages.js';
import { newHandle } from '../requests/browser-half.js';
import { startQuery, type StartAsk, SignInStart } from '../requests/sign-in-start.js';
import { originOf, type SignInContext, type SignInHttpRequest, cookiesOf } from '../requests/sign-in.context.js';
import { failedTest } from '../requests/test-result.mapping.js';
import {
  type SignInRefused,
  SIGN_IN_REFUSALS,
  refusalIn,
  REFUSAL_REASONS,
  type SignInRefusalReason,
} from '../sign-in.errors.js';
import {
  type PlainRefusal,
  plainStale,
  isStale,
  plainLogoutRefusal,
  plainText,
  plainRefusal,
} from './refusal-texts.rules.js';

const PAUSE_MS = 60_000;

/**
 * Writes refused sign-ins to the log of their tenant, and counts them as tries. Refusals beyond the limits are not written: all
 * are counted, and one a minute is logged.
 */
@Injectable()
export class RefusalNotes {
  private since = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly log: SignInLog,
    private readonly limits: SignInLimits,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Returns the support id. An error here must not change the refusal. */
  async write(refused: SignInRefused, req: SignInHttpRequest, context?: SignInContext): Promise<string> {
    // Beyond the limit nothing is written, so that callers cannot fill the log.
    if (context === undefined || refused.reason === 'too_many_tries') {
      this.logOneAMinute(req, refused);
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

  private logOneAMinute(req: BridgeRequest, { reason, message }: SignInRefused): void {
    this.log.count({ kind: 'sign-in', outcome: 'refused', reason });
    this.since += 1;
    const now = this.clock.monotonic();
    if (now - this.loggedAt < PAUSE_MS) return;
    this.logger.warn('sign-ins refused and not noted', { request_id: req.id, reason, message, since_last: this.since });
    this.loggedAt = now;
    this.since = 0;
  }
}

const LABELS = { again: 'Sign in again', other: 'Use another account', email: 'Start with your e-mail address' };

/** Answers sign-in answers of IdPs that come again or too late, and knows the ways by which a refused sign-in can continue. */
@Injectable()
export class StaleSignIns {
  constructor(
    private readonly sessions: LiveSessions,
    private readonly start: SignInStart,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly clock: Clock,
  ) {}

  /**
   * A browser with a session has only pressed Back, or finished in another tab, and continues. A form of another site comes
   * without the session's cookie: then our landing page looks again.
   */
  async answer(req: SignInHttpRequest, res: BridgeResponse, supportId: string): Promise<void> {
    const context = req.signInContext;
    if (req.method === 'POST' && context !== undefined) {
      const query = {
        support_id: supportId,
        ...(context.request ? { request: context.request.id } : {}),
        ...(context.lacks ? { lost: context.lacks } : {}),
      };
      return res.redirect(303, this.addresses.landing(context.connection.slug, query));
    }
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session !== null) {
      const same = context !== undefined && session.tenant_id === context.connection.tenantId;
      const asked = same && context.request !== null ? context.request.return_to : null;
      const target = same ? this.start.targetOrHome(context.connection, asked) : null;
      // Another application needs a code, and therefore a sign-in of its own.
      return res.redirect(303, target !== null && target.application === null ? target.url : this.addresses.home);
    }
    const plain = plainStale(context?.lacks ?? null);
    sendPage(
      res,
      refusalPage({ ...plain, account: null, supportId, ways: this.of(plain.way, context), leave: null }),
      await this.faces.of(context?.connection.tenantId),
    );
  }

  of(way: PlainRefusal['way'], context?: SignInContext): PageLink[] {
    if (way === 'none') return [];
    if (way === 'home') return [{ label: 'Check whether you are signed in', href: this.addresses.home }];
    if (context === undefined) return [{ label: 'Sign in', href: this.addresses.login }];
    const { connection, request } = context;
    const ask: StartAsk = {
      returnTo: request?.return_to ?? null,
      codeChallenge: request?.code_challenge ?? null,
      prompt: way === 'other' ? 'select_account' : null,
      loginHint: null,
    };
    const named: Record<string, string> = way === 'email' ? {} : { connection: connection.slug };
    const query = new URLSearchParams({ ...named, ...startQuery(ask) });
    const label = LABELS[way];
    const asked = query.toString();
    return [{ label, href: asked === '' ? this.addresses.login : `${this.addresses.login}?${asked}` }];
  }

  async leave(
    connection: Connection,
    verified: VerifiedSignIn,
  ): Promise<{ kind: 'link'; way: PageLink } | { kind: 'form'; form: Handover } | null> {
    const label = 'Sign out at your company';
    const state = newHandle(this.clock.now());
    if (connection.type === 'oidc') {
      const href = await this.oidc.endSession(connection, { idToken: verified.idToken, state });
      return href === null ? null : { kind: 'link', way: { label, href } };
    }
    if (connection.sloUrl === null || verified.nameId === null) return null;
    const session = { nameId: verified.nameId, sessionIndex: verified.idpSession };
    const step = await this.saml.logoutRequest(connection, session, state);
    return step.kind === 'form'
      ? { kind: 'form', form: { action: step.action, fields: step.fields } }
      : { kind: 'link', way: { label, href: step.url } };
  }
}

/**
 * Answers a refused sign-in: one line in the log of the tenant with the reason, one page with plain text, a support id in both,
 * and a way to continue. Never retries automatically.
 */
@Catch(...SIGN_IN_REFUSALS)
export class RefusedSignIns implements ExceptionFilter {
  constructor(
    private readonly notes: RefusalNotes,
    private readonly stale: StaleSignIns,
    private readonly limits: SignInLimits,
    private readonly failures: FailureFace,
    private readonly faces: TenantFaces,
    private readonly start: SignInStart,
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
      const kept = await this.start.testResultOf(req, context.connection, context.request.id);
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
      const cookie = isStale(refused.reason) ? null : await this.start.keepTestResult(req, result);
      if (cookie !== null) res.setHeader('Set-Cookie', cookie);
      return sendPage(res, testPage(result), face);
    }
    if (isStale(refused.reason)) return this.stale.answer(req, res, supportId);
    const plain =
      limit === 'logout' ? plainLogoutRefusal(refused.reason, context?.answersLogout === true) : plainText(refused);
    const leave = plain.way === 'other' && req.user ? await this.stale.leave(context!.connection, req.user) : null;
    if (plain.status === 429) res.setHeader('Retry-After', '120');
    sendPage(
      res,
      refusalPage({
        ...plain,
        account: refused.account,
        supportId,
        ways: [...this.stale.of(plain.way, context), ...(leave?.kind === 'link' ? [leave.way] : [])],
        leave: leave?.kind === 'form' ? leave.form : null,
      }),
      face,
    );
  }
}

const PAGE = 'A page with plain words and a support id; the tenant’s sign-in log has the reason.';

export function RefusalPages(reasons: readonly SignInRefusalReason[]): MethodDecorator {
  const statuses = new Map<number, Map<string, SignInRefusalReason[]>>();
  for (const reason of reasons) {
    const { status, title } = plainRefusal(reason);
    const titles = statuses.get(status) ?? new Map<string, SignInRefusalReason[]>();
    statuses.set(status, titles.set(title, [...(titles.get(title) ?? []), reason]));
  }
  return applyDecorators(
    ...[...statuses].map(([status, titles]) => {
      const lines = [...titles].map(([title, those]) => `- “${title}”: ${those.map((one) => `\`${one}\``).join(', ')}`);
      return ApiHtml(status, `${PAGE}\n\n${lines.join('\n')}`);
    }),
  );
}

export function reasonsBut(...others: readonly SignInRefusalReason[]): SignInRefusalReason[] {
  return REFUSAL_REASONS.filter((reason) => !others.includes(reason));
}
