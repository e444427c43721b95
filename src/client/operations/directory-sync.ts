export { directorySync } from '../../service/directory-sync.js';
