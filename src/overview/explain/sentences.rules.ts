import type { ExplanationBody } from '../../directory-sync/users/explain/explain.dto.js';
import { wordsOfRoleOrigin, type RoleOrigin } from '../../tenancy/identity/cause.rules.js';

export const SUBJECTS = ['access', 'role', 'seat', 'request', 'platform', 'sign_in'] as const;

export interface Sentence {
  about: (typeof SUBJECTS)[number];
  /** Stable: programs branch on it. */
  code: string;
  words: string;
  /** Null when not recorded. */
  since: string | null;
}

export interface UserFacts {
  activeSince: string | null;
  role: { at: string; origin: RoleOrigin } | null;
  seatSince: string | null;
  request: {
    at: string;
    method: string;
    status: number;
    outcome: string | null;
    code: string | null;
    detail: string | null;
  } | null;
  change: { id: string; state: string; since: string; error: string | null } | null;
  signIn: { at: string; connection: string | null; reason: string | null; detail: string | null } | null;
}

type Explained = Pick<ExplanationBody, 'user' | 'left' | 'held' | 'refused_roles' | 'seat_queue'>;

export function sentencesOf(explained: Explained, facts: UserFacts): Sentence[] {
  const { user, held, refused_roles, seat_queue: queue } = explained;
  const has = SEATS[user.seat as keyof typeof SEATS];
  const seat = queue === null ? has : `The user waits for a seat: ${ordinal(queue.place)} of ${queue.of} that wait.`;
  return [
    accessOf(explained, facts),
    ...(held === null ? [] : [{ about: 'access' as const, code: held.reason, words: held.words, since: held.since }]),
    roleOf(user.role, facts),
    ...refused_roles.map(({ role, reason, words }) => ({
      about: 'role' as const,
      code: reason,
      words: `The directory asks for the role ${role}. ${words}`,
      since: null,
    })),
    { about: 'seat', code: user.seat, words: seat, since: user.seat === 'waiting' ? user.held_since : facts.seatSince },
    requestOf(facts),
    platformOf(facts),
    signInOf(facts),
  ];
}

const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const places = new Intl.PluralRules('en', { type: 'ordinal' });

function ordinal(place: number): string {
  return `${place}${ENDINGS[places.select(place)] ?? 'th'}`;
}

const SEATS = {
  held: 'The user holds a seat.',
  none: 'The user holds no seat.',
  waiting: 'The user waits for a seat.',
} as const;

function accessOf({ user, left }: Explained, { activeSince }: UserFacts): Sentence {
  if (user.status === 'active') {
    return { about: 'access', code: 'active', words: 'The user is in force.', since: activeSince };
  }
  if (left === null)
    return { about: 'access', code: 'never_active', words: 'The user was never in force.', since: null };
  const why = left.cause?.words ?? 'the cause is not recorded';
  return { about: 'access', code: 'inactive', words: `The user is not in force: ${why}.`, since: left.at };
}

function roleOf(role: string | null, { role: last }: UserFacts): Sentence {
  if (role === null) return { about: 'role', code: 'none', words: 'The user has no role.', since: last?.at ?? null };
  if (last === null) {
    return {
      about: 'role',
      code: 'not_recorded',
      words: `The role is ${role}; its origin is not recorded.`,
      since: null,
    };
  }
  const words = `The role is ${role}: ${wordsOfRoleOrigin(last.origin)}.`;
  return { about: 'role', code: last.origin.by, words, since: last.at };
}

function requestOf({ request }: UserFacts): Sentence {
  if (request === null) {
    return { about: 'request', code: 'none', words: 'The log has no write of an IdP to the user.', since: null };
  }
  const { at, method, status, outcome, code, detail } = request;
  const answer = `The last write of the IdP was ${method}, answered with ${status}`;
  if (outcome !== null) return { about: 'request', code: outcome, words: `${answer} (${outcome}).`, since: at };
  return { about: 'request', code: code ?? 'refused', words: `${answer}: ${detail ?? 'no reason'}`, since: at };
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  delivered: 'The platform knows the user as of',
  pending: 'The platform does not know yet:',
  parked: 'The platform has refused, and an admin has to act on',
  dismissed: 'The platform does not know, since an admin has dismissed',
};

function platformOf({ change }: UserFacts): Sentence {
  if (change === null) {
    return {
      about: 'platform',
      code: 'none',
      words: 'Nothing of the user was forwarded to the platform.',
      since: null,
    };
  }
  const { id, state, since, error } = change;
  const words = `${CHANGE_WORDS[state] ?? state} ${id}${error === null ? '' : ` (${error})`}.`;
  return { about: 'platform', code: state, words, since };
}

function signInOf({ signIn }: UserFacts): Sentence {
  if (signIn === null)
    return { about: 'sign_in', code: 'none', words: 'The log has no sign-in of the user.', since: null };
  const { at, connection, reason, detail } = signIn;
  const through = connection === null ? '' : ` through ${connection}`;
  if (reason === null) {
    return { about: 'sign_in', code: 'success', words: `The last sign-in${through} succeeded.`, since: at };
  }
  const words = `The last sign-in${through} was refused as ${reason}${detail === null ? '.' : `: ${detail}`}`;
  return { about: 'sign_in', code: reason, words, since: at };
}
