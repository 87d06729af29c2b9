import { applyDecorators, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Caller } from './caller.js';
import { SignInAgain } from './tenants.errors.js';

const RECENT = Symbol('whether a route needs a recent sign-in');

/** Where the documentation finds that an operation needs a recent sign-in. */
export const DOCUMENTED_RECENT = 'x-recent-sign-in';

/** How old the sign-in of a session of the console may be for such an act, in milliseconds. */
export const RECENT_SIGN_IN_MS = 600_000;

/**
 * The route shows or changes a secret, or a limit: a session of the console needs a sign-in of the last ten minutes.
 * Deletions need it without this line. Keys and tokens prove themselves in each request.
 */
export const RecentSignIn = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(RECENT, true), ApiExtension(DOCUMENTED_RECENT, true));

/** Returns whether an operation needs a recent sign-in. */
export function needsRecentSignIn(method: string, isMarked: boolean): boolean {
  return isMarked || method.toUpperCase() === 'DELETE';
}

/**
 * Demands a recent sign-in where the route needs one.
 *
 * @throws {SignInAgain} when the sign-in of a session is too old
 */
export function demandRecentSignInOf(context: ExecutionContext, method: string, caller: Caller, now: Date): void {
  if (caller.console === undefined) return;
  const marks = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(RECENT, target) === true,
  );
  if (needsRecentSignIn(method, marks.includes(true))) demandRecentSignIn(caller, now);
}

/**
 * Demands a recent sign-in, in routes where the need depends on the request.
 *
 * @throws {SignInAgain} when the sign-in of a session is too old
 */
export function demandRecentSignIn({ console }: Caller, now: Date): void {
  if (console === undefined) return;
  if (now.getTime() - console.signedInAt.getTime() > RECENT_SIGN_IN_MS) throw new SignInAgain();
}
