import { Global, Module } from '@nestjs/common';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { SeatsModule } from '../../seats/seats.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { DirectoriesModule } from '../directories/directories.module.js';
import { DirectoryContent, DirectoryPeople } from '../directories/directory-people.js';
import { DirectoryContentRepository } from '../users/groups/directory-content.repository.js';
import { GroupsRepository } from '../users/groups/groups.repository.js';
import { UsersModule } from '../users/users.module.js';
import { ScimBulkService } from './bulk/scim-bulk.service.js';
import { RootSearch, ScimRootController } from './bulk/scim-root.controller.js';
import { DiscoveryController, ServiceProviderConfigController } from './discovery/discovery.controller.js';
import { ScimGroupsController } from './groups/scim-groups.controller.js';
import { ScimGroupsService } from './groups/scim-groups.service.js';
import { PreviewEditing } from './preview/preview-editing.js';
import { PreviewPlan } from './preview/preview-plan.js';
import { PreviewPlans } from './preview/preview-plans.js';
import { PreviewPlansRepository } from './preview/preview-plans.repository.js';
import { PreviewController } from './preview/preview.controller.js';
import { MembershipReview } from './role-tasks/membership-review.js';
import { RulesPlanController, RoleTasksController } from './role-tasks/role-tasks.controller.js';
import { DeletedDirectories, PeopleOfDirectory, RoleTasks } from './role-tasks/role-tasks.js';
import { RulesPlan } from './role-tasks/rules-plan.js';
import { UnlinkedDepartures } from './unlinked/unlinked-departures.js';
import { UnlinkedController } from './unlinked/unlinked.controller.js';
import { ScimUsersController, UserListsController } from './users/scim-users.controller.js';
import { ScimUsersService } from './users/scim-users.service.js';
import { UserLists } from './users/user-lists.js';

/** Provides the ports of `directories`; global, because `directories` is on a lower floor. */
@Global()
@Module({
  imports: [UsersModule, DirectoriesModule, SeatsModule, TasksModule],
  providers: [
    RoleTasks,
    PreviewPlan,
    PreviewPlans,
    PreviewPlansRepository,
    PreviewEditing,
    DeletedDirectories,
    RulesPlan,
    { provide: DirectoryContent, useClass: DirectoryContentRepository },
    { provide: DirectoryPeople, useClass: PeopleOfDirectory },
  ],
  exports: [PreviewEditing, PreviewPlans, PreviewPlansRepository, RulesPlan, DirectoryContent, DirectoryPeople],
})
export class DirectoryConsequencesModule {}

/** The SCIM server: one of the channels by which users are written. */
@Module({
  imports: [UsersModule, DirectoriesModule, ClientsModule, TasksModule],
  controllers: [
    ScimUsersController,
    UserListsController,
    ScimGroupsController,
    ServiceProviderConfigController,
    DiscoveryController,
    ScimRootController,
    RoleTasksController,
    RulesPlanController,
    PreviewController,
    UnlinkedController,
  ],
  providers: [
    ScimUsersService,
    UserLists,
    ScimGroupsService,
    GroupsRepository,
    MembershipReview,
    ScimBulkService,
    RootSearch,
    UnlinkedDepartures,
  ],
})
export class ScimRoutesModule {}
