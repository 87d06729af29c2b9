import { Module } from '@nestjs/common';
import { ConnectionsModule } from './connections/connections.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';

@Module({ imports: [ConnectionsModule, SignInModule], exports: [SignInModule] })
export class AuthModule {}
