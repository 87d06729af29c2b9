import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Activity } from '../activity.js';
import { Clock, SystemClock } from '../clock.js';
import { Sealer } from '../crypto/seal.js';
import { DomainEvents } from '../domain-events.js';
import { AnswerBudget } from '../http/answer-budget.js';
import { useCursorKey } from '../http/page.js';
import { Logger, processFields } from '../log/logger.js';
import { WorkSlots } from '../loop.js';
import { Config } from './config.js';

/** Providers of every room: settings, time, log, sealed secrets, domain events. */
@Global()
@Module({})
export class ConfigModule {
  static with(
    config: Config,
    logger: Logger = new Logger(config.logLevel, undefined, processFields(config)),
    clock: Clock = new SystemClock(),
  ): DynamicModule {
    const sealer = new Sealer(config.encryptionKeys);
    useCursorKey(sealer.derive('cursors'));
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
        { provide: Logger, useValue: logger },
        { provide: Sealer, useValue: sealer },
        { provide: Activity, useValue: new Activity() },
        { provide: DomainEvents, useValue: new DomainEvents() },
        { provide: AnswerBudget, useValue: new AnswerBudget() },
        { provide: WorkSlots, useValue: new WorkSlots() },
      ],
      exports: [Config, Clock, Logger, Sealer, Activity, DomainEvents, AnswerBudget, WorkSlots],
    };
  }
}
