import { Module } from '@nestjs/common';
import { DirectoriesController } from './directories.controller.js';
import { DirectoriesRepository } from './directories.repository.js';
import { DirectoriesService } from './directories.service.js';
import { DirectoryMarks, QuietDirectories } from './directory-marks.js';
import { DirectoryStore } from './directory.store.js';
import { GroupRulesService } from './group-rules.service.js';
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
    GroupRulesService,
    DirectoryMarks,
    DirectoriesRepository,
    DirectoriesService,
    DirectoryStore,
    QuietDirectories,
    ScimTokensService,
    ScimTokenStore,
    ScimTokenUses,
    TokenRefusals,
  ],
  exports: [
    DirectoryMarks,
    DirectoriesService,
    DirectoryStore,
    GroupRulesService,
    ScimTokensService,
    ScimTokenStore,
    TokenRefusals,
  ],
})
export class DirectoriesModule {}
