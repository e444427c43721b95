import { optional, string } from '../../service/describe/define.js';

/** What every creation model begins with. */
export const pinned = {
  /** An id to be known by; a new one when not given. */
  id: optional(string),
};
