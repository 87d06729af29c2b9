const plural = (n: number): string => (n === 1 ? '1 user' : `${new Intl.NumberFormat('en').format(n)} users`);

/** The counts of a preview. */
interface PreviewCounts {
  create: number;
  link: number;
  take_over: number;
  update: number;
  deactivate: number;
  delete: number;
  take_seat: number;
  find_none: number;
  held_by_guard: number;
}

/** Returns what going live would do as sentences: "Creates 5, takes over 10 from Okta, needs 13 seats." */
function previewSentence(counts: PreviewCounts, replaced: string | null): string {
  const format = new Intl.NumberFormat('en');
  const number = (value: number): string => format.format(value);
  const parts: (readonly [number, string])[] = [
    [counts.create, `creates ${number(counts.create)}`],
    [counts.link, `links ${number(counts.link)} whom no directory manages`],
    [counts.take_over, `takes over ${number(counts.take_over)}${replaced === null ? '' : ` from ${replaced}`}`],
    [counts.update, `changes ${number(counts.update)}`],
    [counts.deactivate, `deactivates ${number(counts.deactivate)}`],
    [counts.delete, `deletes ${number(counts.delete)}`],
    [counts.take_seat, `needs ${number(counts.take_seat)} ${counts.take_seat === 1 ? 'seat' : 'seats'}`],
  ];
  const said = parts.flatMap(([n, part]) => (n === 0 ? [] : [part])).join(', ');
  const sentences = [said === '' ? 'Going live changes no user.' : `Going live ${said}.`];
  if (counts.find_none > 0) sentences.push(`${plural(counts.find_none)} would find no free seat, and wait.`);
  if (counts.held_by_guard > 0)
    sentences.push(`The guard would hold ${plural(counts.held_by_guard)} of those who leave.`);
  return sentences.join(' ');
}

