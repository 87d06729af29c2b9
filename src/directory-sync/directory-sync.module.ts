import { Module } from '@nestjs/common';
import { ScimRoutesModule, DirectoryConsequencesModule } from './routes/routes.module.js';
import { UserAnswersModule } from './users/answers/user-answers.module.js';
import { UsersModule } from './users/users.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { DirectoriesModule } from './directories/directories.module.js';

/** The SCIM routes come first: an IdP calls them ten thousand times in a first sync. */
@Module({
  imports: [
    ScimRoutesModule,
    DirectoryConsequencesModule,
    UserAnswersModule,
    UsersModule,
    DirectoriesModule,
    ClientsModule,
  ],
})
export class DirectorySyncModule {}
