import {
  array,
  body,
  boolean,
  type Fields,
  maybe,
  nullable,
  optional,
  part,
  ref,
  string,
} from '../../../service/describe/define.js';
import {
  type AuthorizedConnectApplication,
  authorizedConnectApplication,
  type ConnectApplication,
  connectApplication,
} from '../../../service/users.js';
import { pinned } from '../../world/pinned.js';
import { badRequest, notFound } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { users } from './records.js';

type ApplicationRecord = Required<Omit<ConnectApplication, 'object'>>;

/** An authorization as the emulator stores it; the application is kept apart. */
export interface AuthorizationRecord {
  readonly id: string;
  readonly userId: string;
  readonly applicationId: string;
  readonly grantedScopes: readonly string[];
  readonly oauthResource: string | null;
}

/** The applications that sign users in through the service. */
export const connectApplications = collection<ApplicationRecord>({
  object: 'connect application',
  prefix: 'conn_app',
  unique: ['clientId'],
  record: ref<ApplicationRecord>(part({ ...connectApplication.shape })),
});

/** Which users have given access to which application. */
export const authorizedApplications = collection<AuthorizationRecord>({
  object: 'authorized application',
  prefix: 'authorized_connect_app',
  index: ['userId'],
  record: ref<AuthorizationRecord>(
    part({
      id: string,
      userId: string,
      applicationId: string,
      grantedScopes: array(string),
      oauthResource: nullable(string),
    }),
  ),
});

export const newConnectApplication = body({
  ...pinned,
  /** Descriptive name. */
  name: string,
  /** The application's public id in OAuth requests; a new one when not given. */
  clientId: optional(string),
  /** What the application is for. */
  description: maybe(string),
  /** Kind of application; `oauth` when not given. */
  applicationType: optional(string),
  /** Where the application receives its users. */
  redirectUris: optional(connectApplication.shape.redirectUris),
  /** Whether the application proves itself by PKCE; `false` when not given. */
  usesPkce: optional(boolean),
  /** Whether it is one of your own; `true` when not given. */
  isFirstParty: optional(boolean),
  /** Scopes it may ask for. */
  scopes: optional(connectApplication.shape.scopes),
});
/** An application to make. */
export interface NewConnectApplication extends Fields<typeof newConnectApplication> {}

/** Make an application that signs users in through the service. @throws {Refusal} 400 if the client id is taken, 409 if the id is. */
export function addConnectApplication(world: World, fields: NewConnectApplication): ApplicationRecord {
  const { id = world.ids('conn_app') } = fields;
  const applications = world.of(connectApplications);
  applications.refuseTaken(id);
  const clientId = fields.clientId ?? `client_${id.slice(id.lastIndexOf('_') + 1)}`;
  if (applications.by('clientId', clientId))
    throw badRequest('client_id_already_used', 'Another application has this client_id');
  const { now } = world;
  return applications.insert({
    id,
    clientId,
    name: fields.name,
    description: fields.description ?? null,
    applicationType: fields.applicationType ?? 'oauth',
    redirectUris: fields.redirectUris ?? [],
    usesPkce: fields.usesPkce ?? false,
    isFirstParty: fields.isFirstParty ?? true,
    scopes: [...(fields.scopes ?? [])],
    createdAt: now,
    updatedAt: now,
  });
}

export const newAuthorization = body({
  ...pinned,
  /** User who gives the access. */
  userId: string,
  /** Id or client id of the application. */
  applicationId: string,
  /** Scopes the user agrees to; all the scopes of the application when not given. */
  grantedScopes: optional(authorizedConnectApplication.shape.grantedScopes),
  /** Resource the access is for. */
  oauthResource: maybe(string),
});
/** The access of an application to what is a user's, to be given. */
export interface NewAuthorization extends Fields<typeof newAuthorization> {}

/** Give an application access to a user, or new access. @throws {Refusal} 404 for an unknown user or application, 409 if the id is taken. */
export function authorizeApplication(
  world: World,
  { id, userId, applicationId, grantedScopes, oauthResource = null }: NewAuthorization,
): AuthorizationRecord {
  world.of(users).get(userId);
  const application = applicationOf(world, applicationId);
  const earlier = authorizationOf(world, userId, application.id);
  if (id !== undefined && id !== earlier?.id) world.of(authorizedApplications).refuseTaken(id);
  if (earlier) world.of(authorizedApplications).delete(earlier.id);
  return world.of(authorizedApplications).insert({
    ...(id === undefined ? {} : { id }),
    userId,
    applicationId: application.id,
    grantedScopes: [...(grantedScopes ?? application.scopes)],
    oauthResource,
  });
}

/** Take the access back. @throws {Refusal} 404 when the application, by its id or client id, has none. */
export function revokeAuthorization(world: World, userId: string, applicationId: string): void {
  world.of(users).get(userId);
  const authorization = authorizationOf(world, userId, applicationOf(world, applicationId).id);
  if (!authorization) throw notFound('authorized application', applicationId);
  world.of(authorizedApplications).delete(authorization.id);
}

/** An authorization with its application, as callers see it. */
export const authorizationView = (
  world: World,
  { id, grantedScopes, oauthResource, applicationId }: AuthorizationRecord,
): Omit<AuthorizedConnectApplication, 'object'> => ({
  id,
  grantedScopes: [...grantedScopes],
  oauthResource,
  application: { ...world.of(connectApplications).get(applicationId), object: 'connect_application' },
});

function applicationOf(world: World, idOrClientId: string): ApplicationRecord {
  const applications = world.of(connectApplications);
  return applications.by('clientId', idOrClientId) ?? applications.get(idOrClientId);
}

const authorizationOf = (world: World, userId: string, applicationId: string): AuthorizationRecord | undefined =>
  world
    .of(authorizedApplications)
    .where('userId', userId)
    .find((authorization) => authorization.applicationId === applicationId);
