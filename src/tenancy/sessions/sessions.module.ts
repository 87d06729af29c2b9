import { Module } from '@nestjs/common';
import { BindingsRepository } from './bindings.repository.js';
import { SessionEndings } from './session-endings.repository.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

const PARTS = [SessionsRepository, SessionEndings, SessionsService, BindingsRepository];

/** Sessions and identity bindings, and messages of IdPs and clients that count once. */
@Module({ providers: PARTS, exports: PARTS })
export class SessionsModule {}
