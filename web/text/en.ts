import { directories } from './en/directories.js';
import { overview } from './en/overview.js';
import { seats } from './en/seats.js';
import { users } from './en/users.js';
import { work } from './en/work.js';

const count = new Intl.NumberFormat('en');

/** The texts of the console in English. */
export const en = {
  overview,
  users,
  directories,
  seats,
  ...work,
  loading: 'Loading',
  nav: {
    label: 'Pages',
    skip: 'Skip to the page',
    overview: 'Overview',
    users: 'Users',
    held: 'Held',
    directories: 'Directories',
    seats: 'Seats',
    tasks: 'Tasks',
    byLink: 'Entered by a link',
    leave: 'Leave the console',
  },
  roles: { admin: 'Admin', auditor: 'Auditor: reads and exports', operator: 'Operator' },
  entry: {
    title: 'Console',
    lead: 'Sign in as at your company. The role of your user has to administer this tenant.',
    needsRole:
      'Roles that open the console have “console” set to “admin” or “auditor”. Ask an admin of your company for one, or sign in with another account.',
    email: 'E-mail address',
    signIn: 'Sign in',
    byLink: 'No user can sign in yet? The operator makes a link: talent-bridge console link',
    linkTitle: 'A link to the console',
    linkLead: 'This link works once. The button opens the console in this browser.',
    linkButton: 'Open the console',
    linkOver: 'This link cannot be used. Links work once, and for ten minutes.',
    linkAgain: 'The operator makes another one: talent-bridge console link',
    otherWay: 'Sign in instead',
  },
  bar: {
    offline: 'No connection. What you see may be old; what you typed stays.',
    ended: 'Your session has ended. What you typed stays on this page.',
    signInAgain: 'This needs a sign-in of the last ten minutes. What you typed stays on this page.',
    signIn: 'Sign in in a new tab',
    goOn: 'I have signed in',
    newLink: 'Ask the operator for a new link: talent-bridge console link',
    entered: 'You read this tenant as the operator, until',
    leaveTenant: 'Leave this tenant',
  },
  keys: {
    title: 'Keys',
    list: [
      ['Ctrl K, ⌘ K', 'search over everything'],
      ['/', 'go to the search field of the page'],
      ['?', 'this list'],
      ['Esc', 'close a dialog or menu'],
    ] as const,
  },
  search: {
    title: 'Search',
    help: 'User, directory, group, page, or an id of any kind',
    hits: 'Found',
    none: 'Nothing was found.',
    states: { active: 'active', inactive: 'inactive', held: 'held' },
    kinds: {
      page: 'Page',
      user: 'User',
      directory: 'Directory',
      group: 'Group',
      task: 'Task',
      request: 'Request',
      change: 'Change',
      sign_in: 'Sign-in',
      candidate: 'Candidate',
      interview: 'Interview',
      job: 'Job',
      api_key: 'API key',
      scim_token: 'SCIM token',
      client: 'Client',
      connection: 'Sign-in connection',
      ats_connection: 'ATS connection',
      webhook: 'Webhook',
      session: 'Session',
      event: 'Event',
    },
  },
  notFound: { title: 'No such page', lead: 'There is nothing at this address.' },
  gone: { by: 'by' },
  actors: { key: 'the key', directory: 'the directory', user: 'the user', operator: 'the operator' },
  problem: {
    offline: 'The service did not answer. Check the connection, and try again.',
    code: 'Code',
    request: 'Request',
    retry: 'Try again',
  },
  both: {
    changed: 'This was changed on the server while you typed. Nothing was saved, and what you typed is kept.',
    refused: 'Nothing was saved, and what you typed is kept. Beside it is what the server has now.',
    caption: 'What you typed, and what the server has now',
    field: 'Field',
    mine: 'You typed',
    theirs: 'On the server now',
    take: 'Take the server’s',
    keepAndSave: 'Keep mine and save',
    keep: 'Keep mine',
    now: 'Show what the server has now',
    yes: 'yes',
    no: 'no',
  },
  steps: {
    role: 'Role',
    status: 'Status',
    seat: 'Seat',
    console: 'Console',
    statuses: { null: 'new' } as Record<string, string>,
    rights: { admin: 'administers', auditor: 'reads', none: 'none' } as Record<string, string>,
  },
  administrators: {
    lose: (n: number) =>
      n === 1
        ? '1 administrator would lose the console, or the right to write there.'
        : `${count.format(n)} administrators would lose the console, or the right to write there.`,
    among: (n: number) =>
      n === 1
        ? '1 of them administers the tenant, and may lose the console by this.'
        : `${count.format(n)} of them administer the tenant, and may lose the console by this.`,
    agree: 'This is meant. I know who administers afterwards.',
    show: 'Show these administrators',
    showAll: 'Show all users',
  },
  copy: { copy: 'Copy', copied: 'Copied' },
  list: {
    all: 'All',
    search: 'Search',
    more: 'Load more',
    shown: (n: number) => `${count.format(n)} shown`,
    export: 'CSV',
    refresh: 'Read again',
    none: 'none',
  },
  act: {
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    counting: 'Counting …',
    type: (n: number) => `Type ${n} to confirm`,
    counted: (before: number, now: number) =>
      `You confirmed ${count.format(before)}; on the server it is ${count.format(now)} now. Nothing was done.`,
    actions: 'Actions',
  },
  chart: { showTable: 'Show as a table', hideTable: 'Hide the table', day: 'Day', hour: 'Hour', unknown: 'unknown' },
};
