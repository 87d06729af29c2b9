import type { EmailTrust } from '../../connections/connection.js';
import type { Binding, LinkKind, Replaced } from '../../../tenancy/sessions/session.js';
import type { Candidate, IdentityRefusal } from './account.rules.js';
import type { EmailClaimant } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';

/** The settings of a connection that decide an identity. */
export interface ConnectionFacts {
  readonly slug: string;
  readonly type: 'oidc' | 'saml';
  /** Whether the connection is paired with a directory. */
  readonly paired: boolean;
  /** Whether an administrator has named the claim that equals SCIM `externalId`. */
  readonly claimIsNamed: boolean;
  readonly emailTrust: EmailTrust;
  /** Whether sign-ins create users (`jit`). */
  readonly creates: boolean;
}

/** What the database knows about a sign-in, beside the binding of its subject. */
export interface Evidence {
  readonly connection: ConnectionFacts;
  /** What the IdP says. */
  readonly account: ClaimedAccount;
  /** The user of the live binding; null: there is no live binding, or its user is removed. */
  readonly bound: Candidate | null;
  /** Users of the paired directory whose `externalId` is `account.link`. */
  readonly byId: readonly Candidate[];
  /** Users of the paired directory whose user name is `account.userName`. */
  readonly byUserName: readonly Candidate[];
  /** Users with the e-mail: active ones, or where there are none, inactive ones. */
  readonly byEmail: readonly Candidate[];
  /** Users who have the e-mail, or the subject where that is an e-mail, or are held and request it. */
  readonly emailClaimants: readonly EmailClaimant[];
  /** Those of `byEmail` who own or administer the tenant. */
  readonly administrators: readonly string[];
  /** Whether the domain of the e-mail counts for this connection. */
  readonly ownsDomain: boolean;
  /** The connection to which the tenant has bound the domain of the e-mail; null: none, or the domain is not the tenant's. */
  readonly boundTo: string | null;
  /** Who has verified the domain of the e-mail. */
  readonly domain: 'unclaimed' | 'this_tenant' | 'other_connection' | 'other_tenant';
  /** A deleted user with the same id, user name or e-mail; null: there is none. */
  readonly deleted: string | null;
  /** The live bindings at this connection of the users above. */
  readonly bindings: readonly Binding[];
}

/** What becomes of a sign-in. */
export type IdentityDecision =
  /** The subject stays with its user. `newlyProven`: the binding was unproven, and its proof has to hold at the commit. */
  | { kind: 'keep'; user: Candidate; binding: Binding; newlyProven: boolean }
  /** The subject is linked to a user, for the first time or in place of `replaces`. */
  | { kind: 'rebind'; user: Candidate; binding: Binding; linkedBy: LinkKind | 'moved'; replaces: Replaced }
  /** A user is created. `proven`: the e-mail is in a verified domain of the tenant. */
  | { kind: 'create'; email: string; proven: boolean }
  | IdentityRefusal;
