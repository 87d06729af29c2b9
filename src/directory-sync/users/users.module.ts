import { Module } from '@nestjs/common';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { SeatsModule } from '../../seats/seats.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { DirectoriesModule } from '../directories/directories.module.js';
import { AdministratorNotices } from './administrator-notices.js';
import { ExplainService } from './explain/explain.service.js';
import { HeldListController } from './explain/held-list.controller.js';
import { UserConflicts } from './explain/user-conflicts.js';
import { GuardRepository } from './guard/guard.repository.js';
import { GuardService } from './guard/guard.service.js';
import { GuardController } from './held/guard.controller.js';
import { GuardUndo } from './held/guard-undo.js';
import { HeldTasks } from './held/held-tasks.js';
import { HeldController } from './held/held.controller.js';
import { HeldService } from './held/held.service.js';
import { KeptWritesRepository } from './kept-writes.repository.js';
import { MembersController } from './members/members.controller.js';
import { ImportedPeople } from './people/imported-people.js';
import { PeopleUpkeep, PopulationFolding } from './people/people-upkeep.js';
import { PeopleService } from './people/people.service.js';
import { ReleasedUsers } from './people/released-users.js';
import { UsersController } from './people/users.controller.js';
import { UserDirectoryRepository } from './user-directory.repository.js';
import { UsersRepository } from './users.repository.js';
import { Circles } from './write/circles.js';
import { ConflictSearch } from './write/conflicts.js';
import { KeptWrites } from './write/kept-writes.js';
import { PlanStatement } from './write/plan-statement.js';
import { UserEditing } from './write/user-editing.js';
import { UsersService } from './write/users.service.js';
import { WriteRunner } from './write/write-runner.js';

/** The users of a tenant: one record each for all channels. */
@Module({
  imports: [DirectoriesModule, SeatsModule, ForwardingModule, SessionsModule, TasksModule],
  controllers: [UsersController, MembersController, HeldListController, HeldController, GuardController],
  providers: [
    UsersRepository,
    KeptWritesRepository,
    KeptWrites,
    UserEditing,
    ConflictSearch,
    PlanStatement,
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
    GuardUndo,
    HeldTasks,
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
    GuardService,
    HeldService,
    ReleasedUsers,
  ],
})
export class UsersModule {}
