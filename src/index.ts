// The public exports of `sallyport`; re-exports only.

export { type AnySallyportError, isSallyportError } from './any-error.js';
export type { AuditLogEventInput, AuditLogExportInput, AuditLogs } from './client/audit-logs.js';
export type {
  AuthorizationOptions,
  PkceAuthorizationOptions,
  SealedAuthenticationResponse,
  SealSession,
  SignInSelector,
} from './client/authentication.js';
export type { PkceAuthorization } from './client/authorization.js';
export type { CookieSession } from './client/cookie-session.js';
export type { DirectorySync } from './client/directory-sync.js';
export { isDirectoryActive } from './client/directory-sync.js';
export type { EventListParams, EventStart, Events } from './client/events.js';
export { isEvent } from './client/events.js';
export type { Fga } from './client/fga.js';
export { isAuthorized } from './client/fga.js';
export type {
  CheckInput,
  NewResource,
  Relationship,
  ResourceBatchInput,
  ResourceId,
  WarrantReadOptions,
  WarrantWriteInput,
} from './client/fga-input.js';
export type { AuditTrail, AuthorizationByDomainOptions, Legacy, LegacySso, Scim } from './client/legacy.js';
export type { Mfa } from './client/mfa.js';
export type {
  AuthenticatedSession,
  RefreshedSession,
  RefreshFailure,
  SealedSessionOptions,
  SessionLogoutOptions,
  SessionRefreshOptions,
  UnauthenticatedReason,
  UnauthenticatedSession,
  UnrefreshedSession,
} from './client/opened-session.js';
export type { OrganizationDomains } from './client/organization-domains.js';
export type { Organizations } from './client/organizations.js';
export type { Passwordless } from './client/passwordless.js';
export type { Portal } from './client/portal.js';
export { Sallyport } from './client/sallyport.js';
export type { Sso, SsoAuthorizationOptions, SsoPkceAuthorizationOptions, SsoSelector } from './client/sso.js';
export type { SealOptions, UnsealOptions, UserManagement } from './client/user-management.js';
export type { OfUser } from './client/users.js';
export type { Webhooks } from './client/webhooks.js';
export type { RawBody } from './crypto/encoding.js';
export type { JwkSet } from './crypto/key-set.js';
export type { Password, PasswordEntry } from './crypto/seal.js';
export { type ConfigurationCode, ConfigurationError, InvalidArgumentError, SallyportError } from './errors/index.js';
export type { Fetch, FetchInit, FetchResponse } from './http/fetch.js';
export type { AccessRequirement } from './oauth/access.js';
export { matchesRedirectUri } from './redirect-uris/match.js';
export {
  type RedirectUriOptions,
  type RedirectUriProblem,
  type RedirectUriRule,
  redirectUriProblem,
} from './redirect-uris/rules.js';
export {
  type AuthorizationByDomain,
  type AuthorizationRequest,
  type AuthorizationUrlErrorCode,
  HOSTED_LOGIN,
  type LogoutRequest,
  type SsoAuthorizationRequest,
} from './service/addresses.js';
export type {
  AuditLogAction,
  AuditLogActor,
  AuditLogContext,
  AuditLogEvent,
  AuditLogEventCreate,
  AuditLogExport,
  AuditLogExportCreate,
  AuditLogSchema,
  AuditLogSchemaActor,
  AuditLogSchemaCreate,
  AuditLogSchemaTarget,
  AuditLogTarget,
} from './service/audit-logs.js';
export type {
  AuthenticateWithCode,
  AuthenticateWithEmailVerification,
  AuthenticateWithMagicAuth,
  AuthenticateWithOrganizationSelection,
  AuthenticateWithPassword,
  AuthenticateWithRefreshToken,
  AuthenticateWithTotp,
  AuthenticationResponse,
  EarlierMagicAuthResponse,
  Impersonator,
  MagicAuthSend,
  OauthTokens,
  PasswordResetConfirm,
  PasswordResetSend,
} from './service/authentication.js';
export { type Dialect, type DialectChoice, dialects } from './service/describe/dialect.js';
export type {
  Directory,
  DirectoryFilter,
  DirectoryGroup,
  DirectoryGroupFilter,
  DirectoryUser,
  DirectoryUserEmail,
  DirectoryUserFilter,
} from './service/directory-sync.js';
export type {
  AgentRegistrationReference,
  AgentRegistrationSwitch,
  AuthenticationAttempt,
  AuthenticationRisk,
  CertificateRenewalRequired,
  CertificateRenewed,
  ConnectionReference,
  DeletedConnection,
  DirectoryGroupUser,
  EmailVerificationInEvent,
  ErrorOfAttempt,
  FailedAuthenticationAttempt,
  FailedDomainVerification,
  FailedSsoAuthenticationAttempt,
  GroupMember,
  InvitationInEvent,
  MagicAuthInEvent,
  OrganizationInEvent,
  OrganizationRole,
  PasswordResetInEvent,
  Permission,
  RadarChallenge,
  RoleInEvent,
  SamlCertificate,
  SsoAuthenticationAttempt,
  SsoOfAttempt,
  UpdatedDirectoryGroup,
  UpdatedDirectoryUser,
} from './service/events/data.js';
export {
  type EventName,
  eventNames,
  type WebhookEventName,
  webhookEventNames,
} from './service/events/names.js';
export type { EventData } from './service/events/payloads.js';
export type {
  Event,
  EventActor,
  EventContext,
  EventFilter,
  EventOf,
  EventProblem,
  KnownEvent,
  UnknownEvent,
  UnlistedEventName,
} from './service/events.js';
export type {
  Check,
  CheckBatch,
  CheckResult,
  RelationDefinition,
  Resource,
  ResourceBatch,
  ResourceBatchWrite,
  ResourceCreate,
  ResourceFilter,
  ResourceType,
  ResourceTypeUpdate,
  ResourceUpdate,
  Warrant,
  WarrantCheck,
  WarrantFilter,
  WarrantQuery,
  WarrantQueryResult,
  WarrantSubject,
  WarrantToken,
  WarrantWrite,
} from './service/fga.js';
export type {
  EmailVerificationRequired,
  FactorChoice,
  FlowErrorCode,
  MfaChallenge,
  MfaEnrollment,
  OrganizationAuthenticationMethodsRequired,
  OrganizationChoice,
  OrganizationSelectionRequired,
  SignInStepCode,
  SsoRequired,
} from './service/flow-errors.js';
export type { Invitation, InvitationFilter, InvitationSend } from './service/invitations.js';
export type { SigningKey, SigningKeys } from './service/jwks.js';
export type {
  AuditTrailEvent,
  AuditTrailPublished,
  ScimGroup,
  ScimUser,
} from './service/legacy.js';
export type { MagicAuth, MagicAuthCreate } from './service/magic-auth.js';
export type {
  OrganizationMembership,
  OrganizationMembershipCreate,
  OrganizationMembershipFilter,
  OrganizationMembershipUpdate,
} from './service/memberships.js';
export type {
  AuthenticationChallenge,
  AuthenticationFactor,
  AuthenticationFactorWithSecrets,
  ChallengeVerification,
  ChallengeVerify,
  FactorChallenge,
  FactorEnroll,
  SmsFactorEnroll,
  Totp,
  TotpFactorEnroll,
  TotpWithSecrets,
} from './service/mfa.js';
export type { OrganizationDomain, OrganizationDomainCreate } from './service/organization-domains.js';
export type {
  AuditLogsRetention,
  AuditLogsRetentionUpdate,
  Organization,
  OrganizationCreate,
  OrganizationDomainData,
  OrganizationFilter,
  OrganizationUpdate,
} from './service/organizations.js';
export type { PasswordReset, PasswordResetCreate } from './service/password-reset.js';
export type { PasswordlessSent, PasswordlessSession, PasswordlessSessionCreate } from './service/passwordless.js';
export type { PortalLink, PortalLinkGenerate } from './service/portal.js';
export type { Role, RoleReference } from './service/roles.js';
export type {
  CustomClaims,
  EntitlementName,
  FeatureName,
  PermissionName,
  RoleName,
  SallyportTypes,
} from './service/sallyport-types.js';
export type { Session, SessionRevoke } from './service/sessions.js';
export type {
  Connection,
  ConnectionFilter,
  EarlierProfile,
  EarlierProfileAndToken,
  Profile,
  ProfileAndToken,
  ProfileAndTokenGet,
} from './service/sso.js';
export type {
  AuthorizedConnectApplication,
  ConnectApplication,
  ConnectApplicationRedirectUri,
  CreatedUser,
  EmailChange,
  EmailChangeConfirmation,
  EmailChangeSend,
  FactorEnrollment,
  Identity,
  OneTimeCode,
  User,
  UserCreate,
  UserFactorEnroll,
  UserFilter,
  UserResponse,
  UserUpdate,
} from './service/users.js';
export type { WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointUpdate } from './service/webhooks.js';
export type { Call, ResponseInfo, WithResponse } from './transport/answer/call.js';
export {
  ApiError,
  type ApiErrorCode,
  type Attempted,
  BadRequestError,
  ConflictError,
  ConnectionError,
  type Exchange,
  type FieldError,
  type FlowError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  RepeatedCursorError,
  ServerError,
  SignInStepError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  UnprocessableError,
} from './transport/answer/errors.js';
export type {
  ClientLimits,
  LimitNumbers,
  LimitsMode,
  LimitsOptions,
  LimitUse,
  SharedLimiter,
} from './transport/limits/options.js';
export type { Page, PagePromise } from './transport/lists/page-promise.js';
export type {
  DirectListOptions,
  DirectOptions,
  DirectRequestOptions,
  ExtraQuery,
  ListOptions,
  ListParams,
  RequestOptions,
} from './transport/request/options.js';
export type {
  ErrorRecord,
  Hooks,
  LeveledLogger,
  Logger,
  LogLevel,
  RequestRecord,
  ResponseRecord,
  RetryRecord,
} from './transport/sending/observe.js';
export type { SallyportOptions, WithOptions } from './transport/types.js';
export { version } from './version.js';
export { type WebhookRefusal, WebhookVerificationError } from './webhooks/verification-error.js';
export type { VerifyWebhookOptions } from './webhooks/verify.js';
