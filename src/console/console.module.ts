import { Module } from '@nestjs/common';
import { SignInModule } from '../auth/sign-in/sign-in.module.js';
import { ConsoleEntryService, EnteredTenantService } from './access/console-entry.service.js';
import { ConsoleLinksService } from './access/console-links.service.js';
import {
  ConsoleLinksController,
  ConsoleSessionController,
  EnteredTenantController,
} from './access/console-session.controller.js';
import { ConsoleSessionsModule } from './access/console-sessions.module.js';
import { ConsoleFilesController } from './files/console-files.controller.js';

/** The console: the way in, and its files. */
@Module({
  imports: [SignInModule, ConsoleSessionsModule],
  controllers: [ConsoleSessionController, ConsoleLinksController, EnteredTenantController, ConsoleFilesController],
  providers: [ConsoleEntryService, ConsoleLinksService, EnteredTenantService],
  exports: [ConsoleLinksService],
})
export class ConsoleModule {}
