import { AdministratorNotices } from './administrator-notices.js';
import { ConsoleRights } from './write/console-rights.js';
import { Module } from '@nestjs/common';
import { DirectoriesModule } from '../directories/directories.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { SeatsModule } from '../../seats/seats.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { HeldListController } from './explain/held-list.controller.js';
import { UserConflicts } from './explain/user-conflicts.js';
import { ExplainService } from './explain/explain.service.js';
import { GuardRepository } from './guard/guard.repository.js';
import { GuardService } from './guard/guard.service.js';
import { BroughtBack } from './held/brought-back.js';
import { GuardController } from './held/guard.controller.js';
import { GuardReport } from './held/guard-report.js';
import { GuardUndo } from './held/guard-undo.js';
import { HeldController } from './held/held.controller.js';
import { FormerProtected } from './held/former-protected.js';
import { HeldMetrics } from './held/held.metrics.js';
import { HeldTasks } from './held/held-tasks.js';
import { HeldService } from './held/held.service.js';
import { KeptWrites } from './write/kept-writes.js';
import { KeptWritesRepository } from './kept-writes.repository.js';
import { ImportedPeople } from './people/imported-people.js';
import { MembersController } from './members/members.controller.js';
import { PeopleService } from './people/people.service.js';
import { PeopleUpkeep } from './people/people-upkeep.js';
import { PopulationFolding } from './people/population-folding.js';
import { Circles } from './write/circles.js';
import { ConflictSearch } from './write/conflicts.js';
import { PlanStatement } from './write/plan-statement.js';
import { UserEditing, CaseReader } from './write/user-editing.js';
import { WriteRunner } from './write/write-runner.js';
import { ReleasedUsers } from './people/released-users.js';
import { UserDirectoryRepository } from './user-directory.repository.js';
import { UsersController } from './people/users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './write/users.service.js';

/** The users of a tenant: one record each, whichever channel wrote them. */
@Module({
  imports: [DirectoriesModule, SeatsModule, ForwardingModule, SessionsModule, TasksModule],
  controllers: [UsersController, MembersController, HeldListController, HeldController, GuardController],
  providers: [
    UsersRepository,
    KeptWritesRepository,
    KeptWrites,
    CaseReader,
    UserEditing,
    ConflictSearch,
    PlanStatement,
    ConsoleRights,
    GuardRepository,
    GuardService,
    AdministratorNotices,
    WriteRunner,
    Circles,
    UsersService,
    UserDirectoryRepository,
    PeopleService,
    PeopleUpkeep,
    PopulationFolding,
    ExplainService,
    UserConflicts,
    HeldService,
    FormerProtected,
    HeldTasks,
    BroughtBack,
    GuardReport,
    GuardUndo,
    HeldMetrics,
    ImportedPeople,
    ReleasedUsers,
  ],
  exports: [
    ExplainService,
    UsersService,
    UsersRepository,
    KeptWritesRepository,
    UserDirectoryRepository,
    PeopleService,
    HeldTasks,
    GuardReport,
    HeldMetrics,
    ReleasedUsers,
  ],
})
export class UsersModule {}
