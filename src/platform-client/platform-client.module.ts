import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { Outbound } from '../base/http/outbound.js';
import { PlatformClient } from './platform.client.js';

@Module({
  providers: [{ provide: Outbound, useFactory: () => new Outbound() }, PlatformClient],
  exports: [PlatformClient, Outbound],
})
export class PlatformClientModule implements OnModuleDestroy {
  constructor(@Inject(Outbound) private readonly outbound: Outbound) {}

  /** Connections are kept open between calls; without this the process would not end. */
  onModuleDestroy(): Promise<void> {
    return this.outbound.close();
  }
}
