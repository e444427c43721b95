export { sso } from '../../service/sso.js';
