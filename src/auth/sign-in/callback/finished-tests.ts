import { Injectable } from '@nestjs/common';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AccountsService, refusalError } from '../accounts/accounts.service.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInLog } from '../log/sign-in-log.js';
import { sendPage } from '../pages/layout.js';
import { testPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import type { SignInRefusalReason } from '../refusals/sign-in-refused.js';
import { originOf, type SignInHttpRequest } from '../sign-in.context.js';
import { workingTest } from '../test-sign-ins/test-result.mapping.js';
import { TestResults } from '../test-sign-ins/test-results.js';
import { SignInCompletion } from './sign-in-completion.js';

/** Ends test sign-ins: they show which user an answer leads to, and begin no session. */
@Injectable()
export class FinishedTests {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly completion: SignInCompletion,
    private readonly accounts: AccountsService,
    private readonly log: SignInLog,
    private readonly faces: TenantFaces,
    private readonly results: TestResults,
  ) {}

  /** Shows the result of a test sign-in. Changes nothing but the log. */
  async finish(req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const { connection } = req.signInContext!;
    const verified = req.user!;
    await this.completion.useOnce(connection, verified);
    const { account, decision } = await this.accounts.resolve(connection, verified);
    if (decision.kind === 'refuse') {
      if (await this.lacksOnlyTheDomain(connection, decision.reason, account)) {
        await this.connections.noteSuccess(connection);
      }
      throw refusalError(decision, account);
    }
    const user = decision.kind === 'create' ? null : decision.user;
    const linkedBy = decision.kind === 'create' ? null : decision.kind === 'keep' ? 'known' : decision.linkedBy;
    const outcome =
      user === null
        ? 'This would create a new account.'
        : `This would sign in ${user.email ?? user.user_name} (${user.id}), found by: ${linkedBy}.`;
    await this.log.record(
      connection.tenantId,
      {
        kind: 'test',
        connectionId: connection.id,
        outcome: 'success',
        detail: verified.userInfoProblem ?? null,
        account: account.shown,
        subject: verified.subject,
        userId: user?.id ?? null,
        linkedBy,
      },
      originOf(req),
    );
    await this.connections.noteSuccess(connection);
    const result = workingTest(connection, verified, outcome);
    // The cookie lives as long as the result, so that the page can be reloaded.
    const cookie = await this.results.keep(req, result);
    if (cookie !== null) res.setHeader('Set-Cookie', cookie);
    sendPage(res, testPage(result), await this.faces.of(connection.tenantId));
  }

  /**
   * Whether a test is refused only because the verified domain of the e-mail is not bound to the connection. Such a test
   * counts: a domain can be bound to a tested connection only.
   */
  private async lacksOnlyTheDomain(
    { tenantId, jit, directoryId }: Connection,
    reason: SignInRefusalReason,
    { emailDomain }: ClaimedAccount,
  ): Promise<boolean> {
    const creates = jit && directoryId === null;
    if (creates || reason !== 'email_outside_domains' || emailDomain === null) return false;
    return (await this.domains.owner(emailDomain))?.tenantId === tenantId;
  }
}
