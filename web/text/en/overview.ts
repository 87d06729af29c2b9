const plural = (n: number, one: string, many: string): string =>
  n === 1 ? `1 ${one}` : `${new Intl.NumberFormat('en').format(n)} ${many}`;

/** Texts of the overview. */
export const overview = {
  title: 'Overview',
  lead: 'What needs attention now.',
  nothing: 'Nothing needs attention.',
  platform: 'Platform',
  waiting: (n: number) => (n === 0 ? 'No change waits.' : `${plural(n, 'user waits', 'users wait')} to be forwarded.`),
  oldest: 'The oldest has waited',
  severities: { critical: 'Critical', warning: 'Warning' },
  since: 'Since',
  nextTry: 'Next try',
  seatsUsed: (used: number, limit: number | null) =>
    limit === null
      ? `${plural(used, 'seat is', 'seats are')} used; there is no limit.`
      : `${used} of ${limit} seats are used.`,
  seatsWaiting: (n: number) => `${plural(n, 'user waits', 'users wait')} for a seat.`,
  directories: 'Directories',
  quiet: 'No request has come yet.',
  lastRequest: 'Last request',
  lastEvent: 'Last event',
  attention: 'Attention',
  seats: 'Seats',
  deliveries: {
    title: 'Last 24 hours',
    chart: 'Changes by hour',
    chartText: 'Changes accepted and calls confirmed in each of the last 24 hours.',
    accepted: 'Accepted',
    confirmed: 'Confirmed',
    accepts: (n: number) => `${plural(n, 'change was', 'changes were')} accepted.`,
    calls: (confirmed: number, failed: number) =>
      `The platform confirmed ${plural(confirmed, 'call', 'calls')}, each with all changes that a user had then; ${failed} failed.`,
    rest: (waiting: number, parked: number, held: number) =>
      waiting + parked + held === 0
        ? 'No change is left.'
        : `Not at the platform now: ${[
            [waiting, 'to be forwarded'],
            [parked, 'parked'],
            [held, 'held'],
          ]
            .flatMap(([n, what]) => (n === 0 ? [] : [`${plural(Number(n), 'user', 'users')} ${what}`]))
            .join(', ')}.`,
    lag: (half: number, most: number) => `In the last hour with a call: half within ${half} s, 95 % within ${most} s.`,
  },
  states: {
    ok: 'Forwarding',
    open: 'Unavailable',
    paused: 'Paused',
    no_platform_yet: 'No platform yet',
    no_key_yet: 'No key yet',
    key_unreadable: 'Key unreadable',
  } as Record<string, string>,
  checklist: {
    title: 'First steps',
    lead: 'Each line is done when it has really happened.',
    done: 'done',
    open: 'open',
    directory: 'A directory exists',
    request: 'The IdP has sent a request',
    user: 'A user has arrived',
    forwarded: 'A change was confirmed by the platform',
    connection: 'A sign-in connection exists',
    administrator: 'A user of the tenant administers it',
  },
};
