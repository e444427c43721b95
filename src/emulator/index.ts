// Everything `import ... from 'sallyport/emulator'` gives.

export type { Deliver } from './attempt.js';
export { type Clock, createClock, type Duration, type Instant } from './clock.js';
export type { ConnectionControls } from './control/connections.js';
export type { DeliveryControls } from './control/deliveries.js';
export type { DirectoryControls } from './control/directories.js';
export type { RedirectUriControls } from './control/redirect-uris.js';
export type { UserControls } from './control/users.js';
export type { Controls } from './controls.js';
export type { Delivery, DeliveryAttempt } from './deliver.js';
export { type Credentials, createEmulator, type Emulator } from './emulator.js';
export { EmulatorError, type FieldError, Refusal } from './errors.js';
export type { EventListener, EventRecord } from './events.js';
export type { Inbox, Message, MessageKind, MessageWanted } from './inbox.js';
export type { ApiKey } from './keys.js';
export { isPublicSuffix } from './public-suffix.js';
export type { EmulatorOptions } from './settings.js';
export type { NewAuthorization, NewConnectApplication } from './state/authorized-applications.js';
export type { NewConnection } from './state/connections.js';
export type { DirectoryChanges, NewDirectory } from './state/directories.js';
export type { DirectoryGroupChanges, NewDirectoryGroup } from './state/directory-groups.js';
export type { DirectoryUserChanges, GroupAndUser, NewDirectoryUser } from './state/directory-users.js';
export type { NewIdentity } from './state/identities.js';
export type { VerificationFailure } from './state/organization-domains.js';
export type { NewRole } from './state/roles.js';
