import type { Json } from '../client/client.js';

/** A value of a user now, and after an act. */
interface Step {
  from: string | null;
  to: string | null;
}

// The words of a seat are those of the console; `held` has another meaning beside it.
const SEATS: Readonly<Record<string, string>> = { held: 'has one', waiting: 'waits', none: 'none' };

/** Returns a user of a plan with role, status, seat and right in one column each: what does not change has no arrow. */
export function stepped(user: Json): Json {
  const { steps, ...rest } = user;
  if (steps === null || steps === undefined) return user;
  const { role, status, seat, console } = steps as Record<'role' | 'status' | 'seat' | 'console', Step>;
  return {
    ...rest,
    role: arrow(role),
    status: arrow(status, (value) => value ?? 'new'),
    seat: arrow(seat, (value) => SEATS[value!] ?? value!),
    console: arrow(console),
  };
}

function arrow({ from, to }: Step, word = (value: string | null): string => value ?? 'none'): string {
  return from === to ? word(from) : `${word(from)} → ${word(to)}`;
}
