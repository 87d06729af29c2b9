import { Module } from '@nestjs/common';
import { DirectoriesController } from './directories.controller.js';
import { DirectoriesRepository, GroupRulesRepository, ScimTokensRepository } from './directories.repository.js';
import { DirectoriesService, DirectoryView } from './directories.service.js';
import { CredentialHours, DirectoryMarks, QuietDirectories } from './directory-marks.js';
import { DirectoryRate, DirectoryStore } from './directory.store.js';
import { ConsoleGrants, GroupRulesService, NamedRoles } from './group-rules.service.js';
import { ScimTokenStore, ScimTokenUses, TokenRefusals } from './scim-token.store.js';
import { ScimTokensController } from './scim-tokens.controller.js';
import { ScimTokensService } from './scim-tokens.service.js';

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
