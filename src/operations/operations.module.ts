import { Module } from '@nestjs/common';
import { KeyRotationController } from './key-rotation.controller.js';
import { ProblemsController } from './docs/problems.controller.js';
import { Lifecycle } from './lifecycle.js';
import { Metrics } from './metrics.js';
import { OperationsController } from './operations.controller.js';
import { Readiness } from './readiness.js';
import { RequestLog } from './request-log.js';
import { Retention } from './retention.js';

/** Running the service: is it up, is it ready, what are its figures, what did each request come to. */
@Module({
  controllers: [OperationsController, ProblemsController, KeyRotationController],
  providers: [Lifecycle, Metrics, Readiness, RequestLog, Retention],
  exports: [Lifecycle, Metrics, Readiness, RequestLog, Retention],
})
export class OperationsModule {}
