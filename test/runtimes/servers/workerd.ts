import { application } from '../application.js';
import type { Settings } from '../settings.js';

declare const SETTINGS: Settings;

export default { fetch: application(SETTINGS) };
