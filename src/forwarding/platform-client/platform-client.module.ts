import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { DestinationNetworks } from '../../base/http/destination-networks.js';
import { NameLookups } from '../../base/http/name-lookups.js';
import { Outbound } from '../../base/http/outbound.js';
import { PlatformClient } from './platform.client.js';

const outbound = (config: Config): Outbound =>
  new Outbound(new NameLookups(config.dnsServers), new DestinationNetworks(config.destinationNetworks));

@Module({
  providers: [{ provide: Outbound, useFactory: outbound, inject: [Config] }, PlatformClient],
  exports: [PlatformClient, Outbound],
})
export class PlatformClientModule implements OnModuleDestroy {
  constructor(@Inject(Outbound) private readonly outbound: Outbound) {}

  /** Closes the connections, which stay open between calls; else the process would not end. */
  onModuleDestroy(): Promise<void> {
    return this.outbound.close();
  }
}
