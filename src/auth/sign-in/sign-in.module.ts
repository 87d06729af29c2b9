import { Module } from '@nestjs/common';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { ConnectionsModule, ProtocolsModule } from '../connections/connections.module.js';
import { PublishedController } from '../connections/controller.js';
import { DomainsModule } from '../connections/domains/domains.module.js';
import { AccountMaking } from './accounts/account-making.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { EvidenceReader, AccountsService } from './accounts/accounts.service.js';
import { LiveSessions, LiveSessionsRepository } from './browser-sessions/live-sessions.js';
import { SessionController, UserSessionsController } from './browser-sessions/session.controller.js';
import { CallbackController, LandingController } from './callback/callback.controller.js';
import { FoundAccounts } from './callback/found-accounts.js';
import { PendingSignIns } from './callback/pending-sign-ins.js';
import { FinishedTests, SessionStart, SignInCompletion } from './callback/sign-in-completion.js';
import { TenantOidcStrategy, TenantSamlStrategy, OidcCallback, SamlCallback } from './callback/sign-in.guards.js';
import { IdentitiesModule } from './identities/identities.module.js';
import { SignInLimits } from './limits/sign-in-limits.js';
import { SignInLog, SignInMetrics } from './log/sign-in-log.js';
import { SignInsController } from './log/sign-ins.controller.js';
import { LoginController } from './login/login.controller.js';
import { TestLinkController, TestSignInController } from './login/test-sign-in.controller.js';
import { IdpLogoutController } from './logout/idp-logout.controller.js';
import { FrontChannelController, LogoutController } from './logout/logout.controller.js';
import { IdpEndings, IdpLogoutService, LogoutService } from './logout/logout.service.js';
import { RevocationController } from './logout/revocation.controller.js';
import { RevocationService, RevocationTokens } from './logout/revocation.service.js';
import { OwnerLinksController, OwnerSignInController } from './owner-links/owner-links.controller.js';
import { OwnerLinksRepository, OwnerLinksService } from './owner-links/owner-links.service.js';
import { TenantFaces } from './pages/layout.js';
import {
  RefusalNotes,
  RefusalWays,
  StaleSignIns,
  RefusedSignIns,
  LimitedSignIns,
} from './refusal-pages/refusals.filter.js';
import { SignInRequestsRepository } from './requests/sign-in-requests.repository.js';
import { SignInStart } from './requests/sign-in-start.js';
import { TestResults } from './requests/test-results.js';
import { SessionTokensRepository } from './tokens/session-tokens.repository.js';
import { Arrival, TokenExchange } from './tokens/token-exchange.js';
import { TokensController } from './tokens/tokens.controller.js';

/** The sign-in routes. */
@Module({
  imports: [SessionsModule, UsersModule, ProtocolsModule, ConnectionsModule, DomainsModule, IdentitiesModule],
  controllers: [
    LoginController,
    CallbackController,
    LandingController,
    SessionController,
    TokensController,
    LogoutController,
    IdpLogoutController,
    FrontChannelController,
    PublishedController,
    TestLinkController,
    TestSignInController,
    OwnerLinksController,
    OwnerSignInController,
    RevocationController,
    UserSessionsController,
    SignInsController,
  ],
  providers: [
    AccountsRepository,
    EvidenceReader,
    AccountsService,
    AccountMaking,
    SignInRequestsRepository,
    SignInLimits,
    SignInStart,
    Arrival,
    PendingSignIns,
    OidcCallback,
    SamlCallback,
    FoundAccounts,
    SessionStart,
    SignInCompletion,
    FinishedTests,
    SignInLog,
    SignInMetrics,
    LimitedSignIns,
    RefusalNotes,
    RefusalWays,
    StaleSignIns,
    RefusedSignIns,
    TenantFaces,
    TestResults,
    LiveSessions,
    LiveSessionsRepository,
    SessionTokensRepository,
    TokenExchange,
    IdpEndings,
    IdpLogoutService,
    LogoutService,
    OwnerLinksRepository,
    OwnerLinksService,
    RevocationTokens,
    RevocationService,
    TenantOidcStrategy,
    TenantSamlStrategy,
  ],
  exports: [SignInLog, SignInMetrics, SignInLimits, TenantFaces, LiveSessions, ProtocolsModule],
})
export class SignInModule {}
