import { Module } from '@nestjs/common';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { ConnectionsModule, ProtocolsModule } from '../connections/connections.module.js';
import { PublishedController } from '../connections/controller.js';
import { DomainsModule } from '../connections/domains/domains.module.js';
import { AccountMaking } from './accounts/account-making.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { LiveSessions } from './browser-sessions/live-sessions.js';
import { SessionController, UserSessionsController } from './browser-sessions/session.controller.js';
import { CallbackController, LandingController } from './callback/callback.controller.js';
import { FoundAccounts } from './callback/found-accounts.js';
import { PendingSignIns } from './callback/pending-sign-ins.js';
import { SignInCompletion } from './callback/sign-in-completion.js';
import { TenantOidcStrategy, TenantSamlStrategy, IdpAnswers } from './callback/sign-in.guards.js';
import { IdentitiesModule } from './identities/identities.module.js';
import { SignInLimits } from './limits/sign-in-limits.js';
import { SignInLog } from './log/sign-in-log.js';
import { SignInsController } from './log/sign-ins.controller.js';
import { LoginController } from './login/login.controller.js';
import { TestLinkController, TestSignInController } from './login/test-sign-in.controller.js';
import { IdpLogoutController } from './logout/idp-logout.controller.js';
import { FrontChannelController, LogoutController } from './logout/logout.controller.js';
import { LogoutService } from './logout/logout.service.js';
import { RevocationController } from './logout/revocation.controller.js';
import { RevocationService } from './logout/revocation.service.js';
import { OwnerLinksController, OwnerSignInController } from './owner-links/owner-links.controller.js';
import { OwnerLinksService } from './owner-links/owner-links.service.js';
import { TenantFaces } from './pages/layout.js';
import { RefusalNotes, StaleSignIns, RefusedSignIns } from './refusal-pages/refusals.filter.js';
import { SignInRequestsRepository } from './requests/sign-in-requests.repository.js';
import { SignInStart } from './requests/sign-in-start.js';
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
    AccountsService,
    AccountMaking,
    SignInRequestsRepository,
    SignInLimits,
    SignInStart,
    TokenExchange,
    PendingSignIns,
    IdpAnswers,
    FoundAccounts,
    SignInCompletion,
    SignInLog,
    RefusalNotes,
    StaleSignIns,
    RefusedSignIns,
    TenantFaces,
    LiveSessions,
    SessionTokensRepository,
    LogoutService,
    OwnerLinksService,
    RevocationService,
    TenantOidcStrategy,
    TenantSamlStrategy,
  ],
  exports: [SignInLog, SignInLimits, TenantFaces, LiveSessions, ProtocolsModule],
})
export class SignInModule {}
