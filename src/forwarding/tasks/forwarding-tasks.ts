import { Injectable } from '@nestjs/common';
import { TaskHandlers, type Task, type TaskHandler } from '../../engine/work/task.js';
import { ForwardingService } from '../forwarding.service.js';
import { DriftStep } from './drift.step.js';
import { ImportStep } from './import.step.js';
import { SendAgainSteps } from './send-again.steps.js';

/** Adds the handlers of the tasks of forwarding. */
@Injectable()
export class ForwardingTasks {
  constructor(
    handlers: TaskHandlers,
    forwarding: ForwardingService,
    sendAgain: SendAgainSteps,
    importing: ImportStep,
    drift: DriftStep,
  ) {
    const sending = (step: TaskHandler['run']): TaskHandler => ({
      run: async (task: Task) => {
        const batch = await step(task);
        if (batch.done > 0) forwarding.wake(task.tenantId);
        return batch;
      },
    });
    handlers.add(
      ['platform.reforward'],
      sending((task) => sendAgain.reforward(task)),
    );
    handlers.add(
      ['changes.resend'],
      sending((task) => sendAgain.resend(task)),
    );
    handlers.add(['platform.import'], { run: (task) => importing.run(task), callsOut: true });
    handlers.add(['platform.drift'], { run: (task) => drift.run(task), callsOut: true });
  }
}
