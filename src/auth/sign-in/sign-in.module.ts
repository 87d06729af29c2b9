import { Module } from '@nestjs/common';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { AccountMaking } from './accounts/account-making.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { EvidenceReader } from './accounts/evidence.js';
import { AccountsService } from './accounts/accounts.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { PublishedController } from '../connections/published.controller.js';
import { DomainsModule } from '../connections/domains/domains.module.js';
import { IdentitiesModule } from './identities/identities.module.js';
import { FrontChannelController } from './logout/front-channel.controller.js';
import { IdpLogoutController } from './logout/idp-logout.controller.js';
import { LogoutController } from './logout/logout.controller.js';
import { IdpEndings } from './logout/idp-endings.js';
import { IdpLogoutService } from './logout/idp-logout.service.js';
import { LogoutService } from './logout/logout.service.js';
import { OwnerLinksController } from './owner-links/owner-links.controller.js';
import { OwnerLinksRepository } from './owner-links/owner-links.repository.js';
import { OwnerLinksService } from './owner-links/owner-links.service.js';
import { OwnerSignInController } from './owner-links/owner-sign-in.controller.js';
import { TenantOidcStrategy } from './strategies/oidc.strategy.js';
import { ProtocolsModule } from '../connections/protocols.module.js';
import { SignInRequestsRepository } from './requests/sign-in-requests.repository.js';
import { RevocationController } from './revocation/revocation.controller.js';
import { RevocationService } from './revocation/revocation.service.js';
import { RevocationTokens } from './revocation/revocation-tokens.js';
import { TenantSamlStrategy } from './strategies/saml.strategy.js';
import { LiveSessions } from './browser-sessions/live-sessions.js';
import { LiveSessionsRepository } from './browser-sessions/live-sessions.repository.js';
import { SessionController } from './browser-sessions/session.controller.js';
import { UserSessionsController } from './browser-sessions/user-sessions.controller.js';
import { Arrival } from './callback/arrival.js';
import { CallbackController } from './callback/callback.controller.js';
import { LandingController } from './callback/landing.controller.js';
import { LoginController } from './login/login.controller.js';
import { OidcCallback } from './callback/oidc-callback.js';
import { PendingSignIns } from './callback/pending-sign-ins.js';
import { SamlCallback } from './callback/saml-callback.js';
import { RefusalNotes } from './refusal-pages/refusal-notes.js';
import { RefusalWays } from './refusal-pages/refusal-ways.js';
import { StaleSignIns } from './refusal-pages/stale-sign-ins.js';
import { RefusedSignIns } from './refusal-pages/refusals.filter.js';
import { FoundAccounts } from './callback/found-accounts.js';
import { FinishedTests } from './callback/finished-tests.js';
import { SessionStart } from './callback/session-start.js';
import { SignInCompletion } from './callback/sign-in-completion.js';
import { LimitedSignIns } from './limits/limited-sign-ins.js';
import { SignInLimits } from './limits/sign-in-limits.js';
import { SignInStart } from './requests/sign-in-start.js';
import { TestResults } from './test-sign-ins/test-results.js';
import { TenantFaces } from './pages/tenant-faces.js';
import { TestLinkController } from './login/test-link.controller.js';
import { TestSignInController } from './test-sign-ins/test-sign-in.controller.js';
import { SignInLog } from './log/sign-in-log.js';
import { SignInMetrics } from './log/sign-in.metrics.js';
import { SignInsController } from './log/sign-ins.controller.js';
import { SessionTokensRepository } from './tokens/session-tokens.repository.js';
import { TokenExchange } from './tokens/token-exchange.js';
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
