import { Module } from '@nestjs/common';
import { ForwardingService } from './forwarding.service.js';

/** Temporary: replaced by the full module. */
@Module({ providers: [ForwardingService], exports: [ForwardingService] })
export class ForwardingModule {}
