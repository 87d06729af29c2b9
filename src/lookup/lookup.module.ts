import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { ResolveController } from './resolve.controller.js';

/** The room of `resolve`. */
@Module({ imports: [UsersModule], controllers: [ResolveController] })
export class LookupModule {}
