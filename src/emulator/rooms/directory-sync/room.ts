import { type Room, together } from '../../http/router.js';
import { directoryControls } from './controls.js';
import { directoryRoutes } from './directory-routes.js';
import { groupRoutes } from './group-routes.js';
import { scimRoutes } from './scim-routes.js';
import { directoriesSection } from './seed.js';
import { userRoutes } from './user-routes.js';

/** Directories with their users and groups, and the legacy SCIM API. */
export const directorySyncRoom = {
  ...together(directoryRoutes, userRoutes, groupRoutes, scimRoutes),
  controls: directoryControls,
  seed: [directoriesSection],
} satisfies Room;
