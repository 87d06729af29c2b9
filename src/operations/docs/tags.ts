/** A group of operations in the API reference. */
interface Tag {
  readonly name: string;
  readonly description: string;
  /** The tags of the controllers: the part of the address after `/api/v1`, unless they name another one. */
  readonly of: readonly string[];
}

/** The groups in the order in which the API reference shows them. */
const TAGS: readonly Tag[] = [
  { name: 'Me', description: 'Checks a key, and maps ids of other systems.', of: ['me', 'resolve'] },
  { name: 'Users', description: 'The users of the tenant, whichever channel wrote them.', of: ['users'] },
  {
    name: 'Held users',
    description: 'Users whose requested state has no effect, with the reason; release and discard.',
    of: ['held'],
  },
  { name: 'History', description: 'All that happened to a user, and the times of leavers.', of: ['history'] },
  {
    name: 'Requests',
    description: 'The provisioning log: SCIM requests, what each did, and why it was refused.',
    of: ['requests'],
  },
  { name: 'Status', description: 'How the tenant is doing, and what needs attention.', of: ['status', 'overview'] },
  { name: 'Search', description: 'Finds records of the tenant by name or id.', of: ['search'] },
  { name: 'Candidates', description: 'People who apply, with the metadata of an ATS or program.', of: ['candidates'] },
  { name: 'Jobs', description: 'Job openings. Candidates show the title of theirs.', of: ['jobs'] },
  {
    name: 'Interviews',
    description: 'Interviews of candidates: scheduled, moved, and completed by a scorecard.',
    of: ['interviews'],
  },
  { name: 'Roles', description: 'The catalogue of roles; each says whether it takes a seat.', of: ['roles'] },
  { name: 'Seats', description: 'Limit, use, reports, and the ledger with its signed heads.', of: ['seats'] },
  {
    name: 'Directories',
    description: 'SCIM sources: profile, tokens, group rules, preview.',
    of: ['directories'],
  },
  {
    name: 'SCIM',
    description:
      'SCIM 2.0 (RFC 7643, RFC 7644, RFC 9865) for IdPs. `/Schemas` and `/ServiceProviderConfig` say what the profile of the directory accepts.',
    of: ['scim'],
  },
  { name: 'Platform', description: 'The hiring platform that changes are forwarded to.', of: ['platform'] },
  { name: 'Changes', description: 'What was or will be forwarded; retry, dismiss, resend.', of: ['changes'] },
  { name: 'Events', description: 'The events of the tenant, with a severity and what to do.', of: ['events'] },
  {
    name: 'Webhooks',
    description: 'Addresses that events are sent to, signed: endpoints, secrets, attempts, replay.',
    of: ['webhooks'],
  },
  {
    name: 'ATS connections',
    description:
      'Applicant tracking systems: connections, what came in, what is written to them, and the pages that connect one.',
    of: ['ats-connections', 'ats-webhooks'],
  },
  { name: 'Tasks', description: 'Background work: progress, result, records that were left out.', of: ['tasks'] },
  { name: 'Connections', description: 'Sign-in through IdPs, by OpenID Connect or SAML 2.0.', of: ['connections'] },
  { name: 'Domains', description: 'E-mail domains of the tenant, proved by DNS.', of: ['domains'] },
  {
    name: 'Sign-in',
    description: 'The addresses for browsers, IdPs and applications; sessions and bindings of users.',
    of: ['sign-in'],
  },
  {
    name: 'Sign-in log',
    description: 'Sign-ins, tests and logouts, with the reason of each refusal.',
    of: ['sign-ins'],
  },
  { name: 'Console', description: 'The session of the console, and who may enter it.', of: ['console', 'members'] },
  { name: 'Audit log', description: 'Administrative changes: a hash chain with signed heads.', of: ['audit'] },
  { name: 'API keys', description: 'Credentials of this API, with scopes.', of: ['api-keys'] },
  { name: 'Tenant', description: 'The tenant of the key, and the bytes that it stores.', of: ['tenant', 'storage'] },
  {
    name: 'Installation',
    description:
      'For the operator: tenants, their storage, trusted domains, sign-in links, links of the console, keys, audit log. Needs the operator token.',
    of: [
      'tenants',
      'tenants/keys',
      'tenants/keys/signing',
      'tenants/:tenant_id/domains',
      'tenants/:tenant_id/storage',
      'tenants/:tenant_id/owner-sign-in-link',
      'installation',
      'installation/audit',
      'installation/console-links',
      'tenants/:tenant_id',
    ],
  },
  { name: 'Operations', description: 'Health and metrics; no credential of a tenant.', of: ['operations'] },
];

/** The groups as OpenAPI has them. */
export function tagObjects(): { name: string; description: string }[] {
  return TAGS.map(({ name, description }) => ({ name, description }));
}

/** The name of the group for the tag of a controller; the tag itself where no group has it. */
export function tagName(tag: string): string {
  return TAGS.find(({ of }) => of.includes(tag))?.name ?? tag;
}
