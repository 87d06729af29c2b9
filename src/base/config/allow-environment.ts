import { isListOf, OneOf, Rule } from './setting-rules.js';

/** The variables that admit what is refused without them. They are part of the class of all variables. */
export abstract class AllowEnvironment {
  /**
   * For development: platforms, IdPs and webhooks of tenants can have plain http and private addresses.
   * @defaultValue `false`
   */
  @OneOf('true', 'false', 'on', 'off')
  ALLOW_PRIVATE_DESTINATIONS?: string;

  /**
   * Private networks (CIDR) in which destinations of tenants may be, and webhook endpoints also with plain http.
   * @defaultValue none
   */
  @Rule('networks', isListOf.addresses, 'must be IP addresses or networks (CIDR) with commas between')
  ALLOW_DESTINATION_NETWORKS?: string;

  /**
   * Variables whose value lifts a protection and is accepted in production all the same. Each is logged and exported.
   * @defaultValue none
   */
  @Rule('names', isListOf.names, 'must be names of variables with commas between')
  ALLOW_UNSAFE?: string;
}
