export { auditTrail, scim } from '../../service/legacy.js';
export { passwordless } from '../../service/passwordless.js';
export { portal } from '../../service/portal.js';
