import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { startApp, type TestApp } from '../app.js';
import { newHouse, type House } from '../house.js';
import { fresh } from '../scim.js';
import { OidcWay, trustDomain } from './connections.js';

/** A service and an OP for a whole spec; a tenant and a domain that are new in each test. */
export class SignInStage {
  service!: TestApp;
  house!: House;
  domain!: string;
  op!: HostileOp;

  /** Opens an OIDC connection of the tenant. */
  open = (more: object = {}, idp = this.op): Promise<OidcWay> => OidcWay.open(this.service, this.house, more, idp);

  /** Opens one that is paired with the tenant's directory. */
  paired = (more: object = {}): Promise<OidcWay> => this.open({ directory_id: this.house.directoryId, ...more });

  /** Makes the domain the tenant's own. */
  own = (more: object = {}): Promise<void> => trustDomain(this.service, this.house.tenantId, this.domain, more);
}

/**
 * Registers the hooks that start and stop the stage of a spec.
 *
 * @param onTest runs before each test, once tenant and domain are new: where a spec keeps them in variables of its own
 */
export function signInStage(onTest: (stage: SignInStage) => void = () => undefined): SignInStage {
  const stage = new SignInStage();
  beforeAll(async () => {
    stage.service = await startApp();
    stage.op = await hostileOp(() => new Date());
  });
  beforeEach(async () => {
    stage.house = await newHouse(stage.service);
    stage.domain = `${fresh('d')}.example.com`;
    stage.op.reset();
    onTest(stage);
  });
  afterAll(async () => {
    await stage.op.stop();
    await stage.service.close();
  });
  return stage;
}
