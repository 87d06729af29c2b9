const number = new Intl.NumberFormat('en');
const plural = (n: number, one: string, many: string): string => (n === 1 ? `1 ${one}` : `${number.format(n)} ${many}`);

/** Texts of the pages of seats. */
export const seats = {
  title: 'Seats',
  lead: 'How many, who, since when and why: now, and at any past moment.',
  tabs: { label: 'Parts', overview: 'Usage', holders: 'Holders', ledger: 'Ledger', limit: 'Limit' },
  asOf: 'At the end of the day',
  now: 'Now',
  used: (n: number | null) =>
    n === null ? 'It is not known how many seats were used.' : `${plural(n, 'seat is', 'seats are')} used.`,
  usedThen: (n: number | null, day: string) =>
    n === null
      ? `How many seats were used on ${day} is not known: the ledger begins later.`
      : `${plural(n, 'seat was', 'seats were')} used at the end of ${day}.`,
  limit: (n: number | null) => (n === null ? 'There is no limit.' : `The limit is ${number.format(n)}.`),
  overage: (n: number) => `${plural(n, 'seat is', 'seats are')} used above the limit.`,
  waiting: (n: number) => `${plural(n, 'user waits', 'users wait')} for a seat.`,
  notFinal: 'Lines of writes that are under way can still follow.',
  chart: 'Seats used and limit',
  chartText: 'A step line of the seats used at the end of each day, and a dashed one of the limit.',
  usedLine: 'Used',
  limitLine: 'Limit',
  from: 'From',
  to: 'To',
  csv: {
    usage: 'Usage as CSV',
    holders: 'Holders as CSV',
    ledger: 'Ledger as CSV',
  },
  holder: {
    name: 'Name',
    email: 'E-mail',
    role: 'Role',
    since: 'Since',
    directory: 'Directory',
    costCenter: 'Cost centre',
    reason: 'Why',
  },
  noHolders: 'No user had a seat then.',
  ledger: {
    sequence: 'Line',
    what: 'What',
    user: 'User',
    delta: 'Change',
    count: 'After it',
    reason: 'Why',
    actor: 'By',
    at: 'When',
    hash: 'Hash',
    empty: 'The ledger has no line yet.',
    verify: 'Verify the chain',
    whole: (entries: number, count: number | null) =>
      `The chain is whole: ${plural(entries, 'line', 'lines')}, ${plural(count ?? 0, 'seat', 'seats')} in use, as the users say.`,
    broken: 'The chain is broken:',
  },
  form: {
    limit: 'Limit',
    none: 'No limit',
    policy: 'Where no seat is free',
    channels: { directory: 'A directory’s user', api: 'A user of the users API', sign_in: 'A user of a sign-in' },
    policies: { wait: 'waits for a seat', block: 'is refused', allow: 'gets one above the limit' },
    effect: (used: number, limit: number | null) =>
      limit === null
        ? 'Each user whose role takes a seat gets one.'
        : used > limit
          ? `${plural(used - limit, 'seat is', 'seats are')} used above this limit. No user loses a seat; no further one is given.`
          : `${plural(limit - used, 'seat is', 'seats are')} free then.`,
    save: 'Set the limit',
    saved: 'The limit is set.',
  },
};
