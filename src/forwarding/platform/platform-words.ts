import { PRIVATE_HINT } from '../../base/http/destination-networks.js';

/** What the words are made from. */
interface State {
  state: string;
  reason: string | null;
  detail: string | null;
  /** Of a call to the present address; null: none has succeeded. */
  last_success_at: Date | null;
}

/** Says in one or two sentences how a platform connection is doing, and what to do. */
export function platformWords({ state, reason, detail, last_success_at }: State): string {
  const words = detail === null || detail === '' ? '' : ` (${detail})`;
  switch (state) {
    case 'ok':
      return last_success_at === null
        ? 'Not tried yet: no call to this address has succeeded so far. "platform test" tries it.'
        : 'Changes are forwarded.';
    case 'no_platform_yet':
      return 'There is no platform connection yet. Changes wait; "platform set" names the platform.';
    case 'no_key_yet':
      return 'The platform has an address and no key. Changes wait; "platform set --api-key" names the key.';
    case 'open':
      return `The platform is unavailable: ${awayBy(reason)}${words}. Changes wait, and one call at a time probes it.`;
    default:
      return `Forwarding is paused: ${pausedBy(reason)}${words}. Changes wait until "platform resume", or until the settings change.`;
  }
}

function awayBy(reason: string | null): string {
  const status = /^status_(\d+)$/.exec(reason ?? '')?.[1];
  if (status !== undefined) return `it answers with status ${status}`;
  switch (reason) {
    case 'timeout':
      return 'it gives no answer in time';
    case 'reset':
      return 'it ends the connection before it has answered';
    case 'refused':
      return 'it accepts no connection';
    default:
      return reason ?? 'it gives no answer';
  }
}

function pausedBy(reason: string | null): string {
  switch (reason) {
    case 'by_hand':
      return 'an admin has paused it';
    case 'credential_refused':
      return 'the platform does not accept the key';
    case 'redirect':
      return 'the address leads elsewhere';
    case 'address_refused':
      return `the address is not a public one; ${PRIVATE_HINT}`;
    case 'looks_misconfigured':
      return 'five users in a row were refused alike';
    default:
      return reason ?? 'the reason is not known';
  }
}
