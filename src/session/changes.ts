/** What few requests do: begin a session, end it or change it. One piece, which the first of them loads. */
export { finishSignIn } from './finish-sign-in.js';
export { routeAnswers } from './route-answers.js';
export { startSignIn } from './sign-in.js';
export { signOut } from './sign-out.js';
export { switchOrganization } from './switch-organization.js';
