import type { Shown } from './people-company.js';

// What has to be in force, told from the last writes alone. Naive on purpose: it tries every set of users.

/** What was written last of a human, in the words of the platform. */
export interface Asked {
  active: boolean;
  userName: string;
  mail: string | null;
  key: string | null;
  /** Of SCIM `roles`. */
  role: string | null;
  isInGroup: boolean;
  family: string;
}

/** A human with one record. */
export interface Member {
  tag: string;
  /** Null: there is no record, or it is deleted. */
  id: string | null;
  isManaged: boolean;
  /** The role of a user to whom no other one is given. */
  defaultRole: string | null;
  asked: Asked;
  /** The values that were ever written for this human; null: none, in a write. */
  mails: Set<string | null>;
  keys: Set<string | null>;
  /** The user was seen in force. */
  wasActive: boolean;
}

type Users = ReadonlyMap<string, Shown>;
type Field = 'email' | 'external_id';

/** The roles that a human is given, the first one in force before the others. */
export function rolesOf({ asked, defaultRole }: Member): string[] {
  return [asked.role, asked.isInGroup ? 'User' : null, defaultRole].filter((role) => role !== null);
}

const takesSeat = (role: string): boolean => role !== 'Observer';
const lower = (text: string | null): string | null => text?.toLowerCase() ?? null;
/** A value in the form in which it is compared. */
const comparable = (field: Field, value: string | null): string | null => (field === 'email' ? lower(value) : value);
const wanted = ({ asked }: Member, field: Field): string | null =>
  comparable(field, field === 'email' ? asked.mail : asked.key);

function isTaken(users: Users, field: Field, value: string | null, except: readonly string[]): boolean {
  if (value === null) return false;
  return [...users.values()].some(
    (one) => one.status === 'active' && !except.includes(one.id) && comparable(field, one[field]) === value,
  );
}

/** Pairs of a human and the record; adds a problem for each record that is missing. */
function paired(members: readonly Member[], users: Users, problems: string[]): [Member, Shown][] {
  return members.flatMap((member) => {
    if (member.id === null) return [];
    const user = users.get(member.id);
    if (user === undefined) problems.push(`${member.tag} ${member.id} is gone`);
    return user === undefined ? [] : [[member, user] as [Member, Shown]];
  });
}

/** Rights that the last write took away. They end with the write, in every held state. */
export function rightsKept(members: readonly Member[], users: Users): string[] {
  const problems: string[] = [];
  for (const [member, user] of paired(members, users, problems)) {
    const given = rolesOf(member);
    const isOut = !member.asked.active || given.length === 0;
    const about = `${member.tag} ${JSON.stringify(user)}, asked ${JSON.stringify(member.asked)}`;
    if (isOut && (user.status !== 'inactive' || user.seat !== 'none')) problems.push(`still in force: ${about}`);
    if (isOut || user.status !== 'active') continue;
    const isExpected = user.role === given[0] || (user.seat === 'waiting' && given.includes(user.role!));
    if (!isExpected) problems.push(`has a role that is not given: ${about}`);
    if (user.seat === 'held' && !takesSeat(given[0]!)) problems.push(`has a seat of a former role: ${about}`);
    if (user.last_name !== member.asked.family) problems.push(`has a former name: ${about}`);
  }
  for (const user of users.values()) {
    if (user.status === 'active' && !members.some(({ id }) => id === user.id)) problems.push(`${user.id} of ${user.first_name} was deleted`); // prettier-ignore
  }
  return problems;
}

/** What is in force and should not be, or is not and should be, once the held users were let in. */
export function notInForce(
  members: readonly Member[],
  users: Users,
  seats: { limit: number | null; used: number },
): string[] {
  const problems: string[] = [];
  const pairs = paired(members, users, problems);
  const isFull = seats.limit !== null && seats.used >= seats.limit;
  for (const [member, user] of pairs) {
    const say = (what: string) => problems.push(`${what}: ${member.tag} ${JSON.stringify(user)}, asked ${JSON.stringify(member.asked)}`); // prettier-ignore
    const given = rolesOf(member);
    if (!member.asked.active || given.length === 0) continue;
    const taken = (['email', 'external_id'] as const).filter((field) => isTaken(users, field, wanted(member, field), [user.id])); // prettier-ignore
    if (user.seat === 'waiting' && !isFull) say('waits although a seat is free');
    if (user.status === 'inactive') {
      const keepsOut = taken.some((field) => isTaken(users, field, comparable(field, user[field]), [user.id]));
      const isBlocked = taken.length > 0 && (!member.wasActive || keepsOut);
      if (!isBlocked && user.seat !== 'waiting') say('is not in force');
      continue;
    }
    if (takesSeat(given[0]!) !== (user.seat !== 'none')) say('has the wrong seat');
    for (const field of ['email', 'external_id'] as const) {
      const real = comparable(field, user[field]);
      if (real === wanted(member, field)) continue;
      const former = field === 'email' ? member.mails : member.keys;
      if (!former.has(real)) say(`has the ${field} of another human`);
      if (!taken.includes(field)) say(`has not got the free ${field}`);
      if (user.held === null) say(`has a former ${field} and is not held`);
    }
    const isAsAsked = taken.length === 0 && user.seat !== 'waiting' && member.asked.mail !== null;
    if (isAsAsked && user.held !== null) say('is held for nothing');
  }
  for (const field of ['email', 'external_id'] as const)
    problems.push(...shared(users, field), ...stuck(pairs, users, field));
  return problems;
}

/** Values that two active users have. */
function shared(users: Users, field: Field): string[] {
  return [...users.values()]
    .filter((one) => one.status === 'active' && isTaken(users, field, comparable(field, one[field]), [one.id]))
    .map((one) => `the ${field} of ${one.id} is another one's, too`);
}

/** A set of active users whose wanted values fit together, and who have not got them. */
function stuck(pairs: readonly [Member, Shown][], users: Users, field: Field): string[] {
  const waiting = pairs.filter(
    ([member, user]) =>
      user.status === 'active' &&
      member.asked.active &&
      wanted(member, field) !== null &&
      comparable(field, user[field]) !== wanted(member, field),
  );
  for (let set = 1; set < 1 << waiting.length; set++) {
    const chosen = waiting.filter((_, i) => (set & (1 << i)) !== 0);
    const values = chosen.map(([member]) => wanted(member, field));
    const ids = chosen.map(([, user]) => user.id);
    if (new Set(values).size === values.length && values.every((value) => !isTaken(users, field, value, ids))) {
      return [`stays held although the ${field} fits: ${chosen.map(([{ tag }]) => tag).join()}`];
    }
  }
  return [];
}

/**
 * The user to whom an e-mail leads: the only one who has it in force, unless another one has it or requests it in the same
 * directory. A held request in another directory shuts no user out.
 */
export function ownerOfMail(members: readonly Member[], users: Users, mail: string): Shown | 'ambiguous' | null {
  const claims = paired(members, users, [])
    .map(([{ asked }, user]) => ({
      user,
      isInForce: user.status === 'active' && lower(user.email) === lower(mail),
      requests: asked.active && lower(asked.mail) === lower(mail),
    }))
    .filter(({ isInForce, requests }) => isInForce || requests);
  const holders = claims.filter(({ isInForce }) => isInForce);
  const directories = holders.map(({ user }) => user.managed_by?.id);
  const claimants =
    holders.length === 0 ? claims : claims.filter(({ user }) => directories.includes(user.managed_by?.id));
  if (claimants.length > 1) return 'ambiguous';
  return claimants[0]?.isInForce === true ? claimants[0].user : null;
}