/** Texts of the pages of directories. */
export const directories = {
  title: 'Directories',
  deleted: 'This directory was deleted',
  never: 'There is no directory with this id.',
  lead: 'Each is one IdP that sends users and groups by SCIM.',
  empty: 'There is no directory yet. Create one, and give its address and token to the IdP.',
  name: 'Name',
  profile: 'Profile',
  profileHelp: {
    tolerant: 'For any IdP: takes what all known ones send. The usual choice.',
    entra: 'For Microsoft Entra ID: the RFC, and what Entra sends beside it.',
    okta: 'For Okta: the RFC, and what Okta sends beside it.',
    strict: 'For a client of your own that keeps to the RFC: nothing else is taken.',
    ipsie: 'For an IdP that is certified for the IPSIE profile: as strict, and without passwords.',
  },
  state: 'State',
  lastRequest: 'Last request',
  guard: 'Guard',
  create: 'Create a directory',
  created: 'The directory is there. Its first token is shown this once:',
  states: { live: 'live', preview: 'preview' },
  guardOff: 'off',
  guardOn: 'on',
  tabs: {
    label: 'Parts of the directory',
    overview: 'Overview',
    connect: 'Connect',
    groups: 'Groups',
    attributes: 'Attributes',
    roles: 'Roles',
    preview: 'Preview',
    guard: 'Guard',
    requests: 'Requests',
    settings: 'Settings',
  },
  overview: {
    users: 'Users',
    unmanaged: 'Users without a directory',
    groups: 'Groups',
    pending: 'Members that wait for their user',
    refusal: 'Last refused credential',
    unknownRole: 'Last role that was not given',
    none: 'none',
    defaultRole: 'Default role',
    noRole: 'none yet: users are held until a rule applies',
    takesOver: 'Takes over',
    supersededBy: 'Taken over by',
  },
  connect: {
    address: 'SCIM address',
    addressHelp: 'The IdP calls it “tenant URL”, “base URL” or “SCIM connector base URL”.',
    credentials: 'Credentials',
    lead: 'All of them are valid at the same time. Give the IdP the next one first, and end the old one when no request uses it any more.',
    credential: 'Credential',
    kind: 'Kind',
    kinds: {
      token: 'SCIM token',
      secret: 'Client with secrets',
      private_key_jwt: 'Client with its own key',
      federated: 'Federated client',
      client_secret: 'Secret of the client',
    },
    requests: 'Requests of the last day',
    dialect: 'IdP seen',
    newToken: 'Make a token',
    newSecret: 'Add a secret',
    shownOnce: 'Copy it now: it is not shown again.',
    lastUsed: 'Last used',
    ends: 'Ends',
    over: 'ended',
    never: 'never',
    withSecrets: 'with its secrets',
    ending: { token: 'Revoke', client: 'Delete the client', client_secret: 'Delete the secret' },
    revokes: 'It ends at once, and so do its access tokens: an IdP that uses it is refused from then on.',
    used: 'It was last used',
    usedNext: 'An IdP that still uses it is refused from then on. Give the IdP another credential first.',
    nevertheless: 'End it nevertheless',
    empty: 'No credential is there: the IdP cannot send anything.',
    guides: 'How to connect each IdP',
  },
  clients: {
    create: 'Create a client',
    created: 'The client is there.',
    name: 'Name',
    kind: 'Kind',
    kinds: {
      secret: 'Client secret',
      private_key_jwt: 'Own key (private_key_jwt)',
      federated: 'Federated (Entra workload identity)',
    },
    kindHelp: {
      secret: 'For Entra ID with a client secret, and for most programs. The secret is shown once.',
      private_key_jwt: 'For a program that signs assertions with its own key. There is no secret.',
      federated: 'Assertions of another issuer, with a fixed subject and audience. There is no secret.',
    },
    fields: { issuer: 'Issuer', subject: 'Subject', audience: 'Audience', jwks_url: 'Address of the public keys' },
    id: 'Client id',
    secret: 'Client secret',
    tokenUrl: 'Token URL',
  },
  networks: {
    title: 'Networks',
    label: 'IP addresses and networks that the directory takes requests from, one on each line',
    everywhere: 'from everywhere',
    help: 'Such as 203.0.113.0/24. From other addresses a request is refused (403). Empty: from everywhere.',
    save: 'Save the networks',
    saved: 'The networks are saved.',
  },
  attributes: {
    title: 'Attributes of your own',
    lead: 'They are kept, filtered and shown like the attributes of SCIM. The type of a name stays. Values of a removed attribute are kept and not shown.',
    schema: 'Schema',
    empty: 'No attribute is declared.',
    name: 'Name',
    type: 'Type',
    several: 'Several values',
    description: 'Description',
    add: 'Add to the list',
    remove: 'Remove',
    nameHelp: 'A name begins with a letter, and has letters, digits, hyphens and underscores.',
    taken: 'The list has an attribute of this name.',
    none: 'not declared',
    save: 'Save the list',
    saved: 'The list is saved.',
  },
  groups: {
    empty: 'No group has come yet.',
    name: 'Group',
    members: 'Members',
    pending: 'Pending',
    show: 'Show members',
    noMembers: 'The group has no members.',
    user: 'User',
  },
  roles: {
    lead: 'The first rule whose group a user is in gives the role. What a change does is shown before it is saved.',
    group: 'Group',
    role: 'Role',
    remove: 'Remove',
    add: 'Add a rule',
    choose: 'Choose a role',
    rules: 'Rules',
    plan: 'Show what changes',
    save: 'Save the rules',
    saved: 'Saved. A task works the change off; the guard counts those who leave.',
    empty: 'There is no rule.',
    planLead: (n: number) => (n === 0 ? 'No role and no seat changes.' : `This changes ${plural(n)}:`),
    user: 'User',
    up: 'Move up',
    asTask: 'The directory is large: the plan is made as a task.',
  },
  preview: {
    lead: 'What going live would do now. No user in force has changed.',
    madeAt: 'The plan was made',
    stale: 'The directory has changed since.',
    none: 'There is no plan yet.',
    make: 'Make the plan anew',
    beingMade: 'A task is making the plan.',
    live: 'The directory is live: what it writes is in force.',
    goLive: 'Go live',
    confirmSeats: 'Go live; users without a seat wait',
    back: 'Back to preview',
    kinds: {
      create: 'create',
      link: 'link',
      take_over: 'take over',
      update: 'update',
      deactivate: 'deactivate',
      delete: 'delete',
    } as Record<string, string>,
    sentence: previewSentence,
    would: 'Effect',
    user: 'User',
    fields: 'Other fields',
    held: 'Held as',
    empty: 'No user would change.',
  },
  guardTab: {
    off: 'The guard is off: a wrong filter in the IdP puts everybody out at once.',
    lead: 'Above the limit a departure is held until you decide; the IdP keeps getting its normal answers.',
    window: (minutes: number) => `Departures in the last ${minutes} minutes`,
    day: 'Departures in the last 24 hours',
    counted: 'Have left',
    limit: 'May leave',
    began: 'Window',
    base: 'Users in force since a week before',
    held: (n: number) => (n === 0 ? 'It holds no user.' : `It holds ${plural(n)}.`),
    release: 'Release them',
    discard: 'Discard them',
    undo: 'Undo those who left',
    releases: (n: number) => `This lets ${plural(n)} go: access, seat and sessions end, and the platform is told.`,
    discards: (n: number) => `This keeps ${plural(n)}. The IdP reads them back as active.`,
    undoes: (n: number, ruled: number) =>
      `This brings back ${plural(n - ruled)} who left before the limit, with id, role, groups and account.${
        ruled === 0
          ? ''
          : ` ${plural(ruled)} stay as they are: a rule gives them another role. Undo the change of the rules first.`
      }`,
    departures: 'Who left before the limit',
    noDepartures: 'No user has left within 24 hours.',
    user: 'User',
    how: 'How',
    at: 'When',
  },
  requests: {
    empty: 'No request has come yet.',
    noMatch: 'No request matches these filters.',
    request: 'Request',
    status: 'Status',
    outcome: 'What it did',
    user: 'User',
    at: 'When',
    took: 'ms',
    userFilter: 'User id',
    statusFilter: 'Status',
    id: 'Request id',
    body: 'Body',
    noBody: 'The body is not kept.',
  },
  settings: {
    labels: {
      name: 'Name',
      profile: 'Profile',
      on_match: 'A user who is there already',
      may_grant_console: 'SCIM roles may give roles that administer',
      percent: 'Percent of the users',
      people: 'or this many users',
      at_least: 'but at least',
      within_minutes: 'within minutes',
      day_percent: 'Percent within a day',
    },
    onMatchValues: { link: 'is linked', refuse: 'is refused' },
    guard: 'Guard against mass departures',
    saved: 'Saved.',
    remove: 'Delete the directory',
    removeLead: 'Its users stay as they are in force, without a directory; nothing is forwarded.',
  },
};
