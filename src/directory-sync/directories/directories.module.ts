import { Module } from '@nestjs/common';
import { ConsoleGrants } from './console-grants.js';
import { CredentialHours } from './credential-hours.js';
import { DirectoriesController } from './directories.controller.js';
import { DirectoriesRepository } from './directories.repository.js';
import { DirectoriesService } from './directories.service.js';
import { DirectoryRate } from './directory-rate.js';
import { DirectoryMarks } from './directory-marks.js';
import { DirectoryStore } from './directory.store.js';
import { DirectoryView } from './directory-view.js';
import { GroupRulesRepository } from './group-rules.repository.js';
import { GroupRulesService } from './group-rules.service.js';
import { NamedRoles } from './named-roles.js';
import { QuietDirectories } from './quiet-directories.js';
import { ScimTokensController } from './scim-tokens.controller.js';
import { ScimTokensRepository } from './scim-tokens.repository.js';
import { ScimTokensService } from './scim-tokens.service.js';
import { ScimTokenStore, ScimTokenUses } from './scim-token.store.js';
import { TokenRefusals } from './token-refusals.js';

/**
 * The directories of a tenant and their administration. A global module of `directory-sync` provides `DirectoryPeople` and
 * `DirectoryContent`.
 */
@Module({
  controllers: [DirectoriesController, ScimTokensController],
  providers: [
    ConsoleGrants,
    CredentialHours,
    DirectoriesRepository,
    DirectoriesService,
    DirectoryMarks,
    DirectoryRate,
    DirectoryStore,
    DirectoryView,
    GroupRulesRepository,
    GroupRulesService,
    NamedRoles,
    QuietDirectories,
    ScimTokensRepository,
    ScimTokensService,
    ScimTokenStore,
    ScimTokenUses,
    TokenRefusals,
  ],
  exports: [
    CredentialHours,
    DirectoriesService,
    DirectoryMarks,
    DirectoryRate,
    DirectoryStore,
    GroupRulesService,
    ScimTokensService,
    ScimTokenStore,
    TokenRefusals,
  ],
})
export class DirectoriesModule {}
