import { Global, Module } from '@nestjs/common';
import { SeatsModule } from '../../seats/seats.module.js';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { UsersModule } from '../users/users.module.js';
import { PreviewEditing } from './preview/preview-editing.js';
import { PreviewController } from './preview/preview.controller.js';
import { PreviewLive } from './preview/preview-live.js';
import { PreviewPlan } from './preview/preview-plan.js';
import { PreviewPlans } from './preview/preview-plans.js';
import { PreviewPlansRepository } from './preview/preview-plans.repository.js';
import { RootSearch } from './bulk/root-search.js';
import { ScimBulkService } from './bulk/scim-bulk.service.js';
import { ScimRootController } from './bulk/scim-root.controller.js';
import { ClientsModule } from '../clients/clients.module.js';
import { DirectoriesModule } from '../directories/directories.module.js';
import { DirectoryContent } from '../directories/directory-content.js';
import { DirectoryPeople } from '../directories/directory-people.js';
import { DiscoveryController, ServiceProviderConfigController } from './discovery/discovery.controller.js';
import { DirectoryContentRepository } from '../users/groups/directory-content.repository.js';
import { GroupsRepository } from '../users/groups/groups.repository.js';
import { ScimGroupsController } from './groups/scim-groups.controller.js';
import { ScimGroupsService } from './groups/scim-groups.service.js';
import { DeletedDirectories } from './role-tasks/deleted-directories.js';
import { PeopleOfDirectory } from './role-tasks/directory-consequences.js';
import { MembershipReview } from './role-tasks/membership-review.js';
import { RulesPlanController } from './role-tasks/rules-plan.controller.js';
import { RulesPlanTask } from './role-tasks/rules-plan-task.js';
import { RulesPlan } from './role-tasks/rules-plan.js';
import { RoleTasksController } from './role-tasks/role-tasks.controller.js';
import { RoleTasks } from './role-tasks/role-tasks.js';
import { ScimUsersController } from './users/scim-users.controller.js';
import { UserListsController } from './users/user-lists.controller.js';
import { UserLists } from './users/user-lists.js';
import { ScimUsersService } from './users/scim-users.service.js';
import { RefusedRoles } from './users/refused-roles.js';
import { UnlinkedDepartures } from './unlinked/unlinked-departures.js';
import { UnlinkedController } from './unlinked/unlinked.controller.js';
import { UnlinkedUsers } from './unlinked/unlinked-users.js';
import { UserRemovals } from './users/departures.js';

/** Provides the ports of `directories`; global, because `directories` is on a lower floor. */
@Global()
@Module({
  imports: [UsersModule, DirectoriesModule, SeatsModule, TasksModule],
  providers: [
    RoleTasks,
    PreviewPlan,
    PreviewPlans,
    PreviewPlansRepository,
    PreviewLive,
    DeletedDirectories,
    RulesPlan,
    { provide: DirectoryContent, useClass: DirectoryContentRepository },
    { provide: DirectoryPeople, useClass: PeopleOfDirectory },
  ],
  exports: [PreviewPlans, PreviewPlansRepository, RulesPlan, DirectoryContent, DirectoryPeople],
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
    RefusedRoles,
    UserRemovals,
    ScimGroupsService,
    GroupsRepository,
    MembershipReview,
    RulesPlanTask,
    ScimBulkService,
    RootSearch,
    PreviewEditing,
    UnlinkedUsers,
    UnlinkedDepartures,
  ],
})
export class ScimRoutesModule {}
