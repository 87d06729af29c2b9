/** An enabled connection as a way to sign in. */
export interface SignInWay {
  id: string;
  name: string;
  /** Whether a sign-in with its present settings succeeded. */
  tested: boolean;
}

/**
 * Decides whether an act would lock users out: a tested connection was available before, and only untested ones
 * afterwards. An act that leaves no connection at all is permitted, since its effect is obvious; so is one before which
 * none was tested.
 *
 * @returns the connection that would be left untested; null: the act is permitted
 */
export function untestedLeft(before: readonly SignInWay[], after: readonly SignInWay[]): SignInWay | null {
  if (!before.some(({ tested }) => tested) || after.some(({ tested }) => tested)) return null;
  return after[0] ?? null;
}

/** Returns the connections for the users of a domain: the bound one alone, else all. */
export function waysOf(all: readonly SignInWay[], boundTo: string | null): SignInWay[] {
  return boundTo === null ? [...all] : all.filter(({ id }) => id === boundTo);
}
