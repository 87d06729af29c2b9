import { Module } from '@nestjs/common';
import { BindingsRepository } from './bindings.repository.js';
import { IdpLogouts } from './idp-logouts.repository.js';
import { SessionEndings } from './session-endings.repository.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

const PARTS = [SessionsRepository, SessionEndings, SessionsService, IdpLogouts, BindingsRepository];

/** Sessions and identity bindings: their tables, their statements, and how they end. */
@Module({ providers: PARTS, exports: PARTS })
export class SessionsModule {}
