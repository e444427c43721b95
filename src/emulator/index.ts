// Exports of 'sallyport/emulator'.

export {
  type LimitedActivity,
  type LimitedRequests,
  type RateLimit,
  type RateLimitName,
  type RateLimitOwner,
  rateLimits,
} from '../service/rates/rate-limits.js';
export type { EmulatorEnvironment, RequestListener, ResetOptions } from './api/environment.js';
export {
  controlsAt,
  type RemoteClock,
  type RemoteControls,
  type RemoteEmulator,
  type RemoteFaults,
  type RemoteInbox,
  type RemoteRequests,
  type RemoteWorlds,
  worldsAt,
} from './api/remote.js';
export type { EmulatorWorld, EmulatorWorlds, WorldCreation } from './api/worlds.js';
export type { HttpsOptions } from './chain/https.js';
export type { ListenOptions } from './chain/listen.js';
export { createEmulator, type Emulator, type EmulatorOptions, type EmulatorState } from './emulator.js';
export type { RemoteWorld } from './http/remote-controls.js';
export type { Controls } from './registry.js';
export type { AuditTrailFilter } from './rooms/audit-logs/controls.js';
export type { PublishedAuditTrailEvent } from './rooms/audit-logs/trail.js';
export type { NewConnection, NewProfile } from './rooms/connections/records.js';
export type { DirectoryChanges, NewDirectory } from './rooms/directory-sync/directories.js';
export type { DirectoryGroupChanges, NewDirectoryGroup } from './rooms/directory-sync/groups.js';
export type { DirectoryUserChanges, GroupAndUser, NewDirectoryUser } from './rooms/directory-sync/users.js';
export type { ClockReading, EmulatorClock } from './rooms/emulator/clock-controls.js';
export type { ExportOptions } from './rooms/emulator/export-controls.js';
export type { Inbox, MessageFilter } from './rooms/emulator/inbox-controls.js';
export type { EventControls } from './rooms/events/controls.js';
export type { AwaitedEvent, EventWait } from './rooms/events/wait-for.js';
export type { FaultControls } from './rooms/faults/controls.js';
export type { ActiveFault, Fault, PlannedFailure } from './rooms/faults/fault.js';
export type { VerificationFailure } from './rooms/organizations/domains.js';
export type { NewRole, RoleChanges } from './rooms/organizations/roles.js';
export type { NewRateLimit } from './rooms/rate-limits/controls.js';
export { isPublicSuffix } from './rooms/redirect-uris/public-suffix.js';
export type { RequestFilter, Requests } from './rooms/requests/controls.js';
export type { LoggedRequest } from './rooms/requests/request-log.js';
export type { NewAuthorization, NewConnectApplication } from './rooms/users/authorized-applications.js';
export type { NewIdentity } from './rooms/users/identities.js';
export type { Delivery, DeliveryAttempt } from './rooms/webhooks/deliveries.js';
export type {
  ApiKeySeed,
  AuditLogActionSeed,
  AuditLogSchemaActorSeed,
  AuditLogSchemaSeed,
  AuditLogSchemaTargetSeed,
  AuthenticationPolicySeed,
  AuthMethodsSeed,
  AuthorizationSeed,
  ConnectApplicationRedirectUriSeed,
  ConnectApplicationSeed,
  ConnectionSeed,
  DirectoryGroupSeed,
  DirectorySeed,
  DirectoryUserEmailSeed,
  DirectoryUserSeed,
  DomainSeed,
  FactorSeed,
  IdentitySeed,
  InvitationSeed,
  MembershipSeed,
  OrganizationSeed,
  ProfileSeed,
  ResourceSeed,
  ResourceTypeSeed,
  RoleReferenceSeed,
  RoleSeed,
  Seed,
  UserSeed,
  WarrantSeed,
  WarrantSubjectSeed,
  WebhookEndpointSeed,
} from './seed.js';
export type { AuthorizationErrorCode } from './sign-in/authorizations/authorizations.js';
export type { Impersonation, IssuedCode } from './sign-in/grants/controls.js';
export type { ActingStaff, UnattendedSession, UnattendedSignIn } from './sign-in/grants/sign-in-as.js';
export type { KeyControls, RotatedKey } from './sign-in/keys/controls.js';
export type { RotateOptions } from './sign-in/keys/signing-keys.js';
export type { AuthenticationPolicy, NewAuthenticationPolicy } from './sign-in/proof/policies.js';
export type { ClaimTemplate } from './sign-in/sessions/custom-claims.js';
export { EmulatorError, EmulatorRefusal, type RequestProblem } from './store/refusal.js';
export type { SavedWorlds, Snapshot } from './store/snapshot.js';
export type { SavedStore, SavedWorld } from './store/store.js';
export type { ApiKey } from './world/api-keys.js';
export { type Clock, createClock, type Duration, type Instant, type SavedClock } from './world/clock.js';
export type { Dropped } from './world/dropped.js';
export type { EventListener, EventRecord } from './world/event-log.js';
export type { Message, MessageKind, WaitOptions } from './world/inbox.js';
export type { Deliver } from './world/options.js';
export type { ProductionOptions } from './world/settings.js';
export type { ApplicationEnv, Credentials } from './world/world.js';
