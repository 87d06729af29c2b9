import { CreateTenants1767225600000 } from './migrations/1767225600000-create-tenants.js';
import { CreateDirectories1767225660000 } from './migrations/1767225660000-create-directories.js';
import { CreateUsers1767225720000 } from './migrations/1767225720000-create-users.js';
import { CreateGroups1767225780000 } from './migrations/1767225780000-create-groups.js';
import { CreateSeats1767225840000 } from './migrations/1767225840000-create-seats.js';
import { CreateDelivery1767225900000 } from './migrations/1767225900000-create-delivery.js';
import { CreateSignIn1767225960000 } from './migrations/1767225960000-create-sign-in.js';
import { IndexIdentityNames1767226020000 } from './migrations/1767226020000-index-identity-names.js';
import { TrustOriginsByTenant1767226060000 } from './migrations/1767226060000-trust-origins-by-tenant.js';
import { DocumentSizes1767226100000 } from './migrations/1767226100000-document-sizes.js';
import { ProtectLedgers1767226300000 } from './migrations/1767226300000-protect-ledgers.js';
import { MaintenanceFunctions1767226310000 } from './migrations/1767226310000-maintenance-functions.js';
import { ReserveSignInNames1767226400000 } from './migrations/1767226400000-reserve-sign-in-names.js';
import { NeverLockedOut1767226500000 } from './migrations/1767226500000-never-locked-out.js';
import { LinkUsers1767226600000 } from './migrations/1767226600000-link-users.js';
import { TaskResults1767226610000 } from './migrations/1767226610000-task-results.js';
import { PreviewWrites1767226620000 } from './migrations/1767226620000-preview-writes.js';
import { DiscardedRoles1767226630000 } from './migrations/1767226630000-discarded-roles.js';
import { ResourceRevisions1767226700000 } from './migrations/1767226700000-resource-revisions.js';
import { ListOrders1767226710000 } from './migrations/1767226710000-list-orders.js';
import { DoubtedMetadata1767226800000 } from './migrations/1767226800000-doubted-metadata.js';
import { SessionNames1767226810000 } from './migrations/1767226810000-session-names.js';
import { ActiveInDocuments1767226900000 } from './migrations/1767226900000-active-in-documents.js';
import { UserNameKeys1767226910000 } from './migrations/1767226910000-user-name-keys.js';
import { PendingMembersEnd1767226920000 } from './migrations/1767226920000-pending-members-end.js';
import { HolderFacts1767226930000 } from './migrations/1767226930000-holder-facts.js';
import { TenantAddresses1767226940000 } from './migrations/1767226940000-tenant-addresses.js';
import { Managers1767226950000 } from './migrations/1767226950000-managers.js';
import { Installation1767227000000 } from './migrations/1767227000000-installation.js';
import { TaskSeen1767227010000 } from './migrations/1767227010000-task-seen.js';
import { StorageProbe1767227020000 } from './migrations/1767227020000-storage-probe.js';
import { UnknownRoles1767227030000 } from './migrations/1767227030000-unknown-roles.js';
import { SignInHelp1767227100000 } from './migrations/1767227100000-sign-in-help.js';
import { LaneStates1767227200000 } from './migrations/1767227200000-lane-states.js';
import { Tasks1767227400000 } from './migrations/1767227400000-tasks.js';
import { Events1767227410000 } from './migrations/1767227410000-events.js';
import { UserListKey1767227430000 } from './migrations/1767227430000-user-list-key.js';
import { Plans1767227440000 } from './migrations/1767227440000-plans.js';
import { SettingsNotices1767227441000 } from './migrations/1767227441000-settings-notices.js';
import { ProvenValues1767227450000 } from './migrations/1767227450000-proven-values.js';
import { LargeShares1767227452000 } from './migrations/1767227452000-large-shares.js';
import { SignedOutAtIdp1767227460000 } from './migrations/1767227460000-signed-out-at-idp.js';
import { EventSequences1767227490000 } from './migrations/1767227490000-event-sequences.js';
import { AttemptsOfEndpoints1767227491000 } from './migrations/1767227491000-attempts-of-endpoints.js';
import { Candidates1767227500000 } from './migrations/1767227500000-candidates.js';
import { JobOpenings1767227501000 } from './migrations/1767227501000-job-openings.js';
import { FirstMonths1767227502000 } from './migrations/1767227502000-first-months.js';
import { TenantOfEvents1767227503000 } from './migrations/1767227503000-tenant-of-events.js';
import { Webhooks1767227510000 } from './migrations/1767227510000-webhooks.js';
import { EventFeed1767227520000 } from './migrations/1767227520000-event-feed.js';
import { AtsConnections1767227530000 } from './migrations/1767227530000-ats-connections.js';
import { AtsInbound1767227531000 } from './migrations/1767227531000-ats-inbound.js';
import { Interviews1767227532000 } from './migrations/1767227532000-interviews.js';
import { AtsWrites1767227533000 } from './migrations/1767227533000-ats-writes.js';
import { AtsPaces1767227534000 } from './migrations/1767227534000-ats-paces.js';
import { AtsMarketplace1767227535000 } from './migrations/1767227535000-ats-marketplace.js';
import { AtsOpenEvents1767227536000 } from './migrations/1767227536000-ats-open-events.js';
import { OldestWork1767227537000 } from './migrations/1767227537000-oldest-work.js';
import { LighterSeals1767227538000 } from './migrations/1767227538000-lighter-seals.js';
import { LighterAnalyses1767227539000 } from './migrations/1767227539000-lighter-analyses.js';
import { CorrectLedgers1767227540000 } from './migrations/1767227540000-correct-ledgers.js';
import { GroupNames1767227550000 } from './migrations/1767227550000-group-names.js';
import { RequestedEmails1767227560000 } from './migrations/1767227560000-requested-emails.js';
import { OtherIdpSessions1767227561000 } from './migrations/1767227561000-other-idp-sessions.js';
import { MetadataDoubts1767227562000 } from './migrations/1767227562000-metadata-doubts.js';
import { ProtectedUsers1767227563000 } from './migrations/1767227563000-protected-users.js';
import { ConsoleGrants1767227570000 } from './migrations/1767227570000-console-grants.js';
import { ChangeCauses1767227580000 } from './migrations/1767227580000-change-causes.js';
import { FormerNames1767227620000 } from './migrations/1767227620000-former-names.js';
import { KeepYoungMonths1767227610000 } from './migrations/1767227610000-keep-young-months.js';
import { SignedEvents1767227600000 } from './migrations/1767227600000-signed-events.js';
import { CreateInstallationAudit1767227700000 } from './migrations/1767227700000-create-installation-audit.js';
import { InterviewEngine1767227650000 } from './migrations/1767227650000-interview-engine.js';
import { AtsStanding1767227651000 } from './migrations/1767227651000-ats-standing.js';
import { FirstDays1767227850000 } from './migrations/1767227850000-first-days.js';
import { TenantStorage1767227750000 } from './migrations/1767227750000-tenant-storage.js';

