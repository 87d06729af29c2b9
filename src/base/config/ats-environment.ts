import { AllowEnvironment } from './allow-environment.js';
import { isListOf, Rule, WholeNumber } from './setting-rules.js';

/** The variables about applicant tracking systems. They stand in the class of all variables. */
export abstract class AtsEnvironment extends AllowEnvironment {
  /**
   * The OAuth clients with which customers connect their ATS from its marketplace.
   * @defaultValue none
   */
  @Rule('clients', isListOf.clients, 'must be provider:client_id:client_secret, several with commas between')
  ATS_OAUTH_CLIENTS?: string;

  /**
   * For development: simulators of ATSs, which become the region `simulator` of their provider. Not in production.
   * @defaultValue none
   */
  @Rule('simulators', isListOf.simulators, 'must be provider=http://host:port, several with commas between')
  ATS_SIMULATORS?: string;

  /**
   * Days for which the bodies of inbound events of an ATS are kept, in whole months.
   * @defaultValue `30`
   */
  @WholeNumber(1, 3_650)
  RETENTION_BODIES?: string;
}
