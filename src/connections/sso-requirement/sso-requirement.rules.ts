/** An enabled connection, as far as it matters to whom a tenant can let in. */
export interface Door {
  id: string;
  name: string;
  /** A sign-in through it succeeded with its present settings. */
  tested: boolean;
}

/**
 * Decides whether an act would lock users out: connections that are known to work could be used before, and afterwards
 * only connections of which nobody knows that. Without any connection afterwards there is no only door: that act says
 * plainly what it does. Where none was tested before, nothing that worked is taken away.
 *
 * @returns the connection that would be left untested, or null
 */
export function untestedLeft(before: readonly Door[], after: readonly Door[]): Door | null {
  if (!before.some(({ tested }) => tested) || after.some(({ tested }) => tested)) return null;
  return after[0] ?? null;
}

/** The connections through which users of a domain sign in: the bound one alone, else all. */
export function doorsOf(all: readonly Door[], boundTo: string | null): Door[] {
  return boundTo === null ? [...all] : all.filter(({ id }) => id === boundTo);
}
