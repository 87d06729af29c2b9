import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { startApp, type TestApp } from '../app.js';
import { newHouse, type House } from '../house.js';
import { OidcWay, SamlWay } from './connections.js';

/** A service with one tenant, whose directory is paired with an OIDC and a SAML connection. */
export interface PairedHouse {
  service: TestApp;
  house: House;
  op: HostileOp;
  oidc: OidcWay;
  saml: SamlWay;
  close: () => Promise<void>;
}

/** Starts the service and makes the tenant with both connections. */
export async function pairedHouse(): Promise<PairedHouse> {
  const service = await startApp();
  const house = await newHouse(service);
  const op = await hostileOp(() => new Date());
  const paired = { directory_id: house.directoryId };
  return {
    service,
    house,
    op,
    oidc: await OidcWay.open(service, house, paired, op),
    saml: await SamlWay.open(service, house, paired),
    close: async () => {
      await op.stop();
      await service.close();
    },
  };
}
