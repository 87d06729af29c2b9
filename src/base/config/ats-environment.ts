import { AllowEnvironment } from './allow-environment.js';
import { HttpAddress, isListOf, Rule, WholeNumber } from './setting-rules.js';

/** The variables about applicant tracking systems and interviews. They are part of the class of all variables. */
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
   * The interview engine of tenants that have set none of their own.
   * @defaultValue none
   */
  @HttpAddress()
  INTERVIEW_API_BASE_URL?: string;

  /**
   * The credential for `INTERVIEW_API_BASE_URL`; it has to be set with it.
   * @defaultValue none
   */
  @Rule('visible', (text) => /^[\x21-\x7e]+$/.test(text), 'must be visible ASCII characters without spaces')
  INTERVIEW_API_KEY?: string;

  /**
   * Days for which the bodies of inbound events of an ATS and of SCIM requests are kept, in whole months.
   * @defaultValue `30`
   */
  @WholeNumber(1, 3_650)
  RETENTION_BODIES?: string;
}
