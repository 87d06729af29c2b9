import { Injectable } from '@nestjs/common';

/** Where the process is in its life. The one who starts and stops it writes this; readiness reads it. */
@Injectable()
export class Lifecycle {
  /** True once it stops taking on work: load balancers look elsewhere, running requests are finished. */
  draining = false;
}
