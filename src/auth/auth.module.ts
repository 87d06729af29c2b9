import { Module } from '@nestjs/common';
import { ConnectionsModule } from './connections/connections.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';

/** The connections to IdPs, and the sign-ins by them. */
@Module({ imports: [ConnectionsModule, SignInModule], exports: [SignInModule] })
export class AuthModule {}
