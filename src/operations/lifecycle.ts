import { Injectable } from '@nestjs/common';

/** The state of the process. `src/start/application.ts` writes it; readiness reads it. */
@Injectable()
export class Lifecycle {
  /** True once the process takes no new work: load balancers choose another one, and running requests are finished. */
  draining = false;
}
