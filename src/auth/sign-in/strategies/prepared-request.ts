import { refusalIn } from '../refusals/protocol-refusals.js';
import type { VerifiedSignIn } from './verified-sign-in.js';

/**
 * A request with the sign-in that a strategy runs, which the guard has put there. All applications of a process share one
 * Passport, which keeps the strategy made last. So nothing is injected into a strategy; everything comes with the request.
 */
export interface PreparedRequest {
  readonly url: string;
  signIn?: () => Promise<VerifiedSignIn>;
}

/** Runs the sign-in of a request, and ends the strategy with its result. */
export function runSignIn(
  strategy: { success(user: VerifiedSignIn): void; error(error: Error): void },
  { signIn }: PreparedRequest,
): void {
  if (signIn === undefined) return strategy.error(new Error('no sign-in was prepared for this request'));
  signIn().then(
    (verified) => strategy.success(verified),
    (error: Error) => strategy.error(refusalIn(error) ?? error),
  );
}