/** Every migration, named one by one in the order in which they run: what is not in this list does not run. */
export const MIGRATIONS = [
  CreateTenants1767225600000,
  CreateDirectories1767225660000,
  CreateUsers1767225720000,
  CreateGroups1767225780000,
  CreateSeats1767225840000,
  CreateDelivery1767225900000,
  CreateSignIn1767225960000,
  IndexIdentityNames1767226020000,
  TrustOriginsByTenant1767226060000,
  DocumentSizes1767226100000,
  ProtectLedgers1767226300000,
  MaintenanceFunctions1767226310000,
  ReserveSignInNames1767226400000,
  NeverLockedOut1767226500000,
  LinkUsers1767226600000,
  TaskResults1767226610000,
  PreviewWrites1767226620000,
  DiscardedRoles1767226630000,
  ResourceRevisions1767226700000,
  ListOrders1767226710000,
  DoubtedMetadata1767226800000,
  SessionNames1767226810000,
  ActiveInDocuments1767226900000,
  UserNameKeys1767226910000,
  PendingMembersEnd1767226920000,
  HolderFacts1767226930000,
  TenantAddresses1767226940000,
  Managers1767226950000,
  Installation1767227000000,
  TaskSeen1767227010000,
  StorageProbe1767227020000,
  UnknownRoles1767227030000,
  SignInHelp1767227100000,
  LaneStates1767227200000,
  Tasks1767227400000,
  Events1767227410000,
  UserListKey1767227430000,
  Plans1767227440000,
  SettingsNotices1767227441000,
  ProvenValues1767227450000,
  LargeShares1767227452000,
  SignedOutAtIdp1767227460000,
  EventSequences1767227490000,
  AttemptsOfEndpoints1767227491000,
  Candidates1767227500000,
  JobOpenings1767227501000,
  FirstMonths1767227502000,
  TenantOfEvents1767227503000,
  Webhooks1767227510000,
  EventFeed1767227520000,
  AtsConnections1767227530000,
  AtsInbound1767227531000,
  Interviews1767227532000,
  AtsWrites1767227533000,
  AtsPaces1767227534000,
  AtsMarketplace1767227535000,
  AtsOpenEvents1767227536000,
  OldestWork1767227537000,
  LighterSeals1767227538000,
  LighterAnalyses1767227539000,
  CorrectLedgers1767227540000,
  GroupNames1767227550000,
  RequestedEmails1767227560000,
  OtherIdpSessions1767227561000,
  MetadataDoubts1767227562000,
  ProtectedUsers1767227563000,
  ConsoleGrants1767227570000,
  ChangeCauses1767227580000,
  SignedEvents1767227600000,
  KeepYoungMonths1767227610000,
  FormerNames1767227620000,
  CreateInstallationAudit1767227700000,
  InterviewEngine1767227650000,
  AtsStanding1767227651000,
  FirstDays1767227850000,
  TenantStorage1767227750000,
];
