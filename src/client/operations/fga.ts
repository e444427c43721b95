export { fga } from '../../service/fga.js';
