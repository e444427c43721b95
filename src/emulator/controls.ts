import { type RoleControls, roleControls } from './rooms/organizations/controls.js';
import { type UserControls, userControls } from './rooms/users/controls.js';
import { type AuthenticationControls, authenticationControls } from './sign-in/controls.js';
import type { World } from './world/world.js';

/** Controls that are not described yet. */
export interface OtherControls extends AuthenticationControls, RoleControls, UserControls {}

/** The controls of whatever world there is when they are used. */
export const controlsOf = (world: () => World): OtherControls => ({
  ...authenticationControls(world),
  ...roleControls(world),
  ...userControls(world),
});
